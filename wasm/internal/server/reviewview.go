package server

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/policy"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/runner"
	"embedded-agent/wasm/internal/tool"
)

func itoa(n int) string { return strconv.Itoa(n) }

// reviewOf makes what the person sees. Everything in it is computed from the
// simulation, nothing from the plan's own words about itself.
func (s *Server) reviewOf(ctx context.Context, se *session, pol *policy.Policy) (*protocol.Review, error) {
	r, err := reviewFiles(ctx, se)
	if err != nil {
		return nil, err
	}
	r.Title = se.title
	r.DryRun, r.Plan, r.Warnings = se.dryRun, string(se.raw), append(nonNil(r.Warnings), se.warnings...)
	r.Steps, r.Calls = s.stepPreviews(se)
	r.Summary = append(r.Summary, planLines(r.Summary, se)...)
	r.Outputs = s.outputs(se)
	step, failure := se.report.Failure()
	if failure == nil && se.report.Stopped != nil {
		step, failure = refused(se.report), se.report.Stopped
	}
	if failure != nil {
		r.Problem = s.problemOf(failure)
	}
	if step != nil {
		r.Problem.Step, r.Problem.Tool = step.Node.Step.ID, step.Node.Tool.Name
	}
	// A failure that the plan says to skip is shown, and is no reason to refuse.
	r.Stopped = se.report.Stopped != nil
	r.Approvable = !se.dryRun && !r.Stopped
	if failure == nil && len(se.changes) == 0 && se.graph.Risk == tool.RiskWrites {
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

func nonNil[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// stepPreviews lists the steps as they were simulated, and counts the calls.
func (s *Server) stepPreviews(se *session) ([]protocol.StepPreview, int) {
	var out []protocol.StepPreview
	total := 0
	for _, st := range se.report.Steps {
		n := st.Node
		args, err := json.Marshal(n.Step.Args)
		if err != nil {
			args = []byte("{}")
		}
		p := protocol.StepPreview{
			ID: n.Step.ID, Tool: n.Tool.Name, Text: n.Step.Preview, Calls: len(st.Results),
			Args: s.redact(string(args)), Simulate: n.Tool.Simulable,
			Undo: n.Tool.SideEffects != tool.Commands,
		}
		p.Cut = cutOf(se, st)
		total += len(st.Results)
		if st.Cause != nil && st.Status != tool.OK {
			p.Problem = s.problemOf(st.Cause)
			if st.CauseStep != "" {
				p.Problem = s.problemOf(fault.New(fault.Precondition, "run.skippedBecause", fault.P{"step": st.CauseStep, "cause": st.Cause.Error()}))
			}
			p.Problem.Step, p.Problem.Tool = n.Step.ID, n.Tool.Name
		}
		out = append(out, p)
	}
	return nonNil(out), total
}

// behind says whether all calls of a step were made before, by the run that
// this one goes on with.
func (se *session) behind(place int) bool {
	if place < se.from {
		return true
	}
	for i := range se.report.Steps[place].Results {
		if se.prior[runner.Seq(place, i)] == nil {
			return false
		}
	}
	return len(se.prior) > 0
}

// planLines say in words what a plan does beside its changes, the most
// far-reaching first. Before are the lines of the changes.
func planLines(before []protocol.SummaryLine, se *session) []protocol.SummaryLine {
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
func openedNotes(se *session) []string {
	var out []string
	for _, st := range se.report.Steps {
		for _, r := range st.Results {
			if r == nil || !r.OK || !st.Node.Tool.Facts.OpensNote {
				continue
			}
			if c := se.called[r.LogicalID]; c != nil {
				out = append(out, c.Args.String("path"))
			}
		}
	}
	return out
}

// maxShown bounds a value shown in the panel, in bytes.
const maxShown = 4000

// outputs shows what read-only plans found.
func (s *Server) outputs(se *session) []protocol.StepOutput {
	if se.graph.Risk != tool.ReadOnly {
		return nil
	}
	var out []protocol.StepOutput
	for i, st := range se.report.Steps {
		if i != len(se.report.Steps)-1 || st.Output == nil {
			continue
		}
		b, err := json.Marshal(st.Output)
		if err != nil {
			continue
		}
		out = append(out, protocol.StepOutput{Step: st.Node.Step.ID, Tool: st.Node.Tool.Name, JSON: s.redact(shorten(string(b), maxShown))})
	}
	return out
}

// shorten cuts a text at a character.
func shorten(t string, n int) string {
	if len(t) <= n {
		return t
	}
	return strings.ToValidUTF8(t[:n], "") + "…"
}
