package server

import (
	"fmt"
	"testing"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/protocol"
)

func TestAKillInTheMiddleOfARecoveryIsRecoveredToo(t *testing.T) {
	c := calmRun(t, hosttest.Linux)
	moments := points(c.ops, 4)
	if exhaustive() { // neighbours of n begin at another m: each m has its turn at every fourth n
		moments = nil
		for n := 1; n <= c.ops; n += 3 {
			moments = append(moments, n)
		}
	}
	for _, n := range moments {
		for m := n%4 + 1; m < 40; m += 4 { // a revert of the first writes has few of its own
			where := fmt.Sprintf("killed at %d, and its recovery at %d", n, m)
			mem := c.vault(hosttest.Linux)
			ui := begin(t, mem, free)
			r := ui.open(c.plan)
			mem.KillAt(n, uint64(n), false)
			ui.approve(r)
			ui.s.Close()

			mem = mem.CrashClone()
			ui, w, err := start(t, mem, free)
			if err != nil {
				t.Fatalf("%s: want no error, got %v", where, err)
			}
			if len(w.State.Recoveries) == 0 {
				break
			}
			mem.ResetCounts()
			mem.KillAt(m, uint64(m), false)
			// It dies, or it was quick enough: what it says is not the point.
			_, _ = try[protocol.Reverted](ui, "recovery.resolve", protocol.Recovery{Run: r.Run, Choice: protocol.RecoverRevert})
			ui.s.Close()

			mem = mem.CrashClone()
			ui, w, err = start(t, mem, free)
			if err != nil {
				t.Fatalf("%s: want no error, got %v", where, err)
			}
			for _, kind := range []protocol.RunKind{protocol.KindRevert, protocol.KindRun} {
				for _, sum := range w.State.Recoveries {
					if sum.Kind != kind {
						continue
					}
					back, err := try[protocol.Reverted](ui, "recovery.resolve", protocol.Recovery{Run: sum.Run, Choice: protocol.RecoverRevert})
					if err != nil || back.Problem != nil || len(back.Conflicts) > 0 {
						t.Fatalf("%s: taking back the %s: %v %+v", where, kind, err, back)
					}
				}
			}
			if d := c.before.Diff(mem.Snapshot()); d != "" {
				t.Fatalf("%s: taken back:\n%s", where, d)
			}
		}
	}
}
