package saved

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/action"
	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/ids"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/reach"
	"embedded-agent/wasm/internal/tool"
)

// Get opens an action: as steps to edit, and what is wrong with them.
func (s *Saved) Get(ctx context.Context, p protocol.ActionRef) (protocol.ActionDetail, error) {
	a, err := s.deps.Library.Get(ctx, p.ID)
	if err != nil {
		return protocol.ActionDetail{}, err
	}
	return s.actionDetail(a)
}

func (s *Saved) actionDetail(a *action.Action) (protocol.ActionDetail, error) {
	view, p, problems := s.lookAt(a, true)
	d := protocol.ActionDetail{Action: view, Prompt: a.Prompt, Steps: []protocol.ActionStepView{}, Problems: []protocol.Message{}}
	if a.Plan != nil {
		var b bytes.Buffer
		if err := json.Indent(&b, a.Plan, "", "  "); err != nil {
			return d, fault.From(err)
		}
		d.Plan = b.String()
	}
	for _, problem := range problems {
		d.Problems = append(d.Problems, protocol.Message{Key: problem.Key, Params: problem.Params})
	}
	d.Touches = []protocol.Message{}
	if p == nil {
		return d, nil
	}
	d.Touches = s.touches(a, p)
	for i := range p.Steps {
		step, err := s.stepView(&p.Steps[i])
		if err != nil {
			return d, err
		}
		d.Steps = append(d.Steps, step)
	}
	return d, nil
}

// stepView gives a step as it can be edited.
func (s *Saved) stepView(step *plan.Step) (protocol.ActionStepView, error) {
	name, version := pinned(step)
	v := protocol.ActionStepView{
		ID: step.ID, Tool: name, Version: version, Title: step.Preview, SecretScope: step.SecretScope,
		DependsOn: append([]string{}, step.DependsOn...),
	}
	if e, err := s.deps.Registry.Get(name, version); err != nil {
		v.Gone = true
	} else {
		v.Deprecated = e.Lifecycle == tool.Deprecated
	}
	input, err := canon.Encode(step.Args)
	if err != nil {
		return v, err
	}
	v.Input = string(input)
	if step.Foreach != nil {
		loop, err := canon.Encode(step.Foreach)
		if err != nil {
			return v, err
		}
		v.Foreach = string(loop)
	}
	if pins, ok := step.Args["pins"]; ok && s.asksModel(*step) {
		b, err := canon.Encode(pins)
		if err != nil {
			return v, err
		}
		v.Pins = string(b)
	}
	return v, nil
}

// Put keeps an action that a person wrote or changed. Its plan is held
// against the tools first. What it does now was not seen in any run, so that it
// asks, whatever the settings say.
func (s *Saved) Put(ctx context.Context, p protocol.ActionPut) (protocol.ActionDetail, error) {
	a, err := s.putInto(ctx, p)
	if err != nil {
		return protocol.ActionDetail{}, err
	}
	beyond := s.beyond(ctx, a)
	if err := s.keepAction(ctx, a); err != nil {
		return protocol.ActionDetail{}, err
	}
	d, err := s.actionDetail(a)
	d.Beyond = beyond
	return d, err
}

// beyond says what an action may touch that it might not as it is kept.
func (s *Saved) beyond(ctx context.Context, a *action.Action) []protocol.Message {
	old, err := s.deps.Library.Get(ctx, a.ID)
	if err != nil || a.Plan == nil {
		return nil // it is new, or asks a model, whose plan is reviewed
	}
	before := reach.Reach{Risk: tool.ReadOnly}
	if was, err := old.Template(); err == nil && old.Plan != nil {
		before = reach.Of(was, s.deps.Registry)
	}
	now, err := a.Template()
	if err != nil {
		return nil
	}
	more := reach.Of(now, s.deps.Registry).Beyond(before)
	if more.Nothing() {
		return nil
	}
	return reachWords(a.Name, now.Goal, more)
}

// putInto makes the action that is to be kept: a new one, or the one with the
// id, changed.
func (s *Saved) putInto(ctx context.Context, p protocol.ActionPut) (*action.Action, error) {
	a := &action.Action{ID: p.ID, Name: p.Name, Icon: p.Icon, Group: p.Group, Ribbon: p.Ribbon}
	switch p.Kind {
	case action.KindPrompt:
		a.Prompt = p.Prompt
	case "", action.KindPlan, action.KindTemplate:
		a.Plan = json.RawMessage(p.Plan)
	default:
		return nil, fault.New(fault.Validation, "error.action.kind", fault.P{"name": p.Name, "kind": string(p.Kind)})
	}
	var old action.Action
	if p.ID == "" {
		a.ID = ids.New()
	} else {
		kept, err := s.deps.Library.Get(ctx, p.ID)
		if err != nil {
			return nil, err
		}
		old = *kept
		a.Trusted = old.Trusted && a.Same(&old)
	}
	tp, err := s.fit(a)
	if err != nil {
		return nil, err
	}
	a.Params = paramsOf(plan.Parameters(tp), p.Fields, old.Params)
	return a, nil
}

// fit refuses an action whose plan does not fit the tools.
func (s *Saved) fit(a *action.Action) (*plan.Plan, error) {
	p, err := a.Template()
	if err != nil || a.Plan == nil {
		return p, err
	}
	p = plan.Mend(p, s.deps.Registry)
	p.Taken = nil // of how it was written, an action knows nothing
	if g, problems := s.checkTemplate(p); g == nil || plan.Failed(problems) {
		return nil, plan.Fault(problems)
	}
	// As it is kept, one way of writing stands for all.
	a.Plan, err = canon.Encode(p)
	return p, err
}

// paramsOf gives what is known of parameters: by the fields that were put, else
// as it was.
func paramsOf(names []string, fields []protocol.Field, old []action.Param) []action.Param {
	var out []action.Param
	for _, name := range names {
		i := slices.IndexFunc(fields, func(f protocol.Field) bool { return f.Name == name })
		j := slices.IndexFunc(old, func(p action.Param) bool { return p.Name == name })
		switch {
		case i >= 0:
			f := fields[i]
			param := action.Param{Name: name, Kind: string(f.Kind), Value: f.Value, Choices: f.Choices, Optional: f.Optional}
			if action.IsBundledLabel(f.Label.Key) {
				param.Label = f.Label.Key
			}
			out = append(out, param)
		case j >= 0:
			out = append(out, old[j])
		}
	}
	return out
}

func (s *Saved) keepAction(ctx context.Context, a *action.Action) error {
	if err := s.deps.Library.Put(ctx, a); err != nil {
		return err
	}
	_, err := s.tellActions(ctx)
	return err
}

// Order puts the actions into the order of their ids in p, and gives all of them.
func (s *Saved) Order(ctx context.Context, p protocol.ActionsOrder) (protocol.ActionList, error) {
	if err := s.deps.Library.Order(ctx, p.IDs); err != nil {
		return protocol.ActionList{}, err
	}
	return s.tellActions(ctx)
}

// Restore shows a bundled action that was hidden.
func (s *Saved) Restore(ctx context.Context, p protocol.ActionRef) (protocol.ActionList, error) {
	if err := s.deps.Library.Restore(ctx, p.ID); err != nil {
		return protocol.ActionList{}, err
	}
	return s.tellActions(ctx)
}

// Canvas gives an action's graph as a JSON Canvas file.
func (s *Saved) Canvas(ctx context.Context, p protocol.ActionRef) (protocol.Exported, error) {
	a, err := s.deps.Library.Get(ctx, p.ID)
	if err != nil {
		return protocol.Exported{}, err
	}
	tp, err := a.Template()
	if err != nil {
		return protocol.Exported{}, err
	}
	after := map[string][]string{}
	for i := range tp.Steps { // of a plan that does not fit the tools, what it says itself is known
		after[tp.Steps[i].ID] = tp.Steps[i].DependsOn
	}
	if g, _ := s.checkTemplate(tp); g != nil {
		for _, n := range g.Nodes {
			after[n.Step.ID] = n.DependsOn
		}
	}
	b, err := action.Canvas(a.Name, tp, after)
	return protocol.Exported{JSON: string(b)}, err
}

// Step makes a step of a call that was made.
func (s *Saved) Step(ctx context.Context, p protocol.ActionStep) (protocol.ActionDetail, error) {
	call, err := s.madeCall(ctx, p)
	if err != nil {
		return protocol.ActionDetail{}, err
	}
	a := &action.Action{ID: ids.New(), Name: strings.TrimSpace(p.Name)}
	if p.Action != "" {
		kept, err := s.deps.Library.Get(ctx, p.Action)
		if err != nil {
			return protocol.ActionDetail{}, err
		}
		clone := *kept
		a = &clone
	} else if a.Name, err = s.deps.Library.Free(ctx, a.Name); err != nil {
		return protocol.ActionDetail{}, err
	}
	if err := a.AddCall(call.tool, call.version, call.args, call.scope); err != nil {
		return protocol.ActionDetail{}, err
	}
	if _, err := s.fit(a); err != nil {
		return protocol.ActionDetail{}, err
	}
	if err := s.keepAction(ctx, a); err != nil {
		return protocol.ActionDetail{}, err
	}
	return s.actionDetail(a)
}
