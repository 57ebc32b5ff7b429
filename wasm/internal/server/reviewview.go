package server

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/fileview"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/policy"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/runner"
	"embedded-agent/wasm/internal/sorting"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/vaultpath"
)

func itoa(n int) string { return strconv.Itoa(n) }

// reviewOf makes what the person sees. Everything in it is computed from the
// simulation, nothing from the plan's own words about itself.
func (s *Server) reviewOf(ctx context.Context, se *session, pol *policy.Policy) (*protocol.Review, error) {
	r := &protocol.Review{
		Run: se.id, Goal: se.plan.Goal, Title: se.title, Assumptions: nonNil(se.plan.Assumptions),
		Risk: string(se.graph.Risk), DryRun: se.dryRun, Plan: string(se.raw),
		Amended: !se.amend.Empty(), Warnings: slices.Clone(nonNil(se.warnings)),
	}
	for _, c := range se.changes {
		if c.Status == overlay.Rename && vaultpath.Ext(c.From) != vaultpath.Ext(c.Path) {
			var err error
			if c, err = wholeRename(ctx, se, c); err != nil {
				return nil, err
			}
		}
		r.Files = append(r.Files, fileChange(c, se))
	}
	r.Files = withDropped(r.Files, se)
	r.Steps, r.Calls = s.stepPreviews(se)
	r.Summary = summarise(r.Files, se)
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
	r.Approval = approvalOf(se)
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

// fileChange describes one path of the changeset.
func fileChange(c overlay.Change, se *session) protocol.FileChange {
	f := fileview.Row(c)
	_, f.Edited = se.amend.Edits[c.Path]
	return f
}

// wholeRename gives a file that is only renamed its bytes: what is shown of it,
// and what its new name makes of it, depends on them.
func wholeRename(ctx context.Context, se *session, c overlay.Change) (overlay.Change, error) {
	if c.Status != overlay.Rename || c.Kind == host.Folder || c.Before != nil || c.After != nil {
		return c, nil
	}
	data, err := se.base.Read(ctx, c.From)
	if err != nil {
		return c, err
	}
	c.Before, c.After = data, data
	return c, nil
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

// withDropped adds the files that the person has left out, and sorts them all by
// path.
func withDropped(files []protocol.FileChange, se *session) []protocol.FileChange {
	for path, c := range se.dropped {
		if se.amend.Dropped[path] {
			f := fileChange(c, se)
			f.Dropped = true
			files = append(files, f)
		}
	}
	sorting.Func(files, func(a, b protocol.FileChange) int { return strings.Compare(a.Path, b.Path) })
	return nonNil(files)
}

// summarise says the changeset in words, the most far-reaching last.
func summarise(files []protocol.FileChange, se *session) []protocol.SummaryLine {
	lines := append(changeLines(files), runLines(files, se)...)
	lines = append(lines, deedLines(se)...)
	for _, path := range openedNotes(se) {
		lines = append(lines, protocol.SummaryLine{Tone: "open", Text: protocol.Message{Key: "review.open", Params: map[string]string{"path": path}}})
	}
	if len(lines) == 0 && se.graph.Risk == tool.ReadOnly {
		lines = append(lines, protocol.SummaryLine{Tone: "read", Text: protocol.Message{Key: "review.readOnly"}})
	}
	return lines
}

// openedNotes lists the notes that a plan shows, as the simulation found them.
func openedNotes(se *session) []string {
	var out []string
	for _, st := range se.report.Steps {
		for _, r := range st.Results {
			if r == nil || !r.OK || r.Tool != "workspace.openFile" {
				continue
			}
			if c := se.called[r.LogicalID]; c != nil {
				out = append(out, c.Args.String("path"))
			}
		}
	}
	return out
}

// runLines says how many files would get what may run or load by itself.
func runLines(files []protocol.FileChange, se *session) []protocol.SummaryLine {
	var runs, loads, hosts []string
	for _, f := range files {
		if f.Dropped {
			continue
		}
		if f.Runs > 0 {
			runs = append(runs, f.Path)
		}
		if f.Loads > 0 {
			loads = append(loads, f.Path)
			if i := slices.IndexFunc(se.changes, func(c overlay.Change) bool { return c.Path == f.Path }); i >= 0 && len(hosts) <= maxHosts {
				hosts = append(hosts, fileview.Hosts(se.changes[i])...)
			}
		}
	}
	var out []protocol.SummaryLine
	if len(runs) > 0 {
		out = append(out, protocol.SummaryLine{Tone: "runs", Paths: runs, Text: protocol.Message{
			Key: "review.runs", Params: map[string]string{"n": itoa(len(runs)), "path": runs[0]},
		}})
	}
	if len(loads) > 0 {
		slices.Sort(hosts)
		if hosts = slices.Compact(hosts); len(hosts) > maxHosts {
			hosts = append(hosts[:maxHosts], "…")
		}
		out = append(out, protocol.SummaryLine{Tone: "runs", Paths: loads, Text: protocol.Message{
			Key: "review.loads", Params: map[string]string{"n": itoa(len(loads)), "path": loads[0], "hosts": strings.Join(hosts, ", ")},
		}})
	}
	return out
}

// maxHosts is how many hosts a line of the summary names; the files name all.
const maxHosts = 5

// changeLines says changes in words.
func changeLines(files []protocol.FileChange) []protocol.SummaryLine {
	lines := []protocol.SummaryLine{}
	for _, g := range []struct{ status, tone string }{
		{"mkdir", "folder"},
		{"create", "create"},
		{"modify", "modify"},
		{"links", "modify"},
		{"rename", "rename"},
		{"trash", "delete"},
		{"rmdir", "delete"},
	} {
		var paths []string
		for _, f := range files {
			status := f.Status
			if f.LinksOnly {
				status = "links"
			}
			if status == g.status && !f.Dropped {
				paths = append(paths, f.Path)
			}
		}
		if len(paths) > 0 {
			lines = append(lines, summaryLine(g.status, g.tone, paths))
		}
	}
	return lines
}

func summaryLine(status, tone string, paths []string) protocol.SummaryLine {
	p := map[string]string{"n": itoa(len(paths)), "path": paths[0]}
	key := "review." + status
	if folder, one := commonFolder(paths); one && status == "create" {
		p["folder"] = folder
		key = "review.createUnder"
		if folder == "" {
			key = "review.create"
		}
	}
	return protocol.SummaryLine{Tone: tone, Paths: paths, Text: protocol.Message{Key: key, Params: p}}
}

func commonFolder(paths []string) (string, bool) {
	folder := vaultpath.Parent(paths[0])
	for _, p := range paths[1:] {
		if vaultpath.Parent(p) != folder {
			return "", false
		}
	}
	return folder, true
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
