package transaction

import (
	"cmp"
	"maps"
	"slices"

	"embedded-agent/wasm/internal/audit"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/planedit"
	"embedded-agent/wasm/internal/policy"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/timestamp"
	"embedded-agent/wasm/internal/tool"
)

// refusedSteps lists the steps that the policy does not let run: the one that ended
// the simulation, and those that it would not have let run after it. May says whether
// a person may let the first of them be done once.
func (s *simulator) refusedSteps(rv *Review) (steps []string, may bool) {
	first := refused(rv.Report)
	if first == nil || !fault.Is(first.Cause, fault.Denied) {
		return nil, false
	}
	pol := s.policyOf(rv.Link)
	for _, n := range rv.graph.Nodes {
		if n == first.Node || rv.once.Lifted(pol, n.Step.ID).Refuses(n.Tool, n.Step.Args) != "" {
			steps = append(steps, n.Step.ID)
		}
	}
	key, n := fault.From(first.Cause).Key, first.Node
	return steps, rv.Undo == nil && !rv.sealed && !rv.DryRun && rv.once.Lifted(pol, n.Step.ID).MayLift(key, n.Tool, n.Step.Args)
}

// withoutRefused takes the steps out of a draft's plan that were refused, and
// those that cannot be done without them.
func (r *reviews) withoutRefused(d *Draft) error {
	if d.Undo != nil || d.before == nil || len(d.before.View.Refused) == 0 || len(d.prior) > 0 {
		return fault.New(fault.Precondition, "error.review.nothingRefused", nil)
	}
	raw, err := planedit.WithoutSteps(d.raw, planedit.Needing(d.graph, d.before.View.Refused))
	if err != nil {
		return err
	}
	p, g, raw, _, err := r.check(raw, r.deps.Guard.BoundRules())
	if err != nil {
		return err
	}
	d.plan, d.graph, d.raw, d.MustAsk = p, g, raw, true
	return nil
}

// allowOnce lets the refused steps of a draft be done, as far as switches of the
// person's settings alone stand against them. It is a yes to this plan: the review
// shows what comes of it, and asks.
func (r *reviews) allowOnce(d *Draft) error {
	if d.before == nil || !d.before.View.MayAllow {
		return fault.New(fault.Precondition, "error.review.nothingToAllow", nil)
	}
	stopped, pol := refused(d.before.Report), r.sim.policyOf(d.Link)
	for _, id := range d.before.View.Refused {
		n := d.graph.Node(id)
		own := d.once.Lifted(pol, id)
		key := own.Refuses(n.Tool, n.Step.Args)
		if n == stopped.Node {
			key = fault.From(stopped.Cause).Key
		}
		for key != "" && own.MayLift(key, n.Tool, n.Step.Args) {
			d.once = d.once.With(id, key)
			own = d.once.Lifted(pol, id)
			key = own.Refuses(n.Tool, n.Step.Args)
		}
	}
	d.MustAsk = true
	return nil
}

// liftedFor gives the policy for a call of a plan's step.
func (d decided) liftedFor(p *policy.Policy, c *tool.Call) *policy.Policy {
	return d.once.Lifted(p, c.StepID)
}

// lifted gives what says which policy holds for a write of the run: the writes that
// were simulated of a step that was allowed once are made, and no others.
func (rv *Review) lifted() func(*policy.Policy, host.Op) *policy.Policy {
	if len(rv.once) == 0 {
		return nil
	}
	steps := map[deed]string{} // of what is written, the step that writes it
	for _, w := range rv.writes(0) {
		if id := rv.Called[w.Call].StepID; rv.once[id] != nil {
			steps[deed{kind: w.Op.Kind, path: w.Op.Path, to: w.Op.To}] = id
		}
	}
	return func(p *policy.Policy, op host.Op) *policy.Policy {
		return rv.once.Lifted(p, steps[deed{kind: op.Kind, path: op.Path, to: op.To}])
	}
}

// toldOnce says in the records which steps a person let be done once.
func (t *telling) toldOnce(rv *Review, confirmation string) {
	for _, id := range slices.Sorted(maps.Keys(rv.once)) {
		n := rv.graph.Node(id)
		if n == nil {
			continue
		}
		t.log.Event(&audit.Event{
			Type: "run.confirmed", RunID: rv.ID, Timestamp: timestamp.Milli(t.began), Level: "warn", StepID: id, Tool: n.Tool.Name,
			Message: "The person allowed “" + n.Tool.Name + "” for this plan alone, which the settings refuse.",
			Payload: map[string]any{"confirmationId": confirmation, "automatic": false, "once": rv.once[id]},
		})
	}
}

// onceLines name the steps that are allowed for this plan alone.
func onceLines(rv *Review) []protocol.Message {
	var out []protocol.Message
	for _, n := range rv.graph.Nodes {
		if rv.once[n.Step.ID] != nil {
			out = append(out, protocol.Message{Key: "review.allowedOnce", Params: map[string]string{"step": cmp.Or(n.Step.Preview, n.Step.ID)}})
		}
	}
	return out
}
