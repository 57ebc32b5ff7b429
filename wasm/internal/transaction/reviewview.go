package transaction

import (
	"encoding/json"
	"slices"

	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/finding"
	"embedded-agent/wasm/internal/leftout"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/runner"
	"embedded-agent/wasm/internal/tool"
)

// showPlan adds to a review what the person sees of a plan. Everything in it is
// computed from the simulation, nothing from the plan's own words about itself.
func (s *simulator) showPlan(rv *Review, view *protocol.Review) {
	view.Title = rv.title
	if kept := rv.reopened; kept != nil && (kept.Drafts.Plan != nil || len(kept.Drafts.Texts) > 0) {
		view.Drafts = &kept.Drafts
	}
	view.DryRun, view.Plan, view.Warnings = rv.DryRun, string(rv.raw), slices.Concat(canon.List(view.Warnings), rv.Warnings, onceLines(rv))
	view.Steps, view.Calls = s.stepPreviews(rv)
	view.Summary = append(view.Summary, planLines(view.Summary, rv)...)
	_, loc := s.deps.Guard.Surroundings()
	whole := rv.from == 0 && rv.prior == nil && len(rv.Vault.Log()) == 0
	view.Findings = finding.Of(finding.Source{Graph: rv.graph, Report: rv.Report, Called: rv.Called, Redact: s.deps.Out.Redact, Location: loc, Plan: string(rv.raw), Whole: whole})
	step, failure := rv.Report.Failure()
	if failure == nil && rv.Report.Stopped != nil {
		step, failure = refused(rv.Report), rv.Report.Stopped
	}
	if failure != nil {
		view.Problem = s.deps.Out.ProblemOf(failure)
	}
	if step != nil {
		view.Problem.Step, view.Problem.Tool = step.Node.Step.ID, step.Node.Tool.Name
	}
	if rv.Report.Stopped != nil {
		view.Refused, view.MayAllow = s.refusedSteps(rv)
	}
	// A failure that the plan says to skip is shown, and is no reason to refuse.
	view.Stopped = rv.Report.Stopped != nil
	allOut := len(rv.amend.Dropped) > 0 && len(rv.deeds(rv.from)) == 0
	view.Approvable = !rv.DryRun && !view.Stopped && !allOut && (view.Findings == nil || !view.Findings.Done)
	if failure == nil && !allOut && len(rv.Changes) == 0 && rv.graph.Risk == tool.RiskWrites {
		view.Warnings = append(view.Warnings, protocol.Message{Key: "review.nothing"})
	}
}

// refused finds the step that a guard did not let run: it counts as skipped, and
// ends the plan all the same.
func refused(rep *runner.Report) *runner.StepReport {
	i := slices.IndexFunc(rep.Steps, func(st *runner.StepReport) bool { return st.Cause != nil && st.CauseStep == "" })
	if i < 0 {
		return nil
	}
	return rep.Steps[i]
}

// stepPreviews lists the steps as they were simulated, and counts the calls.
func (s *simulator) stepPreviews(rv *Review) ([]protocol.StepPreview, int) {
	var out []protocol.StepPreview
	total := 0
	for _, st := range rv.Report.Steps {
		n := st.Node
		args, err := json.Marshal(n.Step.Args)
		if err != nil {
			args = []byte("{}")
		}
		p := protocol.StepPreview{
			ID: n.Step.ID, Tool: n.Tool.Name, Text: n.Step.Preview, Calls: len(st.Results),
			Args: s.deps.Out.Redact(string(args)), Simulate: n.Tool.Simulable,
			Undo: n.Tool.SideEffects != tool.Commands,
		}
		p.Notes = leftout.Notes(rv.plan, st, s.deps.Out.Redact)
		p.Cut, p.LeftOut = leftout.Cut(st, len(rv.prior) == 0), leftout.By(st, leftout.Words{Redact: s.deps.Out.Redact, Problem: s.deps.Out.ProblemOf})
		total += len(st.Results)
		if st.Cause != nil && st.Status != tool.OK {
			p.Problem = s.deps.Out.ProblemOf(st.Cause)
			if st.CauseStep != "" {
				p.Problem = s.deps.Out.ProblemOf(fault.New(fault.Precondition, "run.skippedBecause", fault.P{"step": st.CauseStep, "cause": st.Cause.Error()}))
			}
			p.Problem.Step, p.Problem.Tool = n.Step.ID, n.Tool.Name
		}
		out = append(out, p)
	}
	return canon.List(out), total
}

// behind says whether all calls of a step were made before, by the run that
// this one goes on with.
func (rv *Review) behind(place int) bool {
	if place < rv.from {
		return true
	}
	for i := range rv.Report.Steps[place].Results {
		if rv.prior[runner.Seq(place, i)] == nil {
			return false
		}
	}
	return len(rv.prior) > 0
}

// planLines say in words what a plan does beside its changes, the most
// far-reaching first. Before are the lines of the changes.
func planLines(before []protocol.SummaryLine, rv *Review) []protocol.SummaryLine {
	lines := deedLines(rv)
	for _, path := range openedNotes(rv) {
		lines = append(lines, protocol.SummaryLine{Tone: "open", Text: protocol.Message{Key: "review.open", Params: map[string]string{"path": path}}})
	}
	if len(before)+len(lines) == 0 && rv.graph.Risk == tool.ReadOnly {
		lines = append(lines, protocol.SummaryLine{Tone: "read", Text: protocol.Message{Key: "review.readOnly"}})
	}
	return lines
}

// openedNotes lists the notes that a plan shows, as the simulation found them.
func openedNotes(rv *Review) []string {
	var out []string
	for s := range rv.calls(0, everything) {
		if s.result.OK && s.step.Node.Tool.Facts.OpensNote {
			out = append(out, s.call.Args.String("path"))
		}
	}
	return out
}
