package saved

import (
	"context"
	"maps"
	"time"

	"embedded-agent/wasm/internal/action"
	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/ids"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/timestamp"
)

func (s *Saved) actionsList(ctx context.Context, _ protocol.Empty) (protocol.ActionList, error) {
	list, err := s.deps.Library.List(ctx)
	if err != nil {
		return protocol.ActionList{}, err
	}
	hidden, err := s.deps.Library.Hidden(ctx)
	return protocol.ActionList{Actions: s.Views(list), Hidden: s.Views(hidden)}, err
}

// Asked gives the list, and tells it where another window or device has
// changed it since it was last told.
func (s *Saved) Asked(ctx context.Context, p protocol.Empty) (protocol.ActionList, error) {
	s.deps.Guard.ReadAnew() // the window was left, and has the focus again
	before := s.deps.Library.Revision()
	l, err := s.actionsList(ctx, p)
	if err == nil && s.deps.Library.Revision() != before {
		s.deps.Out.Tell(protocol.Event{Type: protocol.EventActionsChanged, Actions: l.Actions})
	}
	return l, err
}

// tellActions tells the panel, the palette and the ribbon.
func (s *Saved) tellActions(ctx context.Context) (protocol.ActionList, error) {
	l, err := s.actionsList(ctx, protocol.Empty{})
	if err == nil {
		s.deps.Out.Tell(protocol.Event{Type: protocol.EventActionsChanged, Actions: l.Actions})
	}
	return l, err
}

// Save keeps the plan of a run, past or just ended.
func (s *Saved) Save(ctx context.Context, p protocol.ActionSave) (protocol.Action, error) {
	pl, from, err := s.planAndOrigin(ctx, p)
	if err != nil {
		return protocol.Action{}, err
	}
	a, err := action.FromPlan(ids.New(), p.Name, pl, s.deps.Registry, from)
	if err != nil {
		return protocol.Action{}, err
	}
	a.Trusted = a.Trusted && p.Plan == "" && s.deps.History.Ours(ctx, p.Run)
	if err := s.deps.Library.Put(ctx, a); err != nil {
		return protocol.Action{}, err
	}
	if _, err := s.tellActions(ctx); err != nil {
		return protocol.Action{}, err
	}
	return s.view(a), nil
}

// origin says where a person was: nil is an editor that was not looked at.
func (s *Saved) origin(editor *host.EditorState, now time.Time) action.Origin {
	_, loc := s.deps.Guard.Surroundings()
	o := action.Origin{Date: timestamp.Day(now.In(loc))}
	if editor != nil {
		o.Selection, o.Note = editor.Text, editor.Path
	}
	return o
}

// Rename gives an action another name, and gives all of them.
func (s *Saved) Rename(ctx context.Context, p protocol.ActionRename) (protocol.ActionList, error) {
	if err := s.deps.Library.Rename(ctx, p.ID, p.Name); err != nil {
		return protocol.ActionList{}, err
	}
	return s.tellActions(ctx)
}

// Remove deletes an action, or hides a built-in one, and gives those that are left.
func (s *Saved) Remove(ctx context.Context, p protocol.ActionRef) (protocol.ActionList, error) {
	if err := s.deps.Library.Remove(ctx, p.ID); err != nil {
		return protocol.ActionList{}, err
	}
	return s.tellActions(ctx)
}

// valuesFor gives the values of an action's parameters: those given, and what
// is missing as the person answers.
func (s *Saved) valuesFor(ctx context.Context, a *action.Action, given map[string]string, at action.Context) (map[string]string, error) {
	values := maps.Clone(given)
	if values == nil {
		values = map[string]string{}
	}
	missing, err := a.Missing(values, at, s.deps.Registry)
	if err != nil || len(missing) == 0 {
		return values, err
	}
	q := protocol.Question{
		Kind: "parameters", Text: protocol.Message{Key: "question.parameters", Params: map[string]string{"name": a.Name}},
		Reason: protocol.Message{Key: "question.parameters.reason"},
	}
	for _, m := range missing {
		q.Fields = append(q.Fields, fieldOf(m))
	}
	answer, err := s.deps.Questions.Ask(ctx, q)
	if err != nil {
		return nil, err
	}
	if !answer.Yes {
		return nil, fault.New(fault.Cancelled, "error.cancelled", nil)
	}
	maps.Copy(values, answer.Values)
	return values, nil
}

// planAndOrigin finds the plan of a run, and what was before the person then. A plan
// without a run was made where the person is now.
func (s *Saved) planAndOrigin(ctx context.Context, of protocol.ActionSave) (*plan.Plan, action.Origin, error) {
	if p, editor, at := s.deps.Plan(of.Run); p != nil {
		return p, s.origin(editor, at), nil
	}
	if of.Plan != "" {
		p, problems := plan.Decode([]byte(of.Plan), plan.Limits{})
		if p == nil || plan.Failed(problems) {
			return nil, action.Origin{}, plan.Fault(problems)
		}
		return p, s.origin(nil, s.deps.Now()), nil
	}
	p, d, err := s.deps.History.Plan(ctx, of.Run)
	if err != nil {
		return nil, action.Origin{}, err
	}
	return p, s.origin(d.Editor, d.Now), nil
}

// Filled is an action that is about to run: a plan with its values in it, or what
// a model is asked.
type Filled struct {
	Plan     *plan.Plan
	Graph    *plan.Graph
	Problems []plan.Problem
	Raw      []byte
	// ownWords: nothing in the plan came out of a note.
	OwnWords bool
	// Selection has the text that the person gave in the place of a selection; nil for the
	// editor's own.
	Selection *host.EditorState
	// Instruction is the question for a model, of an action that has no plan.
	Instruction string
}

// Ready fills an action with values: those given, what is before the person,
// and what they answer to a question for the rest.
func (s *Saved) Ready(ctx context.Context, a *action.Action, given map[string]string) (*Filled, error) {
	var editor host.EditorState
	if from := s.deps.Guard.Visible().Editor; from != nil {
		st, err := from.State(ctx)
		if err != nil {
			return nil, err
		}
		editor = st
	}
	at := s.origin(&editor, s.deps.Now())
	values, err := s.valuesFor(ctx, a, given, at)
	if err != nil {
		return nil, err
	}
	if a.Kind() == action.KindPrompt {
		text, err := a.Instruction(values, at)
		return &Filled{Instruction: text}, err
	}
	r := &Filled{OwnWords: !a.Takes(values, at)}
	if r.Plan, err = a.Bind(values, at); err != nil {
		return nil, err
	}
	if r.Graph, r.Problems = plan.Check(r.Plan, s.deps.Registry, s.deps.Guard.BoundRules()); r.Graph == nil || plan.Failed(r.Problems) {
		return nil, plan.Fault(r.Problems)
	}
	if text, ok := values[action.Selection]; ok && editor.Text == "" {
		editor.Text, editor.Hidden = text, false
		r.Selection = &editor
	}
	r.Raw, err = canon.Encode(r.Plan)
	return r, err
}
