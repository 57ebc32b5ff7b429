package transaction

import (
	"context"

	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/outbox"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/protocol"
)

// OpenPlan opens the review of a plan that is at hand, such as a file: checked
// and simulated like a model's. What is wrong with the plan is
// VALIDATION_ERROR.
func (r *reviews) OpenPlan(ctx context.Context, raw []byte, values map[string]any, dryRun bool) (*protocol.Review, error) {
	p, problems := plan.Decode(raw, plan.Limits{})
	if p == nil || plan.Failed(problems) {
		return nil, plan.Fault(problems)
	}
	rules := r.deps.Guard.Rules()
	if len(plan.Parameters(p)) > 0 {
		bound, err := plan.BindParameters(plan.Mend(p, r.deps.Registry), values)
		if err != nil {
			return nil, err
		}
		rules = r.deps.Guard.BoundRules()
		if raw, err = canon.Encode(bound); err != nil {
			return nil, err
		}
	}
	p, g, raw, problems, err := r.check(raw, rules)
	if err != nil {
		return nil, err
	}
	d := r.NewDraft(p, g, raw)
	d.DryRun, d.MustAsk, d.Warnings = dryRun, true, outbox.Warnings(problems)
	d.OwnWords = true // a file that the person named, filled with what they gave
	rv, err := r.open(ctx, d)
	if err != nil {
		return nil, err
	}
	return rv.View, nil
}
