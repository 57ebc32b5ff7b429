package chat

import (
	"context"
	"encoding/json"

	"embedded-agent/wasm/internal/agent"
	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/modelstep"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/tool"
)

// PlayBack goes through recorded conversations with nothing but what was recorded,
// and gives what the last of them staged as a plan; nil for nothing. No model is
// asked.
//
// VALIDATION_ERROR is a conversation that cannot be read, CONFLICT one that does
// not come out as it was recorded.
func PlayBack(ctx context.Context, reg *tool.Registry, goal string, conversations []json.RawMessage) (*plan.Plan, error) {
	bundles := make([]*agent.Bundle, len(conversations))
	for i, doc := range conversations {
		var err error
		if bundles[i], err = agent.ParseBundle(doc); err != nil {
			return nil, err
		}
	}
	var last modelstep.Outputs
	for _, b := range bundles {
		out, err := agent.ReplayAlone(ctx, b, reg)
		if err != nil {
			return nil, err
		}
		if b.StepID == history.AgentStep {
			last = out.Outputs // with those of the turn before it
		}
	}
	return agent.AsPlan(goal, last, reg)
}

// keepBundle keeps a conversation in the trace of its run or turn.
func keepBundle(t *history.Tracing, b *agent.Bundle, reg *tool.Registry) {
	if b == nil {
		return
	}
	t.Keep(history.Recording{Step: b.StepID, Redacted: func(ctx context.Context, redact func(string) string) (json.RawMessage, error) {
		clean, err := b.Redacted(ctx, redact, reg)
		if err != nil {
			return nil, err
		}
		return canon.Encode(clean)
	}})
}
