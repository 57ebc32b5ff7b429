package server

import (
	"context"
	"encoding/json"

	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/outbox"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/protocol"
)

// OpenPlan opens the review of a plan that is at hand, such as a file: checked
// and simulated like a model's. What is wrong with the plan is
// VALIDATION_ERROR.
func (s *Server) OpenPlan(ctx context.Context, raw []byte, values map[string]any, dryRun bool) (*protocol.Review, error) {
	pl, problems := plan.Decode(raw, plan.Limits{})
	if pl == nil || plan.Failed(problems) {
		return nil, plan.Fault(problems)
	}
	rules := s.guard.Rules()
	if len(plan.Parameters(pl)) > 0 {
		bound, err := plan.BindParameters(pl, values)
		if err != nil {
			return nil, err
		}
		pl, rules = bound, s.guard.BoundRules()
		if raw, err = canon.Encode(pl); err != nil {
			return nil, err
		}
	}
	g, problems := plan.Check(pl, s.registry, rules)
	if g == nil || plan.Failed(problems) {
		return nil, plan.Fault(problems)
	}
	se := s.newSession(pl, g, json.RawMessage(raw))
	se.dryRun, se.mustAsk, se.warnings = dryRun, true, outbox.Warnings(problems)
	se.ownWords = true // a file that the person named, filled with what they gave
	if err := s.openReview(ctx, se); err != nil {
		return nil, err
	}
	return se.view, nil
}

// reviewOpen opens the review of a plan once more that a core which is no more
// had shown. The plan may hold text of notes: what it would send is asked about.
func (s *Server) reviewOpen(ctx context.Context, p protocol.PlanAgain) (protocol.RunRef, error) {
	if err := s.guard.ReadOrganisation(ctx); err != nil {
		return protocol.RunRef{}, err
	}
	pl, problems := plan.Decode([]byte(p.Plan), plan.Limits{})
	if pl == nil || plan.Failed(problems) {
		return protocol.RunRef{}, plan.Fault(problems)
	}
	g, problems := plan.Check(pl, s.registry, s.guard.BoundRules()) // it may be one of an action
	if g == nil || plan.Failed(problems) {
		return protocol.RunRef{}, plan.Fault(problems)
	}
	se := s.newSession(pl, g, json.RawMessage(p.Plan))
	se.dryRun, se.mustAsk, se.warnings = p.DryRun, true, outbox.Warnings(problems)
	return protocol.RunRef{Run: se.id}, s.openReview(ctx, se)
}
