package server

import (
	"sync"
	"testing"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/protocol"
)

func TestARunIsPausedBetweenItsStepsAndGoesOn(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: twoNotes})
	sh := begin(t, mem, free)
	r := sh.open(editPlan)
	// Once the first note is written the person presses Pause.
	var once sync.Once
	for n := 2; n < 30; n++ {
		mem.BeforeWrite(n, func() {
			if sh.text("A.md") != twoNotes["A.md"] {
				once.Do(func() { call[protocol.Empty](sh, "run.pause", protocol.RunRef{Run: r.Run}) })
			}
		})
	}
	call[protocol.RunRef](sh, "review.approve", protocol.Approve{Run: r.Run, Approval: r.Approval})
	sh.await("pause", func(e protocol.Event) bool { return e.Type == protocol.EventRunState && e.Run.State == "paused" })
	if got := sh.text("D.md"); got != "(none)" {
		t.Fatalf("a paused run went to its end: D.md is %q", got)
	}
	if _, err := try[protocol.Reverted](sh, "run.revert", protocol.Revert{Run: r.Run}); err == nil {
		t.Error("a paused run was taken back")
	}
	call[protocol.Empty](sh, "run.resume", protocol.RunRef{Run: r.Run})
	if end := sh.finished(); end.Outcome != "ok" || sh.text("D.md") != "d\n" {
		t.Fatalf("%s, D.md is %q", end.Outcome, sh.text("D.md"))
	}
}

func TestAPausedRunThatIsStoppedKeepsWhatWasDoneAndCanBeTakenBack(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: twoNotes})
	before := mem.Snapshot()
	sh := begin(t, mem, free)
	r := sh.open(editPlan)
	justBefore(mem, func() { call[protocol.Empty](sh, "run.pause", protocol.RunRef{Run: r.Run}) })
	call[protocol.RunRef](sh, "review.approve", protocol.Approve{Run: r.Run, Approval: r.Approval})
	sh.await("pause", func(e protocol.Event) bool { return e.Type == protocol.EventRunState && e.Run.State == "paused" })
	call[protocol.Empty](sh, "stop", protocol.Empty{})
	if end := sh.finished(); end.Outcome != "cancelled" {
		t.Fatalf("%s: %+v", end.Outcome, end.Problem)
	}
	if d := before.Diff(mem.Snapshot()); d != "" {
		sh.revert(r.Run)
	}
	if d := before.Diff(mem.Snapshot()); d != "" {
		t.Fatal(d)
	}
}
