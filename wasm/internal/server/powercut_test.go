package server

import (
	"testing"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/protocol"
)

// After a power cut the store has only what was flushed, and the notes have all
// that was written: the worst that there is for what a run is taken back with.
func TestAPowerCutAtAnyOperationIsRecoveredAndTakenBackWhole(t *testing.T) {
	c := calmRun(t, hosttest.Linux)
	offered := 0
	for _, n := range points(c.ops, 60) {
		mem := c.vault(hosttest.Linux)
		ui := begin(t, mem, free)
		r := ui.open(c.plan)
		mem.KillAt(n, uint64(n)*0x9E3779B97F4A7C15, false)
		ui.approve(r)
		ui.s.Close()

		found := hosttest.PowerCut(mem)
		sh2, w, err := start(t, found, free)
		if err != nil {
			t.Fatalf("cut at operation %d: hello: %v", n, err)
		}
		switch {
		case len(w.State.Recoveries) > 0:
			offered++
			back, err := try[protocol.Reverted](sh2, "recovery.resolve", protocol.Recovery{Run: r.Run, Choice: protocol.RecoverRevert})
			if err != nil || back.Problem != nil || len(back.Conflicts) > 0 {
				t.Fatalf("cut at operation %d: %v %+v", n, err, back)
			}
		case c.after.Equal(found.Snapshot()):
			back, err := try[protocol.Reverted](sh2, "run.revert", protocol.Revert{Run: r.Run})
			if err != nil || back.Problem != nil || len(back.Conflicts) > 0 {
				t.Fatalf("cut at operation %d, after the end: %v %+v", n, err, back)
			}
		}
		if d := c.before.Diff(found.Snapshot()); d != "" {
			t.Fatalf("cut at operation %d of %d, taken back, the vault is not what it was:\n%s", n, c.ops, d)
		}
	}
	if offered == 0 {
		t.Error("no cut came while notes were written")
	}
}
