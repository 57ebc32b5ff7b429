// Package finding turns the results of a plan into an answer for a person:
// sentences, and tables whose cells are notes, lines in notes, tags, dates, numbers
// or text.
//
// The answer is the plan's outputs. A plan without outputs that only reads is
// answered by its last steps, those that no other step works on. An output is a value, or says more:
//
//	{"rows": "$steps.all.notes", "columns": ["path", "modified"],
//	 "one": "One note has no links.", "many": "{n} notes have no links.", "none": "Every note has a link."}
//
// The numbers are counted here, whatever a plan says. A table is whole: what is too
// large to be shown ends after a row, and its count says how many there are.
package finding

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/runner"
	"embedded-agent/wasm/internal/tool"
)

// Source holds the results of a plan, and the functions that make them fit to be
// shown.
type Source struct {
	Graph  *plan.Graph
	Report *runner.Report
	// Called has the calls by call_id.
	Called map[string]*tool.Call
	// Redact takes secrets out of a text; Location is where the person is.
	Redact   func(string) string
	Location *time.Location
	// Plan is the plan's JSON. Whole says that it was simulated from its beginning, and
	// has staged nothing.
	Plan  string
	Whole bool
}

// maxShown bounds what is shown of all tables together, in bytes.
const maxShown = 16 << 20

// Of gives what a plan found; nil for nothing. Beside the review of a plan that does
// more than read stand the outputs of its reading steps: what its writing steps give
// is true once they have run (After).
func Of(s Source) *protocol.Findings {
	parts := s.outputs(s.ofReading)
	if len(parts) == 0 && s.Graph.Risk == tool.ReadOnly {
		for _, st := range s.last() {
			parts = append(parts, s.ofStep(st))
		}
	}
	if len(parts) == 0 {
		return nil
	}
	return Within(&protocol.Findings{Parts: parts, Done: s.done(), Plan: s.Plan}, maxShown)
}

// After gives what a plan that wrote says of itself when it has run: its outputs; nil
// where it has none.
func After(s Source) *protocol.Findings {
	parts := s.outputs(func(any) bool { return true })
	if s.Graph.Risk == tool.ReadOnly || len(parts) == 0 {
		return nil
	}
	return Within(&protocol.Findings{Parts: parts, Done: true}, maxShown)
}

// done says whether the simulation has made all calls of the plan, so that nothing is
// left to approve.
func (s *Source) done() bool {
	if s.Graph.Risk != tool.ReadOnly {
		return false
	}
	left := slices.ContainsFunc(s.Graph.Nodes, func(n *plan.Node) bool { return !n.Tool.Simulable || n.Tool.Facts.MovesWindow })
	return s.Whole && !left && s.Report.Stopped == nil
}

// ofReading reports whether an output, as the plan has it, refers to no step that
// does more than read.
func (s *Source) ofReading(written any) bool {
	text, err := json.Marshal(written)
	return err == nil && !slices.ContainsFunc(s.Graph.Nodes, func(n *plan.Node) bool {
		return n.Effects.Risk() != tool.ReadOnly && refersTo(string(text), "steps."+n.Step.ID)
	})
}

// refersTo reports whether a text has a reference that does not go on as a longer name.
func refersTo(text, ref string) bool {
	for {
		_, rest, found := strings.Cut(text, ref)
		if !found {
			return false
		}
		if rest == "" || !strings.ContainsRune(nameLetters, rune(rest[0])) {
			return true
		}
		text = rest
	}
}

// nameLetters may stand in the id of a step.
const nameLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

// outputs gives the plan's own outputs that are wanted, by name.
func (s *Source) outputs(wanted func(written any) bool) []protocol.Finding {
	var out []protocol.Finding
	for _, name := range slices.Sorted(maps.Keys(s.Report.Outputs)) {
		if !wanted(s.Graph.Plan.Outputs[name]) {
			continue
		}
		out = append(out, s.output(name, s.Report.Outputs[name], s.Graph.Plan.Outputs[name]))
	}
	return out
}

// output tells one output; written is how the plan has it, before its references had
// values.
func (s *Source) output(name string, v, written any) protocol.Finding {
	said, ok := describedBy(v)
	if !ok {
		return s.value(s.Redact(name), v, s.teller(written), nil)
	}
	if w, ok := written.(map[string]any); ok {
		written = w["rows"]
	}
	f := s.value(s.Redact(name), said.rows, s.teller(written), said.columns)
	f.Words = s.Redact(said.words(f.Count))
	return f
}

// teller gives the step whose list a reference in the outputs stands for; nil for
// anything else.
func (s *Source) teller(written any) *runner.StepReport {
	ref, _ := written.(string)
	ref = strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(ref, "$"), "{"), "}")
	for _, st := range s.Report.Steps {
		if f := st.Node.Tool.Found; f != nil && ref == "steps."+st.Node.Step.ID+"."+f.List && st.Node.Step.Foreach == nil {
			return st
		}
	}
	return nil
}

// last lists the steps that no other one works on, and that found something.
func (s *Source) last() []*runner.StepReport {
	used := map[string]bool{}
	for _, st := range s.Report.Steps {
		for _, id := range st.Node.DependsOn {
			used[id] = true
		}
	}
	var out []*runner.StepReport
	for _, st := range s.Report.Steps {
		if n := st.Node; !used[n.Step.ID] && st.Output != nil && n.Effects.Risk() == tool.ReadOnly && !n.Tool.Facts.MovesWindow {
			out = append(out, st)
		}
	}
	return out
}

// ofStep tells what a step gave.
func (s *Source) ofStep(st *runner.StepReport) protocol.Finding {
	name := s.Redact(st.Node.Step.Preview)
	output, _ := asMap(st.Output)
	switch of := st.Node.Tool.Found; {
	case st.Node.Tool.Facts.Finds:
		return s.plugins(name, st, output)
	case st.Node.Step.Foreach != nil:
		return s.value(name, joined(output["items"], of), nil, columnsOf(of))
	case of != nil:
		return s.value(name, output[of.List], st, nil)
	}
	if len(output) == 1 { // one field alone needs no name
		for _, v := range output {
			return s.value(name, v, nil, nil)
		}
	}
	return s.value(name, st.Output, nil, nil)
}

// joined gives the lists that the iterations of a step found as one; where they are
// no lists, the iterations themselves.
func joined(items any, of *tool.Found) any {
	list, _ := tool.ListOf(items)
	if of == nil {
		return list
	}
	out := []any{}
	for _, e := range list {
		m, _ := asMap(e)
		found, _ := tool.ListOf(m[of.List])
		out = append(out, found...)
	}
	return out
}

// plugins tells of community plugins, which are chosen from and not sorted.
func (s *Source) plugins(name string, st *runner.StepReport, output map[string]any) protocol.Finding {
	f := s.value(name, output["plugins"], st, nil)
	var list struct {
		Plugins []protocol.Plugin `json:"plugins"`
	}
	if b, err := json.Marshal(output); err == nil && json.Unmarshal([]byte(s.Redact(string(b))), &list) == nil {
		f.Plugins, f.Columns, f.Rows = list.Plugins, nil, nil
	}
	return f
}

// described is an output that says how it is to be told.
type described struct {
	rows            any
	columns         []string
	one, many, none string
}

// describedBy reads an output that has rows, and nothing but the fields that belong
// to them.
func describedBy(v any) (described, bool) {
	m, ok := asMap(v)
	if !ok || m["rows"] == nil {
		return described{}, false
	}
	for name := range m {
		if !slices.Contains([]string{"rows", "columns", "one", "many", "none"}, name) {
			return described{}, false
		}
	}
	d := described{rows: m["rows"]}
	d.one, _ = m["one"].(string)
	d.many, _ = m["many"].(string)
	d.none, _ = m["none"].(string)
	list, _ := tool.ListOf(m["columns"])
	for _, c := range list {
		if name, ok := c.(string); ok {
			d.columns = append(d.columns, name)
		}
	}
	return d, true
}

// words gives the plan's sentence for a count; "" where it has none for it.
func (d *described) words(count int) string {
	switch count {
	case 0:
		return d.none
	case 1:
		return d.one
	}
	return d.many
}

func columnsOf(f *tool.Found) []string {
	if f == nil {
		return nil
	}
	return f.Columns
}
