package server

import (
	"strings"
	"testing"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/protocol"
)

func TestOneFileOfARunIsTakenBackAndThenTheRest(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: twoNotes})
	ui := begin(t, mem, free)
	before := mem.Snapshot()
	end := ui.do(editPlan)
	back := call[protocol.Reverted](ui, "run.revert", protocol.Revert{Run: end.Run, Path: "A.md"})
	if ui.text("A.md") != twoNotes["A.md"] || ui.text("B.md") != "b\nmore\n" || ui.text("D.md") != "d\n" || back.Run == "" {
		t.Fatalf("want A.md equal to twoNotes[\"A.md\"], B.md \"b\\nmore\\n\", D.md \"d\\n\" and Run set, got %+v", back)
	}
	ui.revert(end.Run)
	if d := before.Diff(mem.Snapshot()); d != "" {
		t.Fatalf("want the vault as it was before; it differs: %s", d)
	}
}

func TestARevertCanBeRevertedAgainAndAgain(t *testing.T) {
	files, plan := workload(t)
	mem := hosttest.New(hosttest.Options{Files: files, Active: "Active.md"})
	ui := begin(t, mem, free)
	before := mem.Snapshot()
	run := ui.do(plan).Run
	after := mem.Snapshot()
	for i := range 4 {
		back := ui.revert(run)
		want, what := before, "taken back"
		if i%2 == 1 {
			want, what = after, "made again"
		}
		if d := want.Diff(mem.Snapshot()); d != "" || back.Run == "" || len(back.Conflicts) > 0 {
			t.Fatalf("revert %d, %s:\n%s\n%+v", i+1, what, d, back.Conflicts)
		}
		run = back.Run
	}
}

func TestARevertedRunHasNothingMoreToTakeBack(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: twoNotes})
	ui := begin(t, mem, free)
	end := ui.do(editPlan)
	ui.revert(end.Run)
	before := mem.Snapshot()
	again := ui.revert(end.Run)
	if d := before.Diff(mem.Snapshot()); d != "" || again.Run != "" || len(again.Restored)+len(again.Merged)+len(again.Conflicts) > 0 {
		t.Fatalf("want no difference, no Run and at most 0: %s\n%+v", d, again)
	}
	sum := call[protocol.RunDetail](ui, "run.get", protocol.RunRef{Run: end.Run}).Summary
	if sum.RevertedBy == "" || sum.Can.Revert {
		t.Errorf("want RevertedBy set and Can.Revert false, got %+v", sum)
	}
}

func TestAConflictOfARevertIsShownAndEachChoiceDoesWhatItSays(t *testing.T) {
	const mine = "one\nMINE\nthree\nfour\nfive\nSIX\nseven\n"
	for _, c := range []struct {
		choice protocol.ConflictChoice
		want   map[string]string
	}{
		{protocol.ConflictChoice{Choice: protocol.ChooseKeep}, map[string]string{"A.md": mine, "A (edited).md": "(none)"}},
		{protocol.ConflictChoice{Choice: protocol.ChooseRestore}, map[string]string{"A.md": twoNotes["A.md"], "A (edited).md": mine}},
		{protocol.ConflictChoice{Choice: protocol.ChooseMerged, Text: "both\n"}, map[string]string{"A.md": "both\n", "A (edited).md": "(none)"}},
	} {
		t.Run(string(c.choice.Choice), func(t *testing.T) {
			mem := hosttest.New(hosttest.Options{Files: twoNotes})
			ui := begin(t, mem, free)
			end := ui.do(editPlan)
			mem.Put("A.md", mine)
			first := ui.revert(end.Run)
			if len(first.Conflicts) != 1 || first.Conflicts[0].Path != "A.md" || first.Conflicts[0].Now != mine || first.Conflicts[0].Before != twoNotes["A.md"] {
				t.Fatalf("want 1 Conflicts, Conflicts[0].Path \"A.md\", Conflicts[0].Now equal to mine and Conflicts[0].Before equal to twoNotes[\"A.md\"], got %+v", first)
			}
			if ui.text("A.md") != mine || ui.text("B.md") != "b\n" || ui.text("D.md") != "(none)" {
				t.Fatal("a conflict was overwritten, or kept the rest from being taken back")
			}
			c.choice.Path, c.choice.Now = "A.md", first.Conflicts[0].NowEtag
			if second := ui.revert(end.Run, c.choice); len(second.Conflicts) != 0 {
				t.Fatalf("want no Conflicts, got %+v", second)
			}
			for p, want := range c.want {
				if got := ui.text(p); got != want {
					t.Errorf("%s is %q, want %q", p, got, want)
				}
			}
		})
	}
}

func TestAChoiceMadeOnOtherBytesIsAConflictAgain(t *testing.T) {
	for _, choice := range []protocol.Settlement{protocol.ChooseKeep, protocol.ChooseRestore, protocol.ChooseMerged} {
		t.Run(string(choice), func(t *testing.T) {
			mem := hosttest.New(hosttest.Options{Files: twoNotes})
			ui := begin(t, mem, free)
			end := ui.do(editPlan)
			mem.Put("A.md", "one\nMINE\n")
			first := ui.revert(end.Run)
			mem.Put("A.md", "one\nLATER\n")
			before := mem.Snapshot()
			for _, now := range []string{first.Conflicts[0].NowEtag, ""} {
				again := ui.revert(end.Run, protocol.ConflictChoice{Path: "A.md", Now: now, Choice: choice, Text: "mine\n"})
				if len(again.Conflicts) != 1 || again.Conflicts[0].Now != "one\nLATER\n" || again.Conflicts[0].NowEtag != host.Etag([]byte("one\nLATER\n")) {
					t.Fatalf("want 1 Conflicts, Conflicts[0].Now \"one\\nLATER\\n\" and Conflicts[0].NowEtag equal to host.Etag([]byte(\"one\\nLATER\\n\")), got %+v", again)
				}
				if d := before.Diff(mem.Snapshot()); d != "" {
					t.Fatalf("written all the same:\n%s", d)
				}
				first = again
			}
			if last := ui.revert(end.Run, protocol.ConflictChoice{Path: "A.md", Now: first.Conflicts[0].NowEtag, Choice: choice, Text: "mine\n"}); len(last.Conflicts) != 0 {
				t.Fatalf("want no Conflicts, got %+v", last)
			}
		})
	}
}

func TestAMoveBackToATakenNameIsAConflictAndEachChoiceDoesWhatItSays(t *testing.T) {
	const move = `{"id":"m","tool":"vault.rename","args":{"path":"A.md","newPath":"Moved.md"}}`
	for choice, want := range map[protocol.Settlement]map[string]string{
		protocol.ChooseKeep:    {"A.md": "new\n", "Moved.md": twoNotes["A.md"], "A (edited).md": "(none)"},
		protocol.ChooseRestore: {"A.md": twoNotes["A.md"], "Moved.md": "(none)", "A (edited).md": "new\n"},
	} {
		t.Run(string(choice), func(t *testing.T) {
			mem := hosttest.New(hosttest.Options{Files: twoNotes})
			ui := begin(t, mem, free)
			end := ui.do(planOf("move", move))
			mem.Put("A.md", "new\n")
			first := ui.revert(end.Run)
			if len(first.Conflicts) != 1 || first.Conflicts[0].Path != "Moved.md" || !first.Conflicts[0].Binary || ui.text("A.md") != "new\n" {
				t.Fatalf("want 1 Conflicts, Conflicts[0].Path \"Moved.md\", Conflicts[0].Binary true and A.md \"new\\n\", got %+v", first)
			}
			back := ui.revert(end.Run, protocol.ConflictChoice{Path: "Moved.md", Now: first.Conflicts[0].NowEtag, Choice: choice})
			if len(back.Conflicts) != 0 {
				t.Fatalf("want no Conflicts, got %+v", back)
			}
			for path, text := range want {
				if got := ui.text(path); got != text {
					t.Errorf("%s is %q, want %q", path, got, text)
				}
			}
		})
	}
}

func TestARecoveryWithConflictsIsOverWhenTheyAreSettled(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: twoNotes})
	ui := begin(t, mem, free)
	r := ui.open(editPlan)
	mem.KillAt(11, 1, false) // in the middle of the writes
	ui.approve(r)
	ui.s.Close()
	mem = mem.CrashClone()
	mem.Put("A.md", "one\nMINE\n")
	ui, w, err := start(t, mem, free)
	if err != nil || len(w.State.Recoveries) != 1 {
		t.Fatalf("want no error and 1 State.Recoveries, got %v %+v", err, w.State.Recoveries)
	}
	first := call[protocol.Reverted](ui, "recovery.resolve", protocol.Recovery{Run: r.Run, Choice: protocol.RecoverRevert})
	if len(first.Conflicts) != 1 {
		t.Fatalf("want 1 Conflicts, got %+v", first)
	}
	if st := call[protocol.State](ui, "state", protocol.Empty{}); len(st.Recoveries) != 1 {
		t.Fatal("with a conflict open, the recovery is not over")
	}
	ui.revert(r.Run, protocol.ConflictChoice{Path: "A.md", Now: first.Conflicts[0].NowEtag, Choice: protocol.ChooseKeep})
	if st := call[protocol.State](ui, "state", protocol.Empty{}); len(st.Recoveries) != 0 {
		t.Fatalf("still offered: %+v", st.Recoveries)
	}
}

func TestAnUnknownChoiceIsRefusedAndWritesNothing(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: twoNotes})
	ui := begin(t, mem, free)
	end := ui.do(editPlan)
	mem.Put("A.md", "one\nMINE\n")
	before := mem.Snapshot()
	_, err := try[protocol.Reverted](ui, "run.revert", protocol.Revert{Run: end.Run, Choices: []protocol.ConflictChoice{{Path: "A.md", Choice: "made up"}}})
	if d := before.Diff(mem.Snapshot()); !fault.Is(err, fault.Validation) || d != "" {
		t.Fatalf("want the error fault.Validation and no difference: %v\n%s", err, d)
	}
}

func TestAnEditSinceIsNeverLostByARevert(t *testing.T) {
	for _, c := range []struct {
		name string
		edit func(m *hosttest.Memory)
		keep string // is somewhere in the vault afterwards
	}{
		{"elsewhere in a changed note", func(m *hosttest.Memory) { m.Put("A.md", "one\nTWO\nthree\nfour\nfive\nSIX\nseven\nkeepme\n") }, "keepme"},
		{"in a note that was made", func(m *hosttest.Memory) { m.Put("D.md", "d\nkeepme\n") }, "keepme"},
		{"a new note beside", func(m *hosttest.Memory) { m.Put("E.md", "keepme") }, "keepme"},
		{"a made note moved away", func(m *hosttest.Memory) { m.Put("D.md", "keepme"); m.Move("D.md", "Else.md") }, "keepme"},
		{"a changed note deleted", func(m *hosttest.Memory) { m.Delete("A.md") }, "b\n"},
		{"typed and not saved", func(m *hosttest.Memory) { m.OpenNote("B.md"); m.Type("B.md", "b\nkeepme\n") }, "keepme"},
	} {
		t.Run(c.name, func(t *testing.T) {
			mem := hosttest.New(hosttest.Options{Files: twoNotes})
			ui := begin(t, mem, free)
			end := ui.do(editPlan)
			c.edit(mem)
			ui.revert(end.Run)
			mem.CloseNotes()
			var all strings.Builder
			for _, b := range mem.Snapshot() {
				all.Write(b)
			}
			if !strings.Contains(all.String(), c.keep) {
				t.Fatalf("lost: %v", mem.Snapshot())
			}
		})
	}
}

func TestTheRestOfARunMakesOnlyWhatFailedOrWasNotReached(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: twoNotes})
	ui := begin(t, mem, free)
	before := mem.Snapshot()
	r := ui.open(planOf("rest",
		`{"id":"a","tool":"vault.appendFile","args":{"path":"A.md","content":"once"}}`,
		`{"id":"n","tool":"vault.createFile","args":{"title":"{x}","folder":"N","content":"{x}"},"foreach":{"from":["1","2","3"],"itemName":"x"},"dependsOn":["a"]}`,
		`{"id":"b","tool":"vault.appendFile","args":{"path":"B.md","content":"once"},"dependsOn":["n"]}`,
		`{"id":"c","tool":"vault.appendFile","args":{"path":"C.md","content":"$steps.n.items.0.link"},"dependsOn":["b"]}`))
	justBefore(mem, func() { mem.Put("B.md", "drift\n") })
	if end := ui.approve(r); end.Outcome != "conflict" {
		t.Fatalf("want Outcome \"conflict\", got %+v", end)
	}
	ref := call[protocol.RunRef](ui, "run.rest", protocol.RunRef{Run: r.Run})
	rest := call[protocol.Review](ui, "review.get", ref)
	for _, f := range rest.Files {
		if f.Path != "B.md" && f.Path != "C.md" {
			t.Errorf("the rest writes %s again", f.Path)
		}
	}
	if end := ui.approve(&rest); end.Outcome != "ok" {
		t.Fatalf("want Outcome \"ok\", got %+v", end.Problem)
	}
	for p, want := range map[string]string{"A.md": twoNotes["A.md"] + "once\n", "B.md": "drift\nonce\n", "C.md": "c\n[[1]]\n", "N/1.md": "1", "N/3.md": "3"} {
		if got := ui.text(p); got != want {
			t.Errorf("%s is %q, want %q", p, got, want)
		}
	}
	ui.revert(rest.Run)
	ui.revert(r.Run)
	mem.Put("B.md", twoNotes["B.md"])
	if d := before.Diff(mem.Snapshot()); d != "" {
		t.Errorf("both taken back:\n%s", d)
	}
}

func TestTheRestIsKnownAlsoAfterAnotherStart(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: twoNotes})
	ui := begin(t, mem, free)
	long := strings.Repeat("a long text that the records keep by its hash ", 30)
	r := ui.open(planOf("rest",
		`{"id":"a","tool":"vault.createFile","args":{"path":"Long.md","content":`+quote(long)+`}}`,
		`{"id":"r","tool":"vault.readFile","args":{"path":"Long.md"},"dependsOn":["a"]}`,
		`{"id":"b","tool":"vault.appendFile","args":{"path":"B.md","content":"$steps.r.content"}}`))
	justBefore(mem, func() { mem.Put("B.md", "drift\n") })
	ui.approve(r)
	ui.s.Close()
	sh2 := begin(t, mem, free)
	ref := call[protocol.RunRef](sh2, "run.rest", protocol.RunRef{Run: r.Run})
	rest := call[protocol.Review](sh2, "review.get", ref)
	if end := sh2.approve(&rest); end.Outcome != "ok" {
		t.Fatalf("want Outcome \"ok\", got %+v", end.Problem)
	}
	if got := sh2.text("B.md"); got != "drift\n"+strings.TrimSpace(long)+"\n" && got != "drift\n"+long+"\n" {
		t.Errorf("want equal to \"drift\\n\"+strings.TrimSpace(long)+\"\\n\" (or equal to \"drift\\n\"+long+\"\\n\"), got B.md is %.80q", got)
	}
	if _, there := mem.File("Long (2).md"); there {
		t.Error("what was done was done again")
	}
}

func TestARunOfEmptyNotesAloneIsTakenBack(t *testing.T) {
	mem := hosttest.New(hosttest.Options{})
	ui := begin(t, mem, free)
	end := ui.do(planOf("empty", `{"id":"a","tool":"vault.createFile","args":{"path":"A.md","content":""}}`))
	if v := call[protocol.Verified](ui, "run.verify", protocol.RunRef{Run: end.Run}); !v.OK {
		t.Fatalf("want everything in order, got %+v", v)
	}
	ui.revert(end.Run)
	if s := mem.Snapshot(); len(s) != 0 {
		t.Fatalf("want no of them, got %v", s)
	}
}
