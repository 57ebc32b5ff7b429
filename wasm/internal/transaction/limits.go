package transaction

import (
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/leftout"
	"embedded-agent/wasm/internal/planedit"
)

// withoutLimit takes a step's limit out of the plan. What the person has changed
// in the review stays, as far as the files come out as they were.
func (r *reviews) withoutLimit(d *Draft, id string) error {
	n := d.graph.Node(id)
	if n == nil || len(leftout.Limits(n)) == 0 || len(d.prior) > 0 {
		return fault.New(fault.NotFound, "error.review.noLimit", fault.P{"step": id})
	}
	raw, err := planedit.WithoutArgs(d.raw, id, leftout.Limits(n))
	if err != nil {
		return err
	}
	rules := r.deps.Guard.Rules()
	rules.Bound = true // it has been filled in, where it had parameters
	p, g, raw, _, err := r.check(raw, rules)
	if err != nil {
		return err
	}
	d.plan, d.graph, d.raw, d.MustAsk = p, g, raw, true
	return nil
}
