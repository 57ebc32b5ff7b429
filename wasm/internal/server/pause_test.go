package server

import (
	"sync"
	"testing"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/protocol"
)

func TestARunIsPausedBetweenItsStepsAndGoesOn(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: twoNotes})
	ui := begin(t, mem, free)
	r := ui.open(editPlan)
	// Once the first note is written the person presses Pause.
	var once sync.Once
	for n := 2; n < 30; n++ {
		mem.BeforeWrite(n, func() {
			if ui.text("A.md") != twoNotes["A.md"] {
				once.Do(func() { call[protocol.Empty](ui, "run.pause", protocol.RunRef{Run: r.Run}) })
			}
		})
	}
	call[protocol.RunRef](ui, "review.approve", protocol.Approve{Run: r.Run, Approval: r.Approval})
	ui.await("pause", func(e protocol.Event) bool { return e.Type == protocol.EventRunState && e.Run.State == "paused" })
	if got := ui.text("D.md"); got != "(none)" {
		t.Fatalf("a paused run went to its end: D.md is %q", got)
	}
	if _, err := try[protocol.Reverted](ui, "run.revert", protocol.Revert{Run: r.Run}); err == nil {
		t.Error("a paused run was taken back")
	}
	call[protocol.Empty](ui, "run.resume", protocol.RunRef{Run: r.Run})
	if end := ui.finished(); end.Outcome != "ok" || ui.text("D.md") != "d\n" {
		t.Fatalf("want Outcome \"ok\" and D.md \"d\\n\", got %s, D.md is %q", end.Outcome, ui.text("D.md"))
	}
}

func TestAPausedRunThatIsStoppedKeepsWhatWasDoneAndCanBeTakenBack(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: twoNotes})
	before := mem.Snapshot()
	ui := begin(t, mem, free)
	r := ui.open(editPlan)
	justBefore(mem, func() { call[protocol.Empty](ui, "run.pause", protocol.RunRef{Run: r.Run}) })
	call[protocol.RunRef](ui, "review.approve", protocol.Approve{Run: r.Run, Approval: r.Approval})
	ui.await("pause", func(e protocol.Event) bool { return e.Type == protocol.EventRunState && e.Run.State == "paused" })
	call[protocol.Empty](ui, "stop", protocol.Empty{})
	if end := ui.finished(); end.Outcome != "cancelled" {
		t.Fatalf("%s: want Outcome \"cancelled\", got %+v", end.Outcome, end.Problem)
	}
	if d := before.Diff(mem.Snapshot()); d != "" {
		ui.revert(r.Run)
	}
	if d := before.Diff(mem.Snapshot()); d != "" {
		t.Fatal("want the vault as it was before; it differs:", d)
	}
}
