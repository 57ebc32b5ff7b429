package agent

import (
	"maps"
	"slices"
	"strconv"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/modelstep"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/tool"
)

// AsPlan gives what a conversation wrote as a plan: its calls that succeeded and
// staged something, one step each, in source order, with their arguments written
// out and their versions pinned. Simulating it gives the changeset that the
// conversation staged, so it goes to the same review, approval and run as any
// other plan (docs/design/transaction.md#simulate), and can be kept as an action.
//
// Calls that cannot be staged are not in it: they asked, and were made, one by
// one. Whatever the arguments hold is text; nothing in them becomes a reference.
// Nil when nothing was staged. Check it with Rules.Bound.
func AsPlan(goal string, out modelstep.Outputs, reg *tool.Registry) (*plan.Plan, error) {
	p := &plan.Plan{Goal: "${goal}", Assumptions: []string{}}
	values := map[string]any{"goal": goal}
	for _, id := range out.ToolOrder {
		e := out.ToolsByID[id]
		if !modelstep.Succeeded(e) {
			continue
		}
		entry, err := reg.Get(e.Name, e.Version)
		if err != nil {
			return nil, err
		}
		if entry.EffectsOf(e.Args()) != tool.Writes || !entry.Simulable {
			continue
		}
		step, err := stepOf(e, len(p.Steps)+1, values)
		if err != nil {
			return nil, err
		}
		if n := len(p.Steps); n > 0 {
			step.DependsOn = []string{p.Steps[n-1].ID}
		}
		p.Steps = append(p.Steps, step)
		for _, k := range e.Taken {
			p.Taken = append(p.Taken, plan.Taken{Step: step.ID, Field: k.Field, From: k.From, To: k.To})
		}
	}
	if len(p.Steps) == 0 {
		return nil, nil
	}
	return plan.BindParameters(p, values)
}

// stepOf makes a step whose arguments are parameters, and puts their values
// aside: binding them is what keeps text from being read.
func stepOf(e tool.Envelope, n int, values map[string]any) (plan.Step, error) {
	input, ok := e.Input.(map[string]any)
	if !ok {
		return plan.Step{}, fault.New(fault.Internal, "agent.config", fault.P{"problem": "the call " + e.CallID + " has no arguments"})
	}
	step := plan.Step{ID: "call" + strconv.Itoa(n), Tool: e.Name, Version: e.Version, Args: map[string]any{}}
	for i, name := range slices.Sorted(maps.Keys(input)) {
		parameter := "a" + strconv.Itoa(n) + "_" + strconv.Itoa(i)
		values[parameter] = input[name]
		step.Args[name] = "${" + parameter + "}"
	}
	return step, nil
}
