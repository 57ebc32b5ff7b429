package saved

import (
	"slices"
	"strings"

	"embedded-agent/wasm/internal/action"
	"embedded-agent/wasm/internal/outbox"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/reach"
	"embedded-agent/wasm/internal/tool"
)

// Views lists actions as the panel shows them.
func (s *Saved) Views(list []*action.Action) []protocol.Action {
	out := make([]protocol.Action, 0, len(list))
	for _, a := range list {
		out = append(out, s.view(a))
	}
	return out
}

// view shows an action. A bundled one is taken to fit the tools, as tests
// prove, so that the list costs little at the start.
func (s *Saved) view(a *action.Action) protocol.Action {
	v, _, _ := s.lookAt(a, !a.Bundled())
	return v
}

// lookAt gives an action as the panel shows it, with its plan and what is wrong
// with that, if check says so; the plan is nil for a prompt, and for one that
// cannot be read.
func (s *Saved) lookAt(a *action.Action, check bool) (protocol.Action, *plan.Plan, []plan.Problem) {
	v := protocol.Action{
		ID: a.ID, Name: a.Name, Icon: a.Icon, Fields: []protocol.Field{}, Risk: protocol.RiskCommands,
		Kind: action.KindPlan, Group: a.Group, Ribbon: a.Ribbon, Bundled: a.Bundled(), NeedsModel: a.Plan == nil,
	}
	p, err := a.Template()
	if err != nil {
		v.Warnings = []protocol.Message{{Key: "action.broken"}}
		return v, nil, nil
	}
	v.Goal, v.Kind = p.Goal, protocol.ActionKind(a.KindOf(p))
	for _, f := range a.Fields(p) {
		v.Fields = append(v.Fields, fieldOf(f))
	}
	if v.NeedsModel {
		v.Risk = protocol.RiskReadOnly // what it leads to is reviewed as its own plan
		return v, nil, nil
	}
	v.NeedsModel = slices.ContainsFunc(p.Steps, s.asksModel)
	if !check {
		v.Risk = protocol.Risk(reach.RiskOf(p, s.deps.Registry))
		return v, p, nil
	}
	g, problems := s.checkTemplate(p)
	if g == nil || plan.Failed(problems) {
		v.Warnings = append(toolWarnings(s.deps.Registry, p), protocol.Message{Key: "action.outdated"})
		return v, p, problems
	}
	v.Warnings, v.Risk = outbox.Warnings(problems), protocol.Risk(g.Risk)
	return v, p, problems
}

// checkTemplate holds an action's plan against the tools, its parameters
// unknown.
func (s *Saved) checkTemplate(p *plan.Plan) (*plan.Graph, []plan.Problem) {
	rules := s.deps.Guard.Rules()
	rules.Template = true
	return plan.Check(p, s.deps.Registry, rules)
}

// asksModel says whether a step asks a model while it is simulated.
func (s *Saved) asksModel(step plan.Step) bool {
	name, _, _ := strings.Cut(step.Tool, "@")
	e, err := s.deps.Registry.Get(name, "")
	return err == nil && e.Facts.AsksModel
}

// toolWarnings names the tools that are not there in the version that an action
// pins.
func toolWarnings(reg *tool.Registry, p *plan.Plan) []protocol.Message {
	var out []protocol.Message
	for i := range p.Steps {
		if name, version := pinned(&p.Steps[i]); toolGone(reg, name, version) {
			m := protocol.Message{Key: "action.toolGone", Params: map[string]string{"step": p.Steps[i].ID, "tool": name}}
			if version != "" {
				m.Params["tool"] += "@" + version
			}
			out = append(out, m)
		}
	}
	return out
}

// pinned gives a step's tool and the version it asks for, "" for any.
func pinned(s *plan.Step) (name, version string) {
	name, version, _ = strings.Cut(s.Tool, "@")
	if s.Version != "" {
		version = s.Version
	}
	return name, version
}

func toolGone(reg *tool.Registry, name, version string) bool {
	_, err := reg.Get(name, version)
	return err != nil
}

func fieldOf(p action.Param) protocol.Field {
	f := protocol.Field{Name: p.Name, Kind: protocol.FieldKind(p.Kind), Value: p.Value, Choices: p.Choices, Optional: p.Optional, Label: labelOf(p)}
	if f.Value == "" && len(p.Choices) > 0 {
		f.Value = p.Choices[0]
	}
	return f
}

// labelOf names a field for the person: by its own words, by what a known
// parameter is, or by the value that it had when the action was saved.
func labelOf(p action.Param) protocol.Message {
	switch {
	case action.IsBundledLabel(p.Label):
		return protocol.Message{Key: p.Label}
	case p.Name == action.Selection || p.Name == action.SelectionBullets:
		return protocol.Message{Key: "field.selection"}
	case p.Name == action.ActiveNote:
		return protocol.Message{Key: "field.note"}
	case p.Name == action.Today:
		return protocol.Message{Key: "field.date"}
	case p.Name == "folderName":
		return protocol.Message{Key: "field.folder"}
	case p.Value != "" && action.Found(p.Name):
		return protocol.Message{Key: "field.was." + p.Kind, Params: map[string]string{"was": p.Was()}}
	}
	return protocol.Message{Key: "field.other", Params: map[string]string{"name": p.Name}}
}
