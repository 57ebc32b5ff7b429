package transaction

import (
	"encoding/json"
	"maps"
	"slices"

	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/runner"
	"embedded-agent/wasm/internal/tool"
)

// A step of a plan gets everything, unless the plan names a limit. What such a
// limit cuts is said in the review, with the way to have all of it.

// cutOf says what a step left out, over all its calls; nil for nothing.
func cutOf(rv *Review, st *runner.StepReport) *protocol.Cut {
	e := st.Node.Tool
	if e.Cut == nil {
		return nil
	}
	shown, total, cut := 0, 0, false
	for _, r := range st.Results {
		if r == nil || !r.OK {
			continue
		}
		n, of := e.Cut(r.Data)
		if n == 0 && of == 0 {
			continue
		}
		cut = true
		shown += n
		if of < 0 || total < 0 {
			total = -1
		} else {
			total += of
		}
	}
	if !cut {
		return nil
	}
	// A step that an earlier run has made is not made again, and one without a
	// limit of its own has met the tool's.
	all := len(limitArgs(st.Node)) > 0 && len(rv.prior) == 0
	return &protocol.Cut{Shown: shown, Total: total, All: all}
}

// limitArgs names the arguments of a step, as the plan spells them, that bound
// how much its tool gives.
func limitArgs(n *plan.Node) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(n.Step.Args)) {
		own, err := n.Tool.NormaliseArgs(map[string]any{name: n.Step.Args[name]})
		if _, is := own[n.Tool.Limit]; err == nil && is && n.Tool.Limit != "" {
			out = append(out, name)
		}
	}
	return out
}

// withoutLimit takes a step's limit out of the plan. What the person has changed
// in the review stays, as far as the files come out as they were.
func (r *reviews) withoutLimit(d *Draft, id string) error {
	n := d.graph.Node(id)
	if n == nil || len(limitArgs(n)) == 0 || len(d.prior) > 0 {
		return fault.New(fault.NotFound, "error.review.noLimit", fault.P{"step": id})
	}
	raw, err := withoutArgs(d.raw, id, limitArgs(n))
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

// withoutArgs gives a plan's JSON with arguments of one step taken out.
func withoutArgs(raw json.RawMessage, id string, names []string) (json.RawMessage, error) {
	var doc map[string]json.RawMessage
	var steps []map[string]json.RawMessage
	if err := json.Unmarshal(raw, &doc); err != nil {
		return nil, fault.New(fault.Internal, "error.json.invalid", nil).With(err)
	}
	if err := json.Unmarshal(doc["steps"], &steps); err != nil {
		return nil, fault.New(fault.Internal, "error.json.invalid", nil).With(err)
	}
	for _, step := range steps {
		var own string
		var args tool.Args
		if json.Unmarshal(step["id"], &own) != nil || own != id || json.Unmarshal(step["args"], &args) != nil {
			continue
		}
		for _, name := range names {
			delete(args, name)
		}
		b, err := canon.Encode(args)
		if err != nil {
			return nil, err
		}
		step["args"] = b
	}
	var err error
	if doc["steps"], err = canon.Encode(steps); err != nil {
		return nil, err
	}
	return canon.Encode(doc)
}
