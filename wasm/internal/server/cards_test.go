package server

import (
	"fmt"
	"slices"
	"testing"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/protocol"
)

// tornBack runs the boxes, cut short at operation n (0: to its end), and lets
// the host die in operation m of its taking back. False where that came to its
// end.
func tornBack(t *testing.T, n, m int) (*hosttest.Memory, string, bool) {
	t.Helper()
	var mem *hosttest.Memory
	var run string
	if n > 0 {
		mem, run, _ = interrupted(t, boxes, boxPlan, n)
	} else {
		mem = hosttest.New(hosttest.Options{Files: boxes})
		ui := begin(t, mem, free)
		run = ui.do(boxPlan).Run
		ui.s.Close()
		mem = mem.CrashClone()
	}
	ui := begin(t, mem, free)
	mem.ResetCounts()
	mem.KillAt(m, uint64(m)*0x9E3779B97F4A7C15, false)
	// It dies, or it was quick enough: what it says is not the point.
	if n > 0 {
		_, _ = try[protocol.Reverted](ui, "recovery.resolve", protocol.Recovery{Run: run, Choice: protocol.RecoverRevert})
	} else {
		_, _ = try[protocol.Reverted](ui, "run.revert", protocol.Revert{Run: run})
	}
	ui.s.Close()
	select {
	case <-mem.Dead():
		return mem.CrashClone(), run, true
	default:
		return mem, run, false
	}
}

func TestACrashInTheMiddleOfATakingBackIsOneCardWhichIsFinishedOrBroughtBack(t *testing.T) {
	before := hosttest.New(hosttest.Options{Files: boxes}).Snapshot()
	whole := hosttest.New(hosttest.Options{Files: boxes})
	begin(t, whole, free).do(boxPlan)
	after := whole.Snapshot()
	seen := 0
	for _, n := range []int{0, 10, 13} {
		for m := 1; ; m += stride(1, 4) {
			var died bool
			for _, choice := range []protocol.RecoveryChoice{protocol.RecoverRevert, protocol.RecoverBring} {
				var mem *hosttest.Memory
				var run string
				if mem, run, died = tornBack(t, n, m); !died {
					break
				}
				where := fmt.Sprintf("killed at %d, and its taking back at %d, %s", n, m, choice)
				ui, w, err := start(t, mem, free)
				if err != nil {
					t.Fatalf("%s: want no error, got %v", where, err)
				}
				cards := w.State.Recoveries
				if len(cards) > 1 || len(cards) == 1 && cards[0].Run != run {
					t.Fatalf("%s: %d cards for one run: %+v", where, len(cards), cards)
				}
				if len(cards) == 0 || cards[0].Stands != protocol.StandsTakingBack {
					continue // the taking back had not begun, or had ended
				}
				seen++
				back, err := try[protocol.Reverted](ui, "recovery.resolve", protocol.Recovery{Run: run, Choice: choice})
				if err != nil || back.Problem != nil || len(back.Conflicts) > 0 {
					t.Fatalf("%s: want no error, no Problem and no Conflicts, got %v %+v", where, err, back)
				}
				left := call[protocol.State](ui, "state", protocol.Empty{}).Recoveries
				if choice == protocol.RecoverRevert {
					if d := before.Diff(mem.Snapshot()); d != "" || len(left) > 0 {
						t.Fatalf("%s: want no difference and no left: %+v\n%s", where, left, d)
					}
					continue
				}
				if n == 0 {
					if d := after.Diff(mem.Snapshot()); d != "" || len(left) > 0 {
						t.Fatalf("%s: want no difference and no left: %+v\n%s", where, left, d)
					}
					ui.revert(run)
				} else if len(left) != 1 || left[0].Stands != protocol.StandsInterrupted {
					t.Fatalf("%s: brought back, the run is not offered as it was: %+v", where, left)
				} else {
					call[protocol.Reverted](ui, "recovery.resolve", protocol.Recovery{Run: run, Choice: protocol.RecoverRevert})
				}
				if d := before.Diff(mem.Snapshot()); d != "" {
					t.Fatalf("%s: brought back and taken back again:\n%s", where, d)
				}
			}
			if !died {
				break
			}
		}
	}
	if seen < 10/stride(1, 4) {
		t.Fatalf("%d cards of an interrupted taking back were seen", seen)
	}
}

func TestACardOffersWhatItsStandAllowsAndRefusesTheRest(t *testing.T) {
	for m := 1; ; m++ {
		mem, run, died := tornBack(t, 0, m)
		if !died {
			t.Fatal("the taking back was never cut short")
		}
		ui, w, err := start(t, mem, free)
		if err != nil {
			t.Fatal(err)
		}
		if len(w.State.Recoveries) == 0 {
			continue
		}
		card := w.State.Recoveries[0]
		if !slices.Equal(card.Choices, []protocol.RecoveryChoice{protocol.RecoverRevert, protocol.RecoverBring, protocol.RecoverKeep}) || card.Text.Key != "recovery.takingBack" || card.Kind != "run" {
			t.Fatalf("want Choices as expected, Text.Key \"recovery.takingBack\" and Kind \"run\", got %+v", card)
		}
		at := mem.Snapshot()
		if _, err := try[protocol.Reverted](ui, "recovery.resolve", protocol.Recovery{Run: run, Choice: protocol.RecoverFinish}); err == nil {
			t.Fatal("a run that had ended was finished")
		}
		if d := at.Diff(mem.Snapshot()); d != "" {
			t.Fatal("want the vault as expected; it differs:", d)
		}
		call[protocol.Reverted](ui, "recovery.resolve", protocol.Recovery{Run: run, Choice: protocol.RecoverKeep})
		if left := call[protocol.State](ui, "state", protocol.Empty{}).Recoveries; len(left) > 0 {
			t.Fatalf("left, and still offered: %+v", left)
		}
		if d := at.Diff(mem.Snapshot()); d != "" {
			t.Logf("a half-written note was put right:\n%s", d)
		}
		return
	}
}

// heldHere lists the runs that a core holds although nothing carries them out.
func heldHere(t *testing.T, ui *panel) []string {
	t.Helper()
	ids, err := ui.s.runs.IDs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(ids, func(id string) bool { return ui.s.runs.Lease(id) == nil })
}

// twoOpen gives a vault in which neither a run nor its taking back has ended.
func twoOpen(t *testing.T) (*hosttest.Memory, string) {
	t.Helper()
	for n := 1; n < 40; n++ {
		for m := 1; ; m++ {
			mem, run, died := tornBack(t, n, m)
			if !died {
				break
			}
			ui := begin(t, mem.CrashClone(), free)
			ids, err := ui.s.runs.IDs(t.Context())
			ui.s.Close()
			if err == nil && len(ids) > 1 {
				return mem, run
			}
		}
	}
	t.Fatal("a run and its taking back were never both cut short")
	return nil, ""
}

// Otherwise the run would be on no card until the next start: it would look as if
// it were carried out here.
func TestADecisionThatTheStoreRefusesHoldsNoRun(t *testing.T) {
	mem, run := twoOpen(t)
	for n := 1; ; n++ {
		again := mem.CrashClone()
		ui := begin(t, again, free)
		again.ResetCounts()
		again.FailAt(n, nil)
		_, err := try[protocol.Reverted](ui, "recovery.resolve", protocol.Recovery{Run: run, Choice: protocol.RecoverRevert})
		if held := heldHere(t, ui); len(held) > 0 {
			t.Errorf("refused at write %d (%v): %q are held", n, err, held)
		}
		if again.Counts().Ops() < n {
			return
		}
	}
}
