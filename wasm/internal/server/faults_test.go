package server

import (
	"fmt"
	"testing"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/protocol"
)

// calm runs the workload without faults: the vault before and after, and how
// many writes the run makes of both kinds.
type calm struct {
	files         map[string]string
	plan          string
	before, after hosttest.Snapshot
	ops, writes   int
	review        func(*panel) *protocol.Review // instead of the plan; nil for that
}

// open opens the review of the workload.
func (c calm) open(ui *panel) *protocol.Review {
	ui.t.Helper()
	if c.review != nil {
		return c.review(ui)
	}
	return ui.open(c.plan)
}

func calmRun(t *testing.T, p hosttest.Profile) calm {
	t.Helper()
	c := calm{}
	c.files, c.plan = workload(t)
	mem := c.vault(p)
	c.before = mem.Snapshot()
	ui := begin(t, mem, free)
	r := ui.open(c.plan)
	if n := mem.Counts(); n.Ops() != 0 {
		t.Fatalf("the simulation wrote: %+v", n)
	}
	if d := c.before.Diff(mem.Snapshot()); d != "" {
		t.Fatalf("the simulation changed the vault:\n%s", d)
	}
	if end := ui.approve(r); end.Outcome != "ok" {
		t.Fatalf("the run ended %s: %+v", end.Outcome, end.Problem)
	}
	c.after, c.ops, c.writes = mem.Snapshot(), mem.Counts().Ops(), mem.Counts().Writes
	if c.writes < 100 {
		t.Fatalf("the workload makes %d writes, want about a hundred", c.writes)
	}
	if len(mem.StoreFiles()) > 0 {
		ui.revert(r.Run)
	}
	if d := c.before.Diff(mem.Snapshot()); d != "" {
		t.Fatalf("reverted, the vault is not what it was:\n%s", d)
	}
	return c
}

func (c calm) vault(p hosttest.Profile) *hosttest.Memory {
	return hosttest.New(hosttest.Options{Profile: p, Files: c.files, Active: "Active.md"})
}

// eachProfile runs a loop on every profile; one alone where loops are sampled
// under -short.
func eachProfile(t *testing.T, f func(t *testing.T, p hosttest.Profile, sample int)) {
	for i, p := range hosttest.Profiles() {
		if testing.Short() && i > 0 {
			return
		}
		sample := 8
		if i > 0 {
			sample = 2
		}
		t.Run(p.Name, func(t *testing.T) { f(t, p, sample) })
	}
}

func TestEveryWritingToolSimulatesRunsAndIsTakenBackByteForByte(t *testing.T) {
	for _, p := range hosttest.Profiles() {
		t.Run(p.Name, func(t *testing.T) { calmRun(t, p) })
	}
}

func TestAKillAtAnyOperationIsRecoveredAndTakenBackWhole(t *testing.T) {
	eachProfile(t, func(t *testing.T, p hosttest.Profile, sample int) {
		c := calmRun(t, p)
		for _, n := range points(c.ops, sample) {
			for _, choice := range []protocol.RecoveryChoice{protocol.RecoverRevert, protocol.RecoverKeep, protocol.RecoverFinish} {
				killed(t, c, p, n, choice)
			}
		}
	})
}

// killed lets the host die in operation n, starts again, recovers as chosen,
// and takes back what is left.
func killed(t *testing.T, c calm, p hosttest.Profile, n int, choice protocol.RecoveryChoice) {
	t.Helper()
	mem := c.vault(p)
	ui := begin(t, mem, free)
	r := c.open(ui)
	mem.KillAt(n, uint64(n)*0x9E3779B97F4A7C15, false)
	ui.approve(r)
	ui.s.Close()
	where := fmt.Sprintf("killed at operation %d of %d, %s", n, c.ops, choice)

	found := mem.CrashClone()
	sh2, w, err := start(t, found, free)
	if err != nil {
		t.Fatalf("%s: hello: %v", where, err)
	}
	runs := []string{r.Run}
	if len(w.State.Recoveries) > 0 {
		back, err := try[protocol.Reverted](sh2, "recovery.resolve", protocol.Recovery{Run: r.Run, Choice: choice})
		if err != nil || back.Problem != nil || len(back.Conflicts) > 0 {
			t.Fatalf("%s: want no error, no Problem and no Conflicts, got %v %+v", where, err, back)
		}
		switch {
		case choice == protocol.RecoverRevert:
			runs = nil
		case choice == protocol.RecoverFinish && back.Run != "":
			runs = []string{back.Run, r.Run}
			if len(back.NotUndone) == 0 {
				if d := c.after.Diff(found.Snapshot()); d != "" {
					t.Fatalf("%s: finished, the vault is not what the run makes of it:\n%s", where, d)
				}
			}
		}
		if st := call[protocol.State](sh2, "state", protocol.Empty{}); len(st.Recoveries) != 0 {
			t.Fatalf("%s: still offered: %+v", where, st.Recoveries)
		}
	} else if d := c.before.Diff(found.Snapshot()); d != "" && !c.after.Equal(found.Snapshot()) {
		t.Fatalf("%s: nothing is offered, and the vault is changed:\n%s", where, d)
	}
	for _, id := range runs {
		back, err := try[protocol.Reverted](sh2, "run.revert", protocol.Revert{Run: id})
		if err != nil && c.before.Equal(found.Snapshot()) {
			continue // it had not begun
		}
		if err != nil || back.Problem != nil || len(back.Conflicts) > 0 {
			t.Fatalf("%s: revert: %v %+v", where, err, back)
		}
	}
	if d := c.before.Diff(found.Snapshot()); d != "" {
		t.Fatalf("%s: taken back, the vault is not what it was:\n%s", where, d)
	}
}

func TestAFailureAtAnyOperationIsTakenBackWhole(t *testing.T) {
	eachProfile(t, func(t *testing.T, p hosttest.Profile, sample int) {
		c := calmRun(t, p)
		for _, n := range points(c.ops, sample*2) {
			failed(t, c, p, n)
		}
	})
}

// failed fills the disk before operation n, makes room again, and takes the run
// back: by recovery where its end could not be written, else by revert.
func failed(t *testing.T, c calm, p hosttest.Profile, n int) {
	t.Helper()
	mem := c.vault(p)
	ui := begin(t, mem, free)
	r := c.open(ui)
	mem.FailAt(n, nil)
	end := ui.approve(r)
	mem.FailAt(0, nil)
	where := fmt.Sprintf("the disk was full at operation %d of %d", n, c.ops)
	if end.Outcome == "ok" && end.Problem == nil && n < c.writes {
		t.Fatalf("%s: the run ended ok", where)
	}
	sh2, w, err := start(t, mem, free)
	if err != nil {
		t.Fatalf("%s: hello: %v", where, err)
	}
	if len(w.State.Recoveries) > 0 {
		back, err := try[protocol.Reverted](sh2, "recovery.resolve", protocol.Recovery{Run: r.Run, Choice: protocol.RecoverRevert})
		if err != nil || back.Problem != nil || len(back.Conflicts) > 0 {
			t.Fatalf("%s: want no error, no Problem and no Conflicts, got %v %+v", where, err, back)
		}
	} else if !c.before.Equal(mem.Snapshot()) {
		back, err := try[protocol.Reverted](sh2, "run.revert", protocol.Revert{Run: r.Run})
		if err != nil || back.Problem != nil || len(back.Conflicts) > 0 {
			t.Fatalf("%s: revert: %v %+v", where, err, back)
		}
	}
	if d := c.before.Diff(mem.Snapshot()); d != "" {
		t.Fatalf("%s: taken back, the vault is not what it was:\n%s", where, d)
	}
}
