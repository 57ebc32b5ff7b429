package server

import (
	"strings"
	"testing"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/protocol"
)

// countingPlan writes, and says of itself what came of it.
const countingPlan = `{"goal":"Add a line","assumptions":[],"outputs":{"done":{"rows":"$steps.add.items","columns":["path"],"many":"{n} notes have the line now.","one":"One note has the line now."}},"steps":[
{"id":"find","tool":"vault.listFiles","args":{"folder":"Notes"}},
{"id":"add","tool":"vault.appendFile","foreach":{"from":"$steps.find.files","itemName":"f"},"args":{"path":"{f.path}","content":"a line"}}]}`

func TestAPlanThatWritesShowsItsOutputsWhenItHasRun(t *testing.T) {
	r := newRig(t, sortedVault(3), free, nil)
	p := r.openPlan(countingPlan)
	if p.Findings != nil {
		t.Errorf("before the run it says %+v", p.Findings)
	}
	amended := call[protocol.Review](r.panel, "review.amend", protocol.Amendment{Run: p.Run, Kind: protocol.AmendDrop, Path: "Notes/01.md"})
	call[protocol.RunRef](r.panel, "review.approve", protocol.Approve{Run: p.Run, Approval: amended.Approval})
	end := r.finished()
	if end.Outcome != "ok" || end.Findings == nil || len(end.Findings.Parts) != 1 || end.Findings.Parts[0].Words != "{n} notes have the line now." || end.Findings.Parts[0].Count != 2 || len(end.Findings.Parts[0].Rows) != 2 {
		t.Fatalf("want Outcome \"ok\", Findings set, 1 Findings.Parts, Findings.Parts[0].Words \"{n} notes have the line now.\", Findings.Parts[0].Count 2 and 2 Findings.Parts[0].Rows, got %s, %+v", end.Outcome, end.Findings)
	}
	if end.Findings.Plan != "" || !end.Findings.Done {
		t.Errorf("want no Findings.Plan and Findings.Done true, got %+v", end.Findings)
	}
}

func TestAWritingPlanShowsBesideItsReviewOnlyWhatItRead(t *testing.T) {
	r := newRig(t, sortedVault(3), free, nil)
	both := strings.Replace(countingPlan, `"outputs":{`, `"outputs":{"found":"$steps.find.files","added":"$steps.find2.count",`, 1)
	both = strings.Replace(both, `"steps":[`, `"steps":[{"id":"find2","tool":"vault.appendFile","args":{"path":"Notes/00.md","content":"x"}},`, 1)
	both = strings.Replace(both, "$steps.find2.count", "$steps.find2.path", 1)
	p := r.openPlan(both)
	if p.Findings == nil || p.Findings.Done || len(p.Findings.Parts) != 1 || p.Findings.Parts[0].Name != "found" {
		t.Fatalf("want the output of the reading step alone beside the review, got %+v, %+v", p.Findings, p.Problem)
	}
	call[protocol.RunRef](r.panel, "review.approve", protocol.Approve{Run: p.Run, Approval: p.Approval})
	if end := r.finished(); end.Findings == nil || len(end.Findings.Parts) != 3 {
		t.Errorf("want all 3 outputs after the run, got %+v", end.Findings)
	}
}

func TestARunThatFailsSaysNothingOfItself(t *testing.T) {
	mem := sortedVault(2)
	r := newRig(t, mem, free, nil)
	p := r.openPlan(countingPlan)
	mem.FailAt(1, fault.New(fault.Internal, "error.internal", nil))
	call[protocol.RunRef](r.panel, "review.approve", protocol.Approve{Run: p.Run, Approval: p.Approval})
	if end := r.finished(); end.Outcome == "ok" || end.Findings != nil {
		t.Errorf("want Outcome other than \"ok\" and no Findings, got %s, %+v", end.Outcome, end.Findings)
	}
}
