package server

import (
	"fmt"
	"testing"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/protocol"
)

// rewritten changes notes at their beginning, in their middle and at their end, some
// of them twice: a text that was cut short begins the one before, the one after, or
// neither.
var rewritten = planOf("rewritten",
	`{"id":"p","tool":"metadata.set","args":{"path":"{n}","properties":{"a":1,"z":"RUN"}},"foreach":{"from":["Box/a.md","Box/Sub/b.md","Other.md","Last.md"],"itemName":"n","concurrency":4}}`,
	`{"id":"t","tool":"metadata.tidy","args":{"folder":"","order":["z"],"sort":true},"dependsOn":["p"]}`,
	`{"id":"m","tool":"vault.rename","args":{"path":"Box","newPath":"Case"},"dependsOn":["t"]}`,
	`{"id":"r","tool":"vault.replaceText","args":{"folder":"","find":"RUN","replace":"Run by"},"dependsOn":["m"]}`)

// What a person decides about a run that did not end may die as well, whatever they
// decided: then the run can still be taken back whole.
func TestADecisionThatDiesIsDecidedAgainAndTheRunTakenBackWhole(t *testing.T) {
	before := hosttest.New(hosttest.Options{Files: boxes}).Snapshot()
	twice := 0
	for name, plan := range map[string]string{"rewritten": rewritten, "boxes": boxPlan, "made and moved": madeAndMoved} {
		for _, choice := range []protocol.RecoveryChoice{protocol.RecoverRevert, protocol.RecoverFinish, protocol.RecoverKeep} {
			for n := 1; ; n += stride(5, 11) {
				if _, _, died := interrupted(t, boxes, plan, n); !died {
					break
				}
				for m := 1; ; m += 3 {
					mem, run, _ := interrupted(t, boxes, plan, n)
					where := fmt.Sprintf("%s, killed at %d, %s killed at %d", name, n, choice, m)
					mem, offered, died := dying(t, mem, run, choice, m)
					if !offered {
						break
					}
					if died {
						twice++
					}
					takenBack(t, mem, where)
					if d := before.Diff(mem.Snapshot()); d != "" {
						t.Fatalf("%s: want the vault as it was before; it differs:\n%s", where, d)
					}
					if !died {
						break
					}
				}
			}
		}
	}
	if twice < 50 {
		t.Errorf("want fifty decisions that died at least, got %d", twice)
	}
}

// dying decides about a run on a host that dies in operation m. It gives the disk,
// whether the run was offered, and whether the host died.
func dying(t *testing.T, mem *hosttest.Memory, run string, choice protocol.RecoveryChoice, m int) (disk *hosttest.Memory, offered, died bool) {
	t.Helper()
	ui, w, err := start(t, mem, free)
	if err != nil {
		t.Fatalf("a start after a crash: want no error, got %v", err)
	}
	if len(w.State.Recoveries) == 0 {
		return mem, false, false
	}
	mem.ResetCounts()
	mem.KillAt(m, uint64(m)*0x9E3779B97F4A7C15, false)
	// It dies, or it was quick enough: what it says is not the point.
	_, _ = try[protocol.Reverted](ui, "recovery.resolve", protocol.Recovery{Run: run, Choice: choice})
	ui.s.Close()
	select {
	case <-mem.Dead():
		died = true
	default:
	}
	return mem.CrashClone(), true, died
}

// takenBack takes back what is offered at a start, and then every run of the history
// that can be, the newest first.
func takenBack(t *testing.T, mem *hosttest.Memory, where string) {
	t.Helper()
	ui, w, err := start(t, mem, free)
	if err != nil {
		t.Fatalf("%s: a start: want no error, got %v", where, err)
	}
	ended := func(what string, back protocol.Reverted, err error) {
		t.Helper()
		if err != nil || back.Problem != nil || len(back.Conflicts)+len(back.Merged) > 0 {
			t.Fatalf("%s: %s: want no error, no conflict and nothing merged, got %v %+v", where, what, err, back)
		}
	}
	for _, c := range w.State.Recoveries {
		back, err := try[protocol.Reverted](ui, "recovery.resolve", protocol.Recovery{Run: c.Run, Choice: protocol.RecoverRevert})
		ended("taking back the card", back, err)
	}
	for _, sum := range call[protocol.Runs](ui, "runs.list", protocol.RunsQuery{}).Runs {
		if sum.Kind == protocol.KindRevert || !sum.Can.Revert || sum.RevertedBy != "" {
			continue
		}
		back, err := try[protocol.Reverted](ui, "run.revert", protocol.Revert{Run: sum.Run})
		ended("reverting the "+string(sum.Kind), back, err)
	}
	ui.s.Close()
}
