package agent

import (
	"slices"

	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/modelstep"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/tool"
)

// mostLookups is how many calls AsLookups takes: more lists than a person reads answer nothing.
const mostLookups = 3

// AsLookups gives what a model looked up in the vault right before its last words as a plan that only reads: its
// simulation gives the lists whole, which the model got in pages. Nil where the model did anything else in its last
// round of calls, such as reading a note: then the words are the answer, and no list is.
func AsLookups(goal string, out *Outcome, reg *tool.Registry) (*plan.Plan, error) {
	last := lastRound(out)
	if len(last) == 0 || len(last) > mostLookups {
		return nil, nil
	}
	p := &plan.Plan{Goal: "${goal}", Assumptions: []string{}}
	values := map[string]any{"goal": goal}
	for i, e := range last {
		entry, err := reg.Get(e.Name, e.Version)
		if err != nil {
			return nil, err
		}
		if !modelstep.Succeeded(e) || !looksUp(entry, e.Args()) {
			return nil, nil
		}
		step, err := stepOf(e, i+1, values)
		if err != nil {
			return nil, err
		}
		p.Steps = append(p.Steps, step)
	}
	return plan.BindParameters(p, values)
}

// looksUp says whether a call finds a list in the vault: again it finds the same, and nothing else is asked.
func looksUp(e *tool.Entry, args tool.Args) bool {
	f := e.Facts
	return e.Found != nil && e.Simulable && e.EffectsOf(args) == tool.Reads && !f.Finds && !f.ReadsElsewhere && !f.OnWindow && !f.Random
}

// lastRound gives the receipts of the calls that the model made before its last words; none where they do not fit what
// the conversation says.
func lastRound(out *Outcome) []tool.Envelope {
	messages := out.State.Messages
	if n := len(messages); n == 0 || messages[n-1].Role != llm.RoleAssistant {
		return nil
	}
	var names []string
	for _, m := range slices.Backward(messages[:len(messages)-1]) {
		if m.Role != llm.RoleToolResult {
			break
		}
		names = append(names, m.ToolName)
	}
	order := out.Outputs.ToolOrder
	if len(names) == 0 || len(order) < len(names) {
		return nil
	}
	slices.Reverse(names)
	var calls []tool.Envelope
	for i, id := range order[len(order)-len(names):] {
		e := out.Outputs.ToolsByID[id]
		if e.Name != names[i] {
			return nil
		}
		calls = append(calls, e)
	}
	return calls
}
