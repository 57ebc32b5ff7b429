package server

import (
	"fmt"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/journal"
	"embedded-agent/wasm/internal/protocol"
)

// does makes a command that does something to the vault, and counts itself.
func does(n *int, f func(m *hosttest.Memory)) hosttest.Command {
	return hosttest.Command{ID: "x:do", Name: "Do", Run: func(m *hosttest.Memory) (bool, error) {
		*n++
		if f != nil {
			f(m)
		}
		return true, nil
	}}
}

// cutPlan writes before a command and after it; the last step reads A.md.
var cutPlan = planOf("cut",
	`{"id":"one","tool":"vault.appendFile","args":{"path":"A.md","content":"one"}}`,
	`{"id":"c","tool":"commands.run","args":{"id":"x:do"},"dependsOn":["one"]}`,
	`{"id":"two","tool":"vault.appendFile","args":{"path":"B.md","content":"two"},"dependsOn":["c"]}`,
	`{"id":"r","tool":"vault.readFile","args":{"path":"A.md"},"dependsOn":["c"]}`,
	`{"id":"three","tool":"vault.createFile","args":{"path":"New/Copy.md","content":"$steps.r.content"}}`)

var cutVault = map[string]string{"A.md": "a\n", "B.md": "b\n", "C.md": "c\n"}

// answering approves a review, says yes to every question, and gives the end of
// the run.
func (ui *panel) answering(r *protocol.Review) *protocol.RunState {
	ui.t.Helper()
	end, _ := ui.answered(r, true)
	return end
}

func TestTheRestAfterACommandThatChangedNothingOfItIsMadeAsApproved(t *testing.T) {
	n := 0
	mem := hosttest.New(hosttest.Options{Files: cutVault, Commands: []hosttest.Command{does(&n, func(m *hosttest.Memory) { m.Put("C.md", "by the command\n") })}})
	ui := begin(t, mem, free)
	end, asked := ui.answered(ui.open(cutPlan), true)
	if end.Outcome != "ok" || asked != 1 || n != 1 || end.Done != 5 {
		t.Fatalf("%s, asked %d times, run %d times, %d done: %+v", end.Outcome, asked, n, end.Done, end.Problem)
	}
	if ui.text("New/Copy.md") != "a\none\n" || ui.text("B.md") != "b\ntwo\n" {
		t.Fatalf("want New/Copy.md \"a\\none\\n\" and B.md \"b\\ntwo\\n\", got %q %q", ui.text("New/Copy.md"), ui.text("B.md"))
	}
	checkEnvelopes(t, mem, end.Run)
	if v := call[protocol.Verified](ui, "run.verify", protocol.RunRef{Run: end.Run}); !v.OK {
		t.Fatalf("want everything in order, got %+v", v)
	}
	call[protocol.RunRef](ui, "run.replay", protocol.RunRef{Run: end.Run})
	back := ui.revert(end.Run)
	if ui.text("A.md") != "a\n" || ui.text("B.md") != "b\n" || ui.text("New/Copy.md") != "(none)" || ui.text("C.md") != "by the command\n" {
		t.Fatalf("want A.md \"a\\n\", B.md \"b\\n\", New/Copy.md \"(none)\" and C.md \"by the command\\n\", got %v", mem.Snapshot())
	}
	if len(back.NotUndone) != 1 || n != 1 {
		t.Fatalf("%+v, run %d times", back, n)
	}
}

func TestTheRestAfterACommandThatChangedItIsAskedAboutAgain(t *testing.T) {
	n := 0
	mem := hosttest.New(hosttest.Options{Files: cutVault, Commands: []hosttest.Command{does(&n, func(m *hosttest.Memory) { m.Put("A.md", "by the command\n") })}})
	ui := begin(t, mem, free)
	end := ui.answering(ui.open(cutPlan))
	if end.Outcome != "partial" || end.Text.Key != "run.asksAgain" || end.Problem != nil || !end.Can.Revert {
		t.Fatalf("want Outcome \"partial\", Text.Key \"run.asksAgain\", no Problem and Can.Revert true, got %s %s %+v", end.Outcome, end.Text.Key, end.Problem)
	}
	if ui.text("B.md") != "b\n" || ui.text("New/Copy.md") != "(none)" {
		t.Fatal("the rest was written though it was not approved")
	}
	checkEnvelopes(t, mem, end.Run)
	again := ui.review()
	if again.Run == end.Run || !again.Approvable || len(again.Warnings) != 1 || again.Warnings[0].Key != "review.restChanged" {
		t.Fatalf("want Run other than end.Run, a review that can be approved, 1 Warnings and Warnings[0].Key \"review.restChanged\", got %+v", again)
	}
	for _, line := range again.Summary {
		if line.Tone == "command" {
			t.Errorf("the command is shown as still to be run: %+v", line)
		}
	}
	shown := ui.shown(again)
	if shown["New/Copy.md"].After != "by the command\n" {
		t.Fatalf("want shown[\"New/Copy.md\"].After \"by the command\\n\", got %+v", shown)
	}
	last, asked := ui.answered(again, true)
	if last.Outcome != "ok" || asked != 0 || n != 1 || ui.text("New/Copy.md") != "by the command\n" || ui.text("B.md") != "b\ntwo\n" || ui.text("A.md") != "by the command\n" {
		t.Fatalf("%s, asked %d times, run %d times: %v", last.Outcome, asked, n, mem.Snapshot())
	}
	checkEnvelopes(t, mem, last.Run)
	call[protocol.RunRef](ui, "run.replay", protocol.RunRef{Run: last.Run})
	ui.revert(last.Run)
	if ui.text("B.md") != "b\n" || ui.text("New/Copy.md") != "(none)" || n != 1 {
		t.Fatalf("run %d times: %v", n, mem.Snapshot())
	}
}

func TestARestThatIsNotApprovedAgainStaysUndoneAndCanBeAskedFor(t *testing.T) {
	n := 0
	mem := hosttest.New(hosttest.Options{Files: cutVault, Commands: []hosttest.Command{does(&n, func(m *hosttest.Memory) { m.Put("A.md", "by the command\n") })}})
	ui := begin(t, mem, free)
	end := ui.answering(ui.open(cutPlan))
	again := ui.review()
	call[protocol.Empty](ui, "review.close", protocol.RunRef{Run: again.Run})
	for range 2 { // also after another start
		ref := call[protocol.RunRef](ui, "run.rest", protocol.RunRef{Run: end.Run})
		rest := call[protocol.Review](ui, "review.get", ref)
		if got := ui.shown(&rest)["New/Copy.md"].After; got != "by the command\n" || len(rest.Files) != 3 {
			t.Fatalf("want \"by the command\\n\" and 3 Files, got %q %+v", got, rest.Files)
		}
		ui.s.Close()
		ui = begin(t, mem, free)
	}
	if n != 1 || ui.text("B.md") != "b\n" {
		t.Fatalf("run %d times: %v", n, mem.Snapshot())
	}
}

func TestTwoCommandsAreTwoCuts(t *testing.T) {
	n := 0
	mem := hosttest.New(hosttest.Options{Files: cutVault, Commands: []hosttest.Command{does(&n, func(m *hosttest.Memory) {
		if n == 2 {
			m.Put("B.md", "by the second\n")
		}
	})}})
	ui := begin(t, mem, free)
	end := ui.answering(ui.open(planOf("two",
		`{"id":"a","tool":"vault.appendFile","args":{"path":"A.md","content":"1"}}`,
		`{"id":"c1","tool":"commands.run","args":{"id":"x:do"},"dependsOn":["a"]}`,
		`{"id":"b","tool":"vault.appendFile","args":{"path":"A.md","content":"2"},"dependsOn":["c1"]}`,
		`{"id":"c2","tool":"commands.run","args":{"id":"x:do"},"dependsOn":["b"]}`,
		`{"id":"d","tool":"vault.appendFile","args":{"path":"B.md","content":"3"},"dependsOn":["c2"]}`)))
	if n != 2 || end.Outcome != "partial" || ui.text("A.md") != "a\n1\n2\n" || ui.text("B.md") != "by the second\n" {
		t.Fatalf("run %d times, %s: %v", n, end.Outcome, mem.Snapshot())
	}
	last := ui.answering(ui.review())
	if n != 2 || last.Outcome != "ok" || ui.text("B.md") != "by the second\n3\n" {
		t.Fatalf("run %d times, %s: %v", n, last.Outcome, mem.Snapshot())
	}
}

func TestWhatThePlanLeavesOutAfterAFailedCommandIsNotAskedAbout(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: cutVault, Commands: []hosttest.Command{{ID: "x:do", Run: func(*hosttest.Memory) (bool, error) { return false, nil }}}})
	ui := begin(t, mem, free)
	end := ui.answering(ui.open(planOf("skips",
		`{"id":"c","tool":"commands.run","args":{"id":"x:do"},"onError":"skip"}`,
		`{"id":"n","tool":"vault.appendFile","args":{"path":"A.md","content":"never"},"dependsOn":["c"]}`,
		`{"id":"m","tool":"vault.appendFile","args":{"path":"B.md","content":"made"}}`)))
	if ui.text("A.md") != "a\n" || ui.text("B.md") != "b\nmade\n" || end.Done != 1 || end.Failed != 1 || end.Skipped != 1 {
		t.Fatalf("want A.md \"a\\n\", B.md \"b\\nmade\\n\", Done 1, Failed 1 and Skipped 1, got %+v %v", end, mem.Snapshot())
	}
	checkEnvelopes(t, mem, end.Run)
}

func TestTheRestOfARunWithAmendmentsKeepsThem(t *testing.T) {
	n := 0
	mem := hosttest.New(hosttest.Options{Files: cutVault, Commands: []hosttest.Command{does(&n, nil)}})
	ui := begin(t, mem, free)
	r := ui.open(cutPlan)
	next := call[protocol.Review](ui, "review.amend", protocol.Amendment{Run: r.Run, Kind: protocol.AmendEdit, Path: "New/Copy.md", Text: "mine\n"})
	next = call[protocol.Review](ui, "review.amend", protocol.Amendment{Run: r.Run, Kind: protocol.AmendDrop, Path: "B.md"})
	end := ui.answering(&next)
	if ui.text("New/Copy.md") != "mine\n" || ui.text("B.md") != "b\n" || n != 1 {
		t.Fatalf("%s: want New/Copy.md \"mine\\n\", B.md \"b\\n\" and 1, got %v", end.Outcome, mem.Snapshot())
	}
}

// A kill at any operation of a run with a command in its middle: recovered as
// chosen and the rest run, the command has run once at the most, and taken back
// all but its own change is as it was.
func TestAKillAtAnyOperationOfARunWithACommandNeverRunsItTwice(t *testing.T) {
	for _, change := range []string{"C.md", "A.md"} {
		n := 0
		vault := func() *hosttest.Memory {
			n = 0
			return hosttest.New(hosttest.Options{Files: cutVault, Commands: []hosttest.Command{does(&n, func(m *hosttest.Memory) { m.Put(change, "by the command\n") })}})
		}
		mem := vault()
		ui := begin(t, mem, free)
		ui.answering(ui.open(cutPlan))
		ops := mem.Counts().Ops()
		for _, at := range points(ops, 30) {
			for _, choice := range []protocol.RecoveryChoice{protocol.RecoverRevert, protocol.RecoverKeep, protocol.RecoverFinish} {
				where := fmt.Sprintf("%s: killed at %d of %d, %s", change, at, ops, choice)
				mem := vault()
				ui := begin(t, mem, free)
				r := ui.open(cutPlan)
				mem.KillAt(at, uint64(at)*31, false)
				ui.answering(r)
				ui.s.Close()
				killedInACut(t, mem.CrashClone(), r.Run, choice, where, &n)
			}
		}
	}
}

func killedInACut(t *testing.T, mem *hosttest.Memory, run string, choice protocol.RecoveryChoice, where string, n *int) {
	t.Helper()
	ran := *n
	ui, w, err := start(t, mem, free)
	if err != nil {
		t.Fatalf("%s: want no error, got %v", where, err)
	}
	runs := []string{run}
	if len(w.State.Recoveries) > 0 {
		back, err := try[protocol.Reverted](ui, "recovery.resolve", protocol.Recovery{Run: run, Choice: choice})
		if err != nil || back.Problem != nil {
			t.Fatalf("%s: want no error and no Problem, got %v %+v", where, err, back)
		}
		if len(back.Conflicts) > 0 && ran == 0 {
			t.Fatalf("%s: want no Conflicts (or ran other than 0), got %+v", where, back.Conflicts)
		}
		if choice == protocol.RecoverFinish && back.Run != "" {
			runs = append(runs, back.Run)
		}
		if choice != protocol.RecoverRevert {
			ref, err := try[protocol.RunRef](ui, "run.rest", protocol.RunRef{Run: run})
			if err != nil {
				l, e2 := journal.Load(t.Context(), mem.Host().Store, history.Dir(run))
				t.Fatalf("%s: want no error, got %v; %+v %v; %v", where, err, l, e2, mem.Snapshot())
			}
			rest := call[protocol.Review](ui, "review.get", ref)
			end := ui.answering(&rest)
			runs = append(runs, end.Run)
			if end.State == "finished" && end.Text.Key == "run.asksAgain" {
				again := ui.review()
				runs = append(runs, ui.answering(again).Run)
			}
			one := strings.Count(ui.text("A.md"), "one")
			if changed := strings.HasPrefix(where, "A.md"); one > 1 || one == 0 && !changed || ui.text("B.md") != "b\ntwo\n" || ui.text("New/Copy.md") != ui.text("A.md") {
				t.Fatalf("%s: the rest was not made, or something twice: %v\n%+v\n%+v", where, mem.Snapshot(), rest, end)
			}
		}
	}
	if *n > 1 {
		t.Fatalf("%s: the command has run %d times", where, *n)
	}
	for i := len(runs) - 1; i >= 0; i-- {
		if _, err := journal.Load(t.Context(), mem.Host().Store, history.Dir(runs[i])); err != nil {
			continue // it had not begun
		}
		back, err := try[protocol.Reverted](ui, "run.revert", protocol.Revert{Run: runs[i]})
		if err != nil || back.Problem != nil {
			t.Fatalf("%s: revert: %v %+v", where, err, back)
		}
	}
	for path, was := range cutVault {
		if got := ui.text(path); got != was && got != "by the command\n" {
			t.Fatalf("%s: taken back, %s is %q", where, path, got)
		}
	}
	if got := ui.text("New/Copy.md"); got != "(none)" {
		t.Fatalf("%s: taken back, the copy is %q", where, got)
	}
}
