package server

import (
	"testing"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/protocol"
)

const commandPlan = `{"goal":"With a command","assumptions":[],"riskLevel":"read-only","steps":[
{"id":"a","tool":"vault.createFile","args":{"path":"Before.md","content":"b"}},
{"id":"c","tool":"commands.run","args":{"id":"x:do"},"dependsOn":["a"],"retry":{"maxAttempts":3,"backoffMs":1}},
{"id":"z","tool":"vault.createFile","args":{"path":"After.md","content":"a"},"dependsOn":["c"]}]}`

// answered approves a review and answers every question the same; it gives the
// end of the run and how often was asked.
func (ui *panel) answered(r *protocol.Review, yes bool) (*protocol.RunState, int) {
	ui.t.Helper()
	call[protocol.RunRef](ui, "review.approve", protocol.Approve{Run: r.Run, Approval: r.Approval})
	return ui.ended(yes)
}

// ended answers every question of a run the same, and gives its end and how
// often was asked.
func (ui *panel) ended(yes bool) (*protocol.RunState, int) {
	ui.t.Helper()
	for asked := 0; ; asked++ {
		e := ui.await("question or end", func(e protocol.Event) bool {
			return e.Type == protocol.EventQuestionOpened || e.Type == protocol.EventRunState && e.Run.State == "finished"
		})
		if e.Run != nil {
			return e.Run, asked
		}
		call[protocol.Empty](ui, "answer", protocol.Answer{ID: e.Question.ID, Yes: yes})
	}
}

func TestACommandIsShownAsWhatItIsAskedForAndRunOnce(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Commands: []hosttest.Command{{ID: "x:do", Name: "Do"}}})
	before := mem.Snapshot()
	ui := begin(t, mem, free)
	r := ui.open(commandPlan)
	if len(mem.Ran()) != 0 || r.Risk != "commands" {
		t.Fatalf("%v were run by the simulation; risk %s", mem.Ran(), r.Risk)
	}
	for _, s := range r.Steps {
		if command := s.ID == "c"; s.Simulate == command || s.Undo == command {
			t.Errorf("%s: simulable %v, undoable %v", s.ID, s.Simulate, s.Undo)
		}
	}
	end, asked := ui.answered(r, true)
	if end.Outcome != "ok" || asked != 1 || len(mem.Ran()) != 1 {
		t.Fatalf("%s, asked %d times, ran %v", end.Outcome, asked, mem.Ran())
	}
	back := ui.revert(end.Run)
	if d := before.Diff(mem.Snapshot()); d != "" || len(back.NotUndone) != 1 || len(mem.Ran()) != 1 {
		t.Fatalf("want no difference, 1 NotUndone and 1 Ran: %s\n%+v", d, back)
	}
	if _, err := try[protocol.RunRef](ui, "run.replay", protocol.RunRef{Run: end.Run}); len(mem.Ran()) != 1 {
		t.Errorf("a replay ran the command again: %v", err)
	}
}

func TestACommandThatIsRefusedIsNotRunAndTheRestNotMade(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Commands: []hosttest.Command{{ID: "x:do"}}})
	ui := begin(t, mem, free)
	end, asked := ui.answered(ui.open(commandPlan), false)
	if len(mem.Ran()) != 0 || asked != 1 || end.Outcome == "ok" || ui.text("Before.md") != "b" || ui.text("After.md") != "(none)" {
		t.Fatalf("%s, asked %d times, ran %v, After.md %q", end.Outcome, asked, mem.Ran(), ui.text("After.md"))
	}
}

func TestACommandThatFailedIsNotRunAgain(t *testing.T) {
	n := 0
	mem := hosttest.New(hosttest.Options{Commands: []hosttest.Command{{ID: "x:do", Run: func(*hosttest.Memory) (bool, error) { n++; return false, nil }}}})
	ui := begin(t, mem, free)
	end, _ := ui.answered(ui.open(commandPlan), true)
	if n != 1 || end.Outcome == "ok" {
		t.Fatalf("run %d times; %s", n, end.Outcome)
	}
}

func TestCommandsThatAreOffAreRefusedBeforeAnythingIsShownAsPossible(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Commands: []hosttest.Command{{ID: "x:do"}}})
	set := free
	set.AllowCommands = false
	ui := begin(t, mem, set)
	r, err := ui.s.tx.OpenPlan(t.Context(), []byte(commandPlan), nil, false)
	if err == nil && r.Approvable {
		t.Fatalf("want an error (or a review that cannot be approved), got %+v", r)
	}
	if len(mem.Ran()) != 0 || mem.Counts().Ops() != 0 {
		t.Fatalf("%v was run, %+v", mem.Ran(), mem.Counts())
	}
}
