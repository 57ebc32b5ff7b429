package server

import (
	"context"

	"embedded-agent/wasm/internal/action"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/tool"
)

// actionViews lists actions as the panel shows them.
func (s *Server) actionViews(list []*action.Action) []protocol.Action {
	out := make([]protocol.Action, 0, len(list))
	for _, a := range list {
		out = append(out, s.actionView(a))
	}
	return out
}

func (s *Server) actionView(a *action.Action) protocol.Action {
	v := protocol.Action{ID: a.ID, Name: a.Name, Icon: a.Icon, Fields: []protocol.Field{}, Risk: string(tool.RiskCommands)}
	p, err := a.Template()
	if err != nil {
		v.Warnings = []protocol.Message{{Key: "action.broken"}}
		return v
	}
	v.Goal = p.Goal
	rules := s.rules()
	rules.Template = true
	g, problems := plan.Check(p, s.registry, rules)
	if g == nil || plan.Failed(problems) {
		v.Warnings = append(v.Warnings, protocol.Message{Key: "action.outdated"})
		return v
	}
	v.Warnings = warningsOf(problems)
	v.Risk = string(g.Risk)
	for _, f := range a.Fields() {
		v.Fields = append(v.Fields, fieldOf(f))
	}
	return v
}

func fieldOf(p action.Param) protocol.Field {
	return protocol.Field{
		Name: p.Name, Kind: p.Kind, Value: p.Value, Choices: p.Choices,
		Label: protocol.Message{Key: labelOf(p), Params: map[string]string{"name": p.Name}},
	}
}

func labelOf(p action.Param) string {
	switch p.Name {
	case action.Selection:
		return "field.selection"
	case "folderName":
		return "field.folder"
	}
	return "field.other"
}

func (s *Server) actionsList(ctx context.Context, _ protocol.Empty) (protocol.ActionList, error) {
	list, err := s.library.List(ctx)
	return protocol.ActionList{Actions: s.actionViews(list)}, err
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
	pl, err := s.planOf(ctx, p.Run)
	if err != nil {
		return protocol.Action{}, err
	}
	a, err := action.FromPlan(newID(), p.Name, pl, s.registry)
	if err != nil {
		return protocol.Action{}, err
	}
	if err := s.library.Add(ctx, a); err != nil {
		return protocol.Action{}, err
	}
	if _, err := s.tellActions(ctx); err != nil {
		return protocol.Action{}, err
	}
	return s.actionView(a), nil
}

// planOf finds the plan of a run: as it was executed, when it is still at hand,
// or from its folder.
func (s *Server) planOf(ctx context.Context, run string) (*plan.Plan, error) {
	s.mu.Lock()
	x := s.run
	s.mu.Unlock()
	if x != nil && x.se.id == run {
		return x.se.plan, nil
	}
	d, err := s.readRun(ctx, run)
	if err != nil {
		return nil, err
	}
	if d.Redacted || d.Plan == nil {
		return nil, fault.New(fault.Precondition, "error.run.redacted", nil)
	}
	pl, problems := plan.Decode(d.Plan, plan.Limits{})
	if pl == nil {
		return nil, plan.Fault(problems)
	}
	return pl, nil
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

func (s *Server) actionsExport(ctx context.Context, p protocol.Export) (protocol.Exported, error) {
	b, err := s.library.Export(ctx, p.IDs)
	return protocol.Exported{JSON: string(b)}, err
}

// actionsImport reads an export; it keeps it only once the person has seen what
// it may touch.
func (s *Server) actionsImport(ctx context.Context, p protocol.Import) (protocol.Imported, error) {
	list, err := action.Parse([]byte(p.JSON))
	if err != nil {
		return protocol.Imported{}, err
	}
	out := protocol.Imported{Actions: s.actionViews(list), Review: s.importReview(list)}
	if !p.Confirm {
		return out, nil
	}
	if err := s.library.Import(ctx, list, newID); err != nil {
		return protocol.Imported{}, err
	}
	out.Kept, out.Actions = true, s.actionViews(list) // under the ids that they have now
	_, err = s.tellActions(ctx)
	return out, err
}

// importReview says in words what imported actions may touch.
func (s *Server) importReview(list []*action.Action) []protocol.Message {
	out := []protocol.Message{}
	for _, a := range list {
		p, err := a.Template()
		if err != nil {
			continue
		}
		key := "import.readOnly"
		risk := tool.ReadOnly
		for i := range p.Steps {
			if e, err := s.registry.Get(p.Steps[i].Tool, p.Steps[i].Version); err == nil {
				risk = risk.Max(e.SideEffects.Risk())
				switch e.Name {
				case "vault.delete":
					key = "import.deletes"
				case "vault.rename":
					if key != "import.deletes" {
						key = "import.renames"
					}
				}
			}
		}
		if key == "import.readOnly" && risk == tool.RiskWrites {
			key = "import.writes"
		}
		if risk == tool.RiskCommands {
			key = "import.commands"
		}
		out = append(out, protocol.Message{Key: key, Params: map[string]string{"name": a.Name, "goal": p.Goal}})
	}
	return out
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
	if s.host.Editor != nil {
		st, err := s.host.Editor.State(ctx)
		if err != nil {
			return err
		}
		editor = st
	}
	values := map[string]string{}
	for k, v := range p.Values {
		values[k] = v
	}
	missing, err := a.Missing(values, editor.Text != "")
	if err != nil {
		return err
	}
	if len(missing) > 0 {
		given, err := s.askFields(ctx, a, missing)
		if err != nil {
			return err
		}
		for k, v := range given {
			values[k] = v
		}
	}
	s.phase(t, phaseSimulating)
	pl, err := a.Bind(values)
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
	se.dryRun, se.action, se.mustAsk, se.warnings = p.DryRun, a.ID, !a.Trusted, warningsOf(problems)
	if text, ok := values[action.Selection]; ok && editor.Text == "" {
		editor.Text = text
		se.selection = &editor
	}
	t.set(func(t *protocol.Turn) { t.Outcome, t.Run = outcomePlan, se.id })
	return s.openReview(ctx, se)
}

func (s *Server) askFields(ctx context.Context, a *action.Action, missing []action.Param) (map[string]string, error) {
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
	return answer.Values, nil
}
