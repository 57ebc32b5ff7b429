package chat

import (
	"context"
	_ "embed"
	"time"

	"embedded-agent/wasm/internal/agent"
	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/pipeline"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/transaction"
	"embedded-agent/wasm/internal/version"
)

//go:embed agentstep.md
var StepSystem string

// StartStep makes a model step of a simulation ready.
func (room *Chat) StartStep(ctx context.Context, sim *transaction.Simulation, env *tool.Env, a agent.StepArgs) (agent.Step, error) {
	name := agent.StepName(env.Call)
	m, err := room.Models.New(ctx, "", func(protocol.Message) {})
	if err != nil {
		return agent.Step{}, err
	}
	guard, err := room.deps.Guard.Agent(m.host(), sim.Budget, &a)
	if err != nil {
		return agent.Step{}, err
	}
	gates := agent.NewGates()
	pol := sim.Policy
	tr := sim.Review.Trace
	// The model has read what it was given: whatever it asks for may hold it.
	asked := room.deps.Guard.NewOutgoing(func() string { return sim.Review.Said }, nil)
	return agent.Step{
		Config: agent.Config{
			RunID: sim.Review.ID, StepID: name, Name: "step", Provider: m.acting(), ProviderName: m.kind,
			Request: llm.Request{Model: m.name, MaxTokens: m.max, Temperature: m.temp, Whole: m.whole},
			System:  StepSystem, Registry: room.deps.Registry, Gates: gates, Guard: guard, Images: room.deps.Model.Images, ImageLimits: room.attachments.limits(), Store: tr.Store(),
			Do: pipeline.New(gates.Fit(pipeline.Deps{
				Registry: room.deps.Registry, Simulating: true, Env: sim.Paged, Cache: sim.Cache, Secrets: room.deps.Guard.ResolveSecrets,
				Guards:  pipeline.Guards{Policy: pol, Limit: room.deps.Guard.Rate, Judge: asked.Judge, Ask: asked.Ask},
				Records: pipeline.Records{Cap: agent.Cap(sim.Review.Trace.Store(), pol.Limits.MaxOutputBytes), Redact: room.deps.Guard.RedactResult},
				Timeout: time.Duration(pol.Limits.MaxTimeoutMs) * time.Millisecond,
			})),
			On:    room.watchStep,
			Trace: tr.Recorder(), Parent: tr.Top(), TracesURL: history.TracesURL(sim.Review.ID),
			Policy: pol.Snapshot(), ExecutorVersion: version.Core, PlannerVersion: version.Core,
		},
		Last: room.lastValues(ctx, sim.Review, name),
		Done: func(out *agent.Outcome) { tr.Keep(out.Bundle) },
	}, nil
}

// lastValues gives what the pins of a step had when its action ran last; nil for
// nothing.
func (room *Chat) lastValues(ctx context.Context, se *transaction.Review, step string) agent.LastValues {
	if values := room.deps.Pins.Of(ctx, se.Pins, se.Action, step, se.ID); values != nil {
		return values
	}
	return nil
}
