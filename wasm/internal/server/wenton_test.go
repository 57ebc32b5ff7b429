package server

import (
	"slices"
	"testing"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/protocol"
)

// wentOn gives a vault in which a run was killed at operation n and then finished,
// and the two runs; false where the run had come to its end. There are no runs
// where nothing was left to finish.
func wentOn(t *testing.T, plan string, n int) (ui *panel, first, rest string, died bool) {
	t.Helper()
	mem, run, died := interrupted(t, boxes, plan, n)
	if !died {
		return nil, "", "", false
	}
	ui, w, err := start(t, mem, free)
	if err != nil {
		t.Fatal(err)
	}
	if len(w.State.Recoveries) == 0 {
		return ui, "", "", true
	}
	got := call[protocol.Reverted](ui, "recovery.resolve", protocol.Recovery{Run: run, Choice: protocol.RecoverFinish})
	if got.Run == "" {
		return ui, "", "", true
	}
	return ui, run, got.Run, true
}

func (ui *panel) lineOf(run string) protocol.RunSummary {
	ui.t.Helper()
	list := call[protocol.Runs](ui, "runs.list", protocol.RunsQuery{}).Runs
	i := slices.IndexFunc(list, func(s protocol.RunSummary) bool { return s.Run == run })
	if i < 0 {
		ui.t.Fatalf("%s is not in the history", run)
	}
	return list[i]
}

// Each write is there once, whoever made it: the second revert has nothing to tell
// of what the first has dealt with.
func TestARunAndTheOneThatWentOnWithItAreRevertedInEitherOrderWithoutAWord(t *testing.T) {
	before := hosttest.New(hosttest.Options{Files: boxes}).Snapshot()
	seen := 0
	for name, plan := range map[string]string{"boxes": boxPlan, "made and moved": madeAndMoved, "many": manyNotes} {
		for _, order := range []string{"the rest first", "the run first", "one file of the rest, and then the run"} {
			for n := 1; ; n += stride(1, 2) {
				ui, first, rest, died := wentOn(t, plan, n)
				if !died {
					break
				}
				if rest == "" {
					continue
				}
				seen++
				reverts := []protocol.Revert{{Run: rest}, {Run: first}}
				switch order {
				case "the run first":
					slices.Reverse(reverts)
				case "one file of the rest, and then the run":
					reverts[0].Path = "Z.md"
				}
				for k, r := range reverts {
					got := call[protocol.Reverted](ui, "run.revert", r)
					if told := notPutBack(got); got.Problem != nil || len(told)+len(got.Merged)+len(got.NotUndone) > 0 {
						t.Fatalf("%s, killed at %d, %s, revert %d: %q %+v", name, n, order, k, told, got)
					}
				}
				if d := before.Diff(ui.mem.Snapshot()); d != "" {
					t.Fatalf("%s, killed at %d, %s: taken back, the vault is not what it was:\n%s", name, n, order, d)
				}
				for _, run := range []string{first, rest} {
					if sum := ui.lineOf(run); sum.Can.Revert {
						t.Fatalf("%s, killed at %d, %s: nothing is left to revert, and it is offered: %+v", name, n, order, sum)
					}
				}
				ui.s.Close()
			}
		}
	}
	if seen < 10 {
		t.Fatalf("%d runs were finished", seen)
	}
}

// A revert that was reverted in turn has taken nothing back, whichever of the two
// runs it was of.
func TestWhatWasBroughtBackOfARunThatWentOnIsRevertedWithTheRun(t *testing.T) {
	before := hosttest.New(hosttest.Options{Files: boxes}).Snapshot()
	for _, bring := range []string{"run", "rest"} {
		for n := 1; ; n += stride(1, 3) {
			ui, first, rest, died := wentOn(t, boxPlan, n)
			if !died {
				break
			}
			if rest == "" {
				continue
			}
			after := ui.mem.Snapshot()
			run := map[string]string{"run": first, "rest": rest}[bring]
			brought := ui.revert(ui.revert(run).Run)
			if d := after.Diff(ui.mem.Snapshot()); d != "" {
				t.Fatalf("killed at %d, the %s: brought back it differs:\n%s", n, bring, d)
			}
			last := first
			if bring == "run" {
				last = brought.Run // the run itself has been dealt with
			}
			got := ui.revert(last)
			if told := notPutBack(got); len(told)+len(got.Merged) > 0 {
				t.Fatalf("killed at %d, the %s: %q %+v", n, bring, told, got)
			}
			if d := before.Diff(ui.mem.Snapshot()); d != "" {
				t.Fatalf("killed at %d, the %s: brought back and taken back, the vault is not what it was:\n%s", n, bring, d)
			}
			ui.s.Close()
		}
	}
}
