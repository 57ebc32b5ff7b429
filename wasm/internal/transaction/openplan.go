package transaction

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
func (t *Transactions) OpenPlan(ctx context.Context, raw []byte, values map[string]any, dryRun bool) (*protocol.Review, error) {
	pl, problems := plan.Decode(raw, plan.Limits{})
	if pl == nil || plan.Failed(problems) {
		return nil, plan.Fault(problems)
	}
	rules := t.deps.Guard.Rules()
	if len(plan.Parameters(pl)) > 0 {
		bound, err := plan.BindParameters(pl, values)
		if err != nil {
			return nil, err
		}
		pl, rules = bound, t.deps.Guard.BoundRules()
		if raw, err = canon.Encode(pl); err != nil {
			return nil, err
		}
	}
	g, problems := plan.Check(pl, t.deps.Registry, rules)
	if g == nil || plan.Failed(problems) {
		return nil, plan.Fault(problems)
	}
	se := t.NewReview(pl, g, json.RawMessage(raw))
	se.DryRun, se.MustAsk, se.Warnings = dryRun, true, outbox.Warnings(problems)
	se.OwnWords = true // a file that the person named, filled with what they gave
	if err := t.OpenReview(ctx, se); err != nil {
		return nil, err
	}
	return se.View, nil
}

// OpenAgain opens the review of a plan once more that a core which is no more
// had shown. The plan may hold text of notes: what it would send is asked about.
func (t *Transactions) OpenAgain(ctx context.Context, p protocol.PlanAgain) (protocol.RunRef, error) {
	if err := t.deps.Guard.ReadOrganisation(ctx); err != nil {
		return protocol.RunRef{}, err
	}
	pl, problems := plan.Decode([]byte(p.Plan), plan.Limits{})
	if pl == nil || plan.Failed(problems) {
		return protocol.RunRef{}, plan.Fault(problems)
	}
	g, problems := plan.Check(pl, t.deps.Registry, t.deps.Guard.BoundRules()) // it may be one of an action
	if g == nil || plan.Failed(problems) {
		return protocol.RunRef{}, plan.Fault(problems)
	}
	se := t.NewReview(pl, g, json.RawMessage(p.Plan))
	se.DryRun, se.MustAsk, se.Warnings = p.DryRun, true, outbox.Warnings(problems)
	return protocol.RunRef{Run: se.ID}, t.OpenReview(ctx, se)
}
