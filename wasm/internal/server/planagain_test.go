package server

import (
	"testing"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/protocol"
)

func TestAPlanWhoseReviewWasLostIsSimulatedAgainWithoutAModel(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: twoNotes})
	ui := begin(t, mem, free)
	lost := ui.open(editPlan)
	ui.s.Close()
	mem.Put("B.md", "b\nmeanwhile\n")
	// There is no turn for a model here, and nothing is asked beforehand.
	never := free
	never.Confirm = "never"
	ui = newPanel(t, mem, never)
	again := call[protocol.RunRef](ui, "review.open", protocol.PlanAgain{Plan: lost.Plan})
	r := ui.await("the review", func(e protocol.Event) bool { return e.Type == protocol.EventReviewOpened }).Review
	if r.Run != again.Run || r.Run == lost.Run || !r.Approvable || r.Goal != lost.Goal || len(r.Files) != len(lost.Files) {
		t.Fatalf("want Run again.Run, Run other than lost.Run, a review that can be approved, Goal lost.Goal and as many Files as len(lost.Files), got %+v", r)
	}
	if ui.text("B.md") != "b\nmeanwhile\n" {
		t.Fatal("it ran without a yes")
	}
	if _, err := try[protocol.RunRef](ui, "review.approve", protocol.Approve{Run: r.Run, Approval: lost.Approval}); err == nil {
		t.Error("a yes to the review that was lost counts for the new one")
	}
	if end := ui.approve(r); end.Outcome != protocol.OutcomeOK || ui.text("B.md") != "b\nmeanwhile\nmore\n" {
		t.Errorf("want Outcome protocol.OutcomeOK and B.md \"b\\nmeanwhile\\nmore\\n\", got %+v, %q", end, ui.text("B.md"))
	}
}

func TestALostDryRunStaysOneAndABrokenPlanIsRefused(t *testing.T) {
	ui := begin(t, hosttest.New(hosttest.Options{Files: twoNotes}), free)
	again := call[protocol.RunRef](ui, "review.open", protocol.PlanAgain{Plan: editPlan, DryRun: true})
	if r := call[protocol.Review](ui, "review.get", again); !r.DryRun || r.Approvable {
		t.Errorf("want DryRun true and a review that cannot be approved, got %+v", r)
	}
	for _, broken := range []string{"", "{}", `{"goal":"x","assumptions":[],"riskLevel":"writes","steps":[{"id":"a","tool":"no.such","args":{}}]}`} {
		if _, err := try[protocol.RunRef](ui, "review.open", protocol.PlanAgain{Plan: broken}); err == nil {
			t.Errorf("%q was opened", broken)
		}
	}
}

func TestWhatALostPlanWouldSendIsAskedAbout(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: twoNotes})
	ui := begin(t, mem, free)
	again := call[protocol.RunRef](ui, "review.open", protocol.PlanAgain{Plan: editPlan})
	se, err := ui.s.tx.Open(again.Run)
	if err != nil {
		t.Fatal(err)
	}
	if se.OwnWords || !se.MustAsk {
		t.Error("a plan that a model may have made of notes counts as the person's own words")
	}
}
