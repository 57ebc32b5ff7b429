package transaction

import (
	"context"
	"encoding/json"
	"strconv"

	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/outbox"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/reuse"
	"embedded-agent/wasm/internal/tool"
)

// OpenBundle replays what run.export gives, or a bundle.json, in this vault: its
// conversations as they were recorded, then their plan, simulated on the notes as
// they are here. The review of it cannot be approved. No model is asked and
// nothing is sent.
//
// VALIDATION_ERROR is a file that cannot be read as a bundle, CONFLICT one whose
// conversation does not come out as it was recorded, PRECONDITION_FAILED one with
// nothing in it to be simulated.
func (r *replays) OpenBundle(ctx context.Context, raw []byte) (*protocol.Review, error) {
	var doc history.ExportDocument
	if err := json.Unmarshal(raw, &doc); err != nil {
		return nil, fault.New(fault.Validation, "error.json.invalid", nil).With(err)
	}
	if doc.Version != history.BundleVersion {
		return nil, fault.New(fault.Validation, "agent.replay.version", fault.P{"version": strconv.Itoa(doc.Version)})
	}
	pl, err := r.deps.PlayBack(ctx, doc.Run, doc.Bundles)
	if err != nil {
		return nil, err
	}
	if len(doc.Plan) > 0 && string(doc.Plan) != "null" {
		var problems []plan.Problem
		if pl, problems = plan.Decode(doc.Plan, plan.Limits{}); pl == nil || plan.Failed(problems) {
			return nil, plan.Fault(problems)
		}
	}
	if pl == nil {
		return nil, fault.New(fault.Precondition, "error.replay.empty", nil)
	}
	rv, err := r.sealedPlan(ctx, pl, doc.Frozen)
	if err != nil {
		return nil, err
	}
	shown, err := r.showReplay(rv)
	if err != nil {
		return nil, err
	}
	return shown.View, nil
}

// sealedPlan simulates a plan that is at hand, on the vault as it is, with what
// model steps and the web once gave. What is not among it is not asked for: the
// step fails.
func (r *replays) sealedPlan(ctx context.Context, pl *plan.Plan, frozen map[string]tool.Data) (*Review, error) {
	g, problems := plan.Check(pl, r.deps.Registry, r.deps.Guard.BoundRules())
	if g == nil || plan.Failed(problems) {
		return nil, plan.Fault(problems)
	}
	raw, err := canon.Encode(pl)
	if err != nil {
		return nil, err
	}
	d := newDraft(r.deps, pl, g, raw)
	d.DryRun, d.MustAsk, d.sealed, d.Warnings = true, true, true, outbox.Warnings(problems)
	d.Frozen = reuse.NewFrozen(frozen)
	return r.sim.Simulate(ctx, d)
}
