// Package planedit takes parts out of the JSON of a plan.
package planedit

import (
	"encoding/json"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/tool"
)

// WithoutArgs gives a plan's JSON with arguments of one step taken out.
func WithoutArgs(raw json.RawMessage, id string, names []string) (json.RawMessage, error) {
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

// Needing adds to some steps all that cannot be done without one of them. Nodes are
// in the order to run them, so one pass finds all.
func Needing(g *plan.Graph, steps []string) map[string]bool {
	out := map[string]bool{}
	for _, n := range g.Nodes {
		out[n.Step.ID] = slices.Contains(steps, n.Step.ID) || slices.ContainsFunc(n.Needs, func(id string) bool { return out[id] })
	}
	return out
}

// WithoutSteps gives a plan without some of its steps. Nobody waits for one of them
// any more; outputs that tell of one are left out.
func WithoutSteps(raw json.RawMessage, gone map[string]bool) (json.RawMessage, error) {
	var doc map[string]json.RawMessage
	var steps []map[string]json.RawMessage
	if err := json.Unmarshal(raw, &doc); err != nil {
		return nil, fault.New(fault.Internal, "error.json.invalid", nil).With(err)
	}
	if err := json.Unmarshal(doc["steps"], &steps); err != nil {
		return nil, fault.New(fault.Internal, "error.json.invalid", nil).With(err)
	}
	kept := steps[:0]
	for _, step := range steps {
		var id string
		if json.Unmarshal(step["id"], &id) == nil && gone[id] {
			continue
		}
		var after []string
		if json.Unmarshal(step["dependsOn"], &after) == nil {
			after = slices.DeleteFunc(after, func(id string) bool { return gone[id] })
			b, err := canon.Encode(canon.List(after))
			if err != nil {
				return nil, err
			}
			step["dependsOn"] = b
		}
		kept = append(kept, step)
	}
	if len(kept) == 0 {
		return nil, fault.New(fault.Precondition, "error.review.nothingLeft", nil)
	}
	for id, is := range gone {
		if is && strings.Contains(string(doc["outputs"]), "$steps."+id) {
			delete(doc, "outputs")
		}
	}
	var err error
	if doc["steps"], err = canon.Encode(kept); err != nil {
		return nil, err
	}
	return canon.Encode(doc)
}
