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
	m, err := room.NewModel(ctx, "", func(protocol.Message) {})
	if err != nil {
		return agent.Step{}, err
	}
	guard, err := room.deps.Guard.Agent(m.host(), sim.Budget, &a)
	if err != nil {
		return agent.Step{}, err
	}
	gates := agent.NewGates()
	pol := sim.Policy
	tr := sim.Draft.Trace
	// The model has read what it was given: whatever it asks for may hold it.
	asked := room.deps.Guard.NewOutgoing(func() string { return sim.Draft.Said }, nil)
	return agent.Step{
		Config: agent.Config{
			RunID: sim.Draft.ID, StepID: name, Name: "step", Provider: m.acting(room), ProviderName: m.kind,
			Request: llm.Request{Model: m.name, MaxTokens: m.max, Temperature: m.temp, Whole: m.whole},
			System:  StepSystem, Registry: room.deps.Registry, Gates: gates, Guard: guard, Images: room.deps.Images, ImageLimits: room.imageLimits(), Store: tr.Store(),
			Do: pipeline.New(gates.Fit(pipeline.Deps{
				Registry: room.deps.Registry, Policy: pol, Simulating: true, Env: sim.Paged, Cache: sim.Cache,
				Limit: room.deps.Guard.Rate, Secrets: room.deps.Guard.ResolveSecrets, Cap: agent.Cap(sim.Draft.Trace.Store(), pol.Limits.MaxOutputBytes), Redact: room.deps.Guard.RedactResult,
				Judge: asked.Judge, Ask: asked.Ask,
				Timeout: time.Duration(pol.Limits.MaxTimeoutMs) * time.Millisecond,
			})),
			On:    room.watchStep,
			Trace: tr.Recorder(), Parent: tr.Top(), TracesURL: history.TracesURL(sim.Draft.ID),
			Policy: pol.Snapshot(), ExecutorVersion: version.Core, PlannerVersion: version.Core,
		},
		Last: room.lastValues(ctx, sim.Draft, name),
		Done: func(out *agent.Outcome) { tr.Keep(out.Bundle) },
	}, nil
}

// lastValues gives what the pins of a step had when its action ran last; nil for
// nothing.
func (room *Chat) lastValues(ctx context.Context, d *transaction.Draft, step string) agent.LastValues {
	if values := room.deps.Pins.Of(ctx, d.Pins, d.Action, step, d.ID); values != nil {
		return values
	}
	return nil
}
