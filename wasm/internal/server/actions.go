package server

import (
	"context"
	"maps"
	"time"

	"embedded-agent/wasm/internal/action"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/timestamp"
)

func (s *Server) actionsList(ctx context.Context, _ protocol.Empty) (protocol.ActionList, error) {
	list, err := s.library.List(ctx)
	if err != nil {
		return protocol.ActionList{}, err
	}
	hidden, err := s.library.Hidden(ctx)
	return protocol.ActionList{Actions: s.actionViews(list), Hidden: s.actionViews(hidden)}, err
}

// actionsAsked gives the list, and tells it where another window or device has
// changed it since it was last told.
func (s *Server) actionsAsked(ctx context.Context, p protocol.Empty) (protocol.ActionList, error) {
	before := s.library.Revision()
	l, err := s.actionsList(ctx, p)
	if err == nil && s.library.Revision() != before {
		s.out.tell(protocol.Event{Type: protocol.EventActionsChanged, Actions: l.Actions})
	}
	return l, err
}

// tellActions tells the panel, the palette and the ribbon.
func (s *Server) tellActions(ctx context.Context) (protocol.ActionList, error) {
	l, err := s.actionsList(ctx, protocol.Empty{})
	if err == nil {
		s.out.tell(protocol.Event{Type: protocol.EventActionsChanged, Actions: l.Actions})
	}
	return l, err
}

// actionSave keeps the plan of a run, past or just ended.
func (s *Server) actionSave(ctx context.Context, p protocol.ActionSave) (protocol.Action, error) {
	pl, from, err := s.planAndOrigin(ctx, p.Run)
	if err != nil {
		return protocol.Action{}, err
	}
	a, err := action.FromPlan(newID(), p.Name, pl, s.registry, from)
	if err != nil {
		return protocol.Action{}, err
	}
	a.Trusted = a.Trusted && s.ours(ctx, p.Run)
	if err := s.library.Put(ctx, a); err != nil {
		return protocol.Action{}, err
	}
	if _, err := s.tellActions(ctx); err != nil {
		return protocol.Action{}, err
	}
	return s.actionView(a), nil
}

// planAndOrigin finds the plan of a run and what was before the person then: as it was
// executed, when it is still at hand, or from its folder.
func (s *Server) planAndOrigin(ctx context.Context, run string) (*plan.Plan, action.Origin, error) {
	s.mu.Lock()
	x := s.run
	s.mu.Unlock()
	if x != nil && x.se.id == run && x.se.plan != nil {
		return x.se.plan, s.origin(x.se.editorSeen(), x.se.now), nil
	}
	d, err := s.readRun(ctx, run)
	if err != nil {
		return nil, action.Origin{}, err
	}
	if d.Redacted || d.Plan == nil {
		return nil, action.Origin{}, fault.New(fault.Precondition, "error.run.redacted", nil)
	}
	pl, problems := plan.Decode(d.Plan, plan.Limits{})
	if pl == nil {
		return nil, action.Origin{}, plan.Fault(problems)
	}
	return pl, s.origin(d.Editor, d.Now), nil
}

func (s *Server) planOf(ctx context.Context, run string) (*plan.Plan, error) {
	p, _, err := s.planAndOrigin(ctx, run)
	return p, err
}

// origin says where a person was: nil is an editor that was not looked at.
func (s *Server) origin(editor *host.EditorState, now time.Time) action.Origin {
	s.mu.Lock()
	loc := s.offset
	s.mu.Unlock()
	o := action.Origin{Date: timestamp.Day(now.In(loc))}
	if editor != nil {
		o.Selection, o.Note = editor.Text, editor.Path
	}
	return o
}

func (s *Server) actionRename(ctx context.Context, p protocol.ActionRename) (protocol.ActionList, error) {
	if err := s.library.Rename(ctx, p.ID, p.Name); err != nil {
		return protocol.ActionList{}, err
	}
	return s.tellActions(ctx)
}

func (s *Server) actionRemove(ctx context.Context, p protocol.ActionRef) (protocol.ActionList, error) {
	if err := s.library.Remove(ctx, p.ID); err != nil {
		return protocol.ActionList{}, err
	}
	return s.tellActions(ctx)
}

// actionRun starts an action: no model is asked. Missing values are asked for.
func (s *Server) actionRun(ctx context.Context, p protocol.ActionRun) (protocol.Accepted, error) {
	a, err := s.library.Get(ctx, p.ID)
	if err != nil {
		return protocol.Accepted{}, err
	}
	return s.startTurn(a.Name, "", func(ctx context.Context, t *turn) error {
		return s.actionTurn(ctx, t, a, p)
	})
}

func (s *Server) actionTurn(ctx context.Context, t *turn, a *action.Action, p protocol.ActionRun) error {
	var editor host.EditorState
	if from := s.visible().Editor; from != nil {
		st, err := from.State(ctx)
		if err != nil {
			return err
		}
		editor = st
	}
	at := s.origin(&editor, s.now())
	values, err := s.valuesFor(ctx, a, p.Values, at)
	if err != nil {
		return err
	}
	if a.Kind() == action.KindPrompt {
		return s.promptTurn(ctx, t, a, p, values, at)
	}
	pl, err := a.Bind(values, at)
	if err != nil {
		return err
	}
	g, problems := plan.Check(pl, s.registry, s.boundRules())
	if g == nil || plan.Failed(problems) {
		return plan.Fault(problems)
	}
	raw, err := jsonOf(pl)
	if err != nil {
		return err
	}
	se := s.newSession(pl, g, raw)
	se.dryRun, se.action, se.mustAsk, se.warnings, se.turn = p.DryRun, a.ID, !a.Trusted, warningsOf(problems), t
	se.ownWords = !a.Takes(values, at)
	if text, ok := values[action.Selection]; ok && editor.Text == "" {
		editor.Text, editor.Hidden = text, false
		se.selection = &editor
	}
	se.link = p.Link
	t.set(func(t *protocol.Turn) { t.Outcome, t.Run = outcomePlan, se.id })
	s.phase(t, phaseSimulating)
	return s.openReview(ctx, se)
}

// valuesFor gives the values of an action's parameters: those given, and what
// is missing as the person answers.
func (s *Server) valuesFor(ctx context.Context, a *action.Action, given map[string]string, at action.Context) (map[string]string, error) {
	values := maps.Clone(given)
	if values == nil {
		values = map[string]string{}
	}
	missing, err := a.Missing(values, at, s.registry)
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
	answer, err := s.ask(ctx, q)
	if err != nil {
		return nil, err
	}
	if !answer.Yes {
		return nil, fault.New(fault.Cancelled, "error.cancelled", nil)
	}
	maps.Copy(values, answer.Values)
	return values, nil
}

// promptTurn asks a model what the action's prompt says.
func (s *Server) promptTurn(ctx context.Context, t *turn, a *action.Action, p protocol.ActionRun, values map[string]string, at action.Context) error {
	text, err := a.Instruction(values, at)
	if err != nil {
		return err
	}
	t.set(func(t *protocol.Turn) { t.Text = text })
	t.asksFor, t.mustAsk, t.link = a.ID, !a.Trusted, p.Link
	return s.planTurn(ctx, t, protocol.Send{Text: text, Mode: protocol.ModePlan, DryRun: p.DryRun, UseSelection: true})
}
