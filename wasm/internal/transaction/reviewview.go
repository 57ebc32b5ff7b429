package transaction

import (
	"context"
	"encoding/json"
	"slices"

	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/policy"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/runner"
	"embedded-agent/wasm/internal/tool"
)

// reviewOf makes what the person sees. Everything in it is computed from the
// simulation, nothing from the plan's own words about itself.
func (t *Transactions) reviewOf(ctx context.Context, se *Review, pol *policy.Policy) (*protocol.Review, error) {
	r, err := Files(ctx, se)
	if err != nil {
		return nil, err
	}
	r.Title = se.title
	r.DryRun, r.Plan, r.Warnings = se.DryRun, string(se.raw), append(canon.List(r.Warnings), se.Warnings...)
	r.Steps, r.Calls = t.stepPreviews(se)
	r.Summary = append(r.Summary, planLines(r.Summary, se)...)
	r.Outputs = t.outputs(se)
	step, failure := se.Report.Failure()
	if failure == nil && se.Report.Stopped != nil {
		step, failure = refused(se.Report), se.Report.Stopped
	}
	if failure != nil {
		r.Problem = t.deps.Out.ProblemOf(failure)
	}
	if step != nil {
		r.Problem.Step, r.Problem.Tool = step.Node.Step.ID, step.Node.Tool.Name
	}
	// A failure that the plan says to skip is shown, and is no reason to refuse.
	r.Stopped = se.Report.Stopped != nil
	r.Approvable = !se.DryRun && !r.Stopped
	if failure == nil && len(se.Changes) == 0 && se.graph.Risk == tool.RiskWrites {
		r.Warnings = append(r.Warnings, protocol.Message{Key: "review.nothing"})
	}
	return r, nil
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
func (t *Transactions) stepPreviews(se *Review) ([]protocol.StepPreview, int) {
	var out []protocol.StepPreview
	total := 0
	for _, st := range se.Report.Steps {
		n := st.Node
		args, err := json.Marshal(n.Step.Args)
		if err != nil {
			args = []byte("{}")
		}
		p := protocol.StepPreview{
			ID: n.Step.ID, Tool: n.Tool.Name, Text: n.Step.Preview, Calls: len(st.Results),
			Args: t.deps.Out.Redact(string(args)), Simulate: n.Tool.Simulable,
			Undo: n.Tool.SideEffects != tool.Commands,
		}
		p.Cut = cutOf(se, st)
		total += len(st.Results)
		if st.Cause != nil && st.Status != tool.OK {
			p.Problem = t.deps.Out.ProblemOf(st.Cause)
			if st.CauseStep != "" {
				p.Problem = t.deps.Out.ProblemOf(fault.New(fault.Precondition, "run.skippedBecause", fault.P{"step": st.CauseStep, "cause": st.Cause.Error()}))
			}
			p.Problem.Step, p.Problem.Tool = n.Step.ID, n.Tool.Name
		}
		out = append(out, p)
	}
	return canon.List(out), total
}

// behind says whether all calls of a step were made before, by the run that
// this one goes on with.
func (se *Review) behind(place int) bool {
	if place < se.from {
		return true
	}
	for i := range se.Report.Steps[place].Results {
		if se.prior[runner.Seq(place, i)] == nil {
			return false
		}
	}
	return len(se.prior) > 0
}

// planLines say in words what a plan does beside its changes, the most
// far-reaching first. Before are the lines of the changes.
func planLines(before []protocol.SummaryLine, se *Review) []protocol.SummaryLine {
	lines := deedLines(se)
	for _, path := range openedNotes(se) {
		lines = append(lines, protocol.SummaryLine{Tone: "open", Text: protocol.Message{Key: "review.open", Params: map[string]string{"path": path}}})
	}
	if len(before)+len(lines) == 0 && se.graph.Risk == tool.ReadOnly {
		lines = append(lines, protocol.SummaryLine{Tone: "read", Text: protocol.Message{Key: "review.readOnly"}})
	}
	return lines
}

// openedNotes lists the notes that a plan shows, as the simulation found them.
func openedNotes(se *Review) []string {
	var out []string
	for _, st := range se.Report.Steps {
		for _, r := range st.Results {
			if r == nil || !r.OK || !st.Node.Tool.Facts.OpensNote {
				continue
			}
			if c := se.Called[r.LogicalID]; c != nil {
				out = append(out, c.Args.String("path"))
			}
		}
	}
	return out
}

// maxShown bounds a value shown in the panel, in bytes.
const maxShown = 4000

// outputs shows what read-only plans found.
func (t *Transactions) outputs(se *Review) []protocol.StepOutput {
	if se.graph.Risk != tool.ReadOnly {
		return nil
	}
	var out []protocol.StepOutput
	for i, st := range se.Report.Steps {
		if i != len(se.Report.Steps)-1 || st.Output == nil {
			continue
		}
		b, err := json.Marshal(st.Output)
		if err != nil {
			continue
		}
		out = append(out, protocol.StepOutput{Step: st.Node.Step.ID, Tool: st.Node.Tool.Name, JSON: t.deps.Out.Redact(history.Shorten(string(b), maxShown))})
	}
	return out
}
