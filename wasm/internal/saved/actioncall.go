package saved

import (
	"context"
	"encoding/json"
	"slices"

	"embedded-agent/wasm/internal/audit"
	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/guard"
	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/modelstep"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/tool"
)

// madeCall finds a call by its callId (or call_id) in the records of a run or
// of the conversation that is open, or the call that a pin of it takes its value
// from, with the scope that its secret came from. A call whose arguments were
// not kept whole is PRECONDITION_FAILED.
func (s *Saved) madeCall(ctx context.Context, p protocol.ActionStep) (Call, error) {
	calls, err := s.callsOf(ctx, p.Run)
	if err != nil {
		return Call{}, err
	}
	found := findCall(calls, p.CallID, p.Run)
	if found != nil && p.Pin != "" {
		found = pinnedCall(found, p.Pin)
	}
	if found == nil {
		return Call{}, fault.New(fault.NotFound, "error.action.noCall", nil)
	}
	args, redacted := s.deps.Out.RedactValue(found.args)
	if redacted || audit.Abridged(args) || guard.HoldsMarker(args) {
		return Call{}, fault.New(fault.Precondition, "error.action.notWhole", nil)
	}
	return *found, nil
}

// Call is a call that was made: by a plan, or by a model in one of its steps or
// in a conversation.
type Call struct {
	ids           []string
	tool, version string
	args          map[string]any
	scope         string
	data          tool.Data // what a step gave
}

// callsOf gives the calls of a run: those of the one whose review is open, as
// they were simulated, those in its folder, or those of a conversation's turn.
func (s *Saved) callsOf(ctx context.Context, run string) ([]Call, error) {
	out, all := s.deps.Calls(run)
	if all {
		return out, nil
	}
	pairs, err := s.recordedCalls(ctx, run)
	for _, p := range pairs {
		out = append(out, CallOf(p.Call, p.Result))
	}
	if len(out) > 0 && fault.Is(err, fault.NotFound) {
		err = nil // a turn that led to no run
	}
	return out, err
}

func (s *Saved) recordedCalls(ctx context.Context, run string) ([]audit.Pair, error) {
	if _, err := s.deps.History.Read(ctx, run); err != nil {
		return nil, err
	}
	return audit.ReadCalls(ctx, s.deps.Store, history.Dir(run))
}

// CallOf keeps the parts of a call by which a later plan finds its output again;
// r may be nil.
func CallOf(c *tool.Call, r *tool.Result) Call {
	m := Call{ids: []string{c.CallID, c.LogicalID}, tool: c.Tool, version: c.Version, args: c.Args}
	if r != nil {
		m.scope, m.data = r.SecretScope, r.Data
	}
	return m
}

// CallByModel is a call of a turn or step with its receipt; run names the turn,
// "" for a step, whose calls are known by their call_id alone.
func CallByModel(e tool.Envelope, run string) Call {
	args, _ := e.Input.(map[string]any)
	m := Call{ids: []string{e.CallID}, tool: e.Name, version: e.Version, args: args}
	for attempt := 1; run != "" && attempt <= plan.DefaultMaxAttempts; attempt++ {
		c := tool.Call{RunID: run, LogicalID: e.CallID}
		c.SetAttempt(attempt)
		m.ids = append(m.ids, c.CallID)
	}
	return m
}

// findCall looks for a call, and then for those that models made in steps.
func findCall(calls []Call, id, run string) *Call {
	for i := range calls {
		if slices.Contains(calls[i].ids, id) {
			return &calls[i]
		}
	}
	for _, c := range calls {
		for _, e := range outputsOf(c).ToolsByID {
			if m := CallByModel(e, run); slices.Contains(m.ids, id) {
				return &m
			}
		}
	}
	return nil
}

// pinnedCall finds the call that a pin of an agent's step takes its value from;
// nil where there is none.
func pinnedCall(step *Call, pin string) *Call {
	var args modelstep.Args
	if !convert(step.args, &args) {
		return nil
	}
	i := slices.IndexFunc(args.Pins, func(p modelstep.Pin) bool { return p.Name == pin })
	if i < 0 {
		return nil
	}
	e := args.Pins[i].Selector.Call(outputsOf(*step))
	if e == nil {
		return nil
	}
	m := CallByModel(*e, "")
	return &m
}

// outputsOf reads what an agent's step gave; other steps gave none of it.
func outputsOf(m Call) modelstep.Outputs {
	var out modelstep.Outputs
	if m.tool != modelstep.ToolName || !convert(m.data, &out) {
		return modelstep.Outputs{}
	}
	return out
}

// convert reads a value as another type, by its JSON.
func convert(from, to any) bool {
	b, err := canon.Encode(from)
	return err == nil && json.Unmarshal(b, to) == nil
}
