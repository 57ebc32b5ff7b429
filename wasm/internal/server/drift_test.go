package server

import (
	"fmt"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/protocol"
)

// justBefore does something to a vault right before the next write of any kind:
// when a run has begun and has written nothing yet.
func justBefore(mem *hosttest.Memory, f func()) {
	mem.BeforeWrite(mem.Counts().Ops()+1, f)
}

// approveAnyway approves a review, and where the vault has drifted the one that
// is shown then; nil when there is nothing to approve any more.
func (ui *panel) approveAnyway(r *protocol.Review) *protocol.RunState {
	ui.t.Helper()
	_, err := try[protocol.RunRef](ui, "review.approve", protocol.Approve{Run: r.Run, Approval: r.Approval})
	if fault.Is(err, fault.Conflict) {
		now := call[protocol.Review](ui, "review.get", protocol.RunRef{Run: r.Run})
		if !now.Approvable {
			return nil
		}
		return ui.approve(&now)
	}
	if err != nil {
		ui.t.Fatal(err)
	}
	return ui.finished()
}

// drifts are ways in which the vault of editPlan can change, with the path that
// is told.
var drifts = []struct {
	name, path string
	drift      func(m *hosttest.Memory)
	write      map[string]string // what a run has written when it finds it in its middle
}{
	{"the first note was edited", "A.md", func(m *hosttest.Memory) { m.Put("A.md", "mine two six") }, nil},
	{"the first note is gone", "A.md", func(m *hosttest.Memory) { m.Delete("A.md") }, nil},
	{"a later note was edited", "B.md", func(m *hosttest.Memory) { m.Put("B.md", "mine") }, map[string]string{"A.md": "one\nTWO\nthree\nfour\nfive\nSIX\nseven\n"}},
	{"a name was taken", "D.md", func(m *hosttest.Memory) { m.Put("D.md", "mine") }, map[string]string{"A.md": "one\nTWO\nthree\nfour\nfive\nSIX\nseven\n", "B.md": "b\nmore\n"}},
	{"a single byte", "A.md", func(m *hosttest.Memory) { m.Put("A.md", twoNotes["A.md"]+" ") }, nil},
	{"as long as before", "B.md", func(m *hosttest.Memory) { m.Put("B.md", "x\n") }, map[string]string{"A.md": "one\nTWO\nthree\nfour\nfive\nSIX\nseven\n"}},
	{"unsaved text in the editor", "A.md", func(m *hosttest.Memory) { m.OpenNote("A.md"); m.Type("A.md", "typing two six") }, nil},
}

func TestADriftBeforeTheRunIsAConflictAndTheReviewIsMadeAnew(t *testing.T) {
	for _, c := range drifts {
		t.Run(c.name, func(t *testing.T) {
			mem := hosttest.New(hosttest.Options{Files: twoNotes})
			ui := begin(t, mem, free)
			r := ui.open(editPlan)
			c.drift(mem)
			before := mem.Snapshot()
			_, err := try[protocol.RunRef](ui, "review.approve", protocol.Approve{Run: r.Run, Approval: r.Approval})
			if !fault.Is(err, fault.Conflict) || fault.From(err).Params["paths"] != c.path {
				t.Fatalf("want the error fault.Conflict and Params[\"paths\"] as in the case, got %v", err)
			}
			if n := mem.Counts().Ops(); n != 0 || before.Diff(mem.Snapshot()) != "" {
				t.Fatalf("%d writes", n)
			}
			now := ui.await("the review anew", func(e protocol.Event) bool { return e.Type == protocol.EventReviewChanged }).Review
			if now.Approval == r.Approval || len(now.Warnings) != 1 || now.Warnings[0].Key != "review.drifted" || now.Warnings[0].Params["paths"] != c.path {
				t.Fatalf("want Approval other than r.Approval, 1 Warnings, Warnings[0].Key \"review.drifted\" and Warnings[0].Params[\"paths\"] as in the case, got %+v", now)
			}
			if _, err := try[protocol.RunRef](ui, "review.approve", protocol.Approve{Run: r.Run, Approval: r.Approval}); err == nil {
				t.Fatal("the approval of before was taken")
			}
			if !now.Approvable {
				return
			}
			shown := ui.shown(now)
			if end := ui.approve(now); end.Outcome != "ok" {
				t.Fatalf("want Outcome \"ok\", got %s %+v", end.Outcome, end.Problem)
			}
			for path, v := range shown {
				if got := ui.text(path); got != v.After {
					t.Errorf("%s: shown %q, written %q", path, v.After, got)
				}
			}
			ui.revert(r.Run)
			if v, ok := shown["A.md"]; ok {
				before["A.md"] = []byte(v.Before) // also where that was in the editor only
			}
			if d := before.Diff(mem.Snapshot()); d != "" {
				t.Errorf("reverted:\n%s", d)
			}
		})
	}
}

func TestADriftIsAConflictAndNothingFurtherIsWritten(t *testing.T) {
	for _, c := range drifts {
		t.Run(c.name, func(t *testing.T) {
			mem := hosttest.New(hosttest.Options{Files: twoNotes})
			ui := begin(t, mem, free)
			r := ui.open(editPlan)
			var drifted hosttest.Snapshot
			justBefore(mem, func() {
				c.drift(mem)
				drifted = mem.Snapshot()
			})
			end := ui.approve(r)
			if end.Outcome != "conflict" || end.Problem == nil || end.Problem.Code != protocol.ProblemCode(fault.Conflict) {
				t.Fatalf("want Outcome \"conflict\", Problem set and Problem.Code fault.Conflict, got %s %+v", end.Outcome, end.Problem)
			}
			for p, text := range c.write {
				drifted[p] = []byte(text)
			}
			if d := drifted.Diff(mem.Snapshot()); d != "" {
				t.Fatalf("written all the same:\n%s", d)
			}
		})
	}
}

func TestAConflictInTheMiddleOfARunCanBeSimulatedAgain(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: twoNotes})
	ui := begin(t, mem, free)
	r := ui.open(editPlan)
	justBefore(mem, func() { mem.Put("B.md", "mine\n") })
	end := ui.approve(r)
	if end.Outcome != "conflict" || !end.Can.Rest {
		t.Fatalf("want Outcome \"conflict\" and Can.Rest true, got %s %+v", end.Outcome, end.Can)
	}
	ref := call[protocol.RunRef](ui, "run.rest", protocol.RunRef{Run: end.Run})
	rest := call[protocol.Review](ui, "review.get", ref)
	if last := ui.approve(&rest); last.Outcome != "ok" || ui.text("B.md") != "mine\nmore\n" || ui.text("A.md") != "one\nTWO\nthree\nfour\nfive\nSIX\nseven\n" {
		t.Fatalf("%s: want Outcome \"ok\", B.md \"mine\\nmore\\n\" and A.md \"one\\nTWO\\nthree\\nfour\\nfive\\nSIX\\nseven\\n\", got %v", last.Outcome, mem.Snapshot())
	}
}

func TestAReviewIsApprovedWithoutReadingWhatTheHostSaysIsUnchanged(t *testing.T) {
	files := map[string]string{}
	for i := range 40 {
		files[fmt.Sprintf("N/%02d.md", i)] = "text\n"
	}
	var names []string
	for name := range files {
		names = append(names, quote(name))
	}
	mem := hosttest.New(hosttest.Options{Files: files})
	ui := begin(t, mem, free)
	r := ui.open(planOf("many", `{"id":"a","tool":"vault.appendFile","args":{"path":"{n}","content":"more"},"foreach":{"from":[`+strings.Join(names, ",")+`],"itemName":"n"}}`))
	mem.ResetCounts()
	if end := ui.approve(r); end.Outcome != "ok" {
		t.Fatal("want Outcome \"ok\", got:", end.Problem)
	}
	if n := mem.Counts().Reads; n > 10 {
		t.Errorf("%d reads for a changeset of 40 unchanged notes in one folder", n)
	}

	// What has changed among them is found all the same.
	r = ui.open(planOf("many", `{"id":"a","tool":"vault.appendFile","args":{"path":"{n}","content":"more"},"foreach":{"from":[`+strings.Join(names, ",")+`],"itemName":"n"}}`))
	mem.Put("N/07.md", "TEXT\nmore\n") // as long as it was
	_, err := try[protocol.RunRef](ui, "review.approve", protocol.Approve{Run: r.Run, Approval: r.Approval})
	if !fault.Is(err, fault.Conflict) || fault.From(err).Params["paths"] != "N/07.md" {
		t.Fatal(err)
	}
}
