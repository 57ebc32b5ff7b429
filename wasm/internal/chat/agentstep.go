package chat

import (
	"context"
	_ "embed"
	"time"

	"embedded-agent/wasm/internal/agent"
	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/limits"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/modelstep"
	"embedded-agent/wasm/internal/pipeline"
	"embedded-agent/wasm/internal/policy"
	"embedded-agent/wasm/internal/price"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/shorten"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/transaction"
	"embedded-agent/wasm/internal/version"
)

//go:embed agentstep.md
var StepSystem string

// AskModel makes a model step of a simulation.
func (room *Chat) AskModel(ctx context.Context, sim *transaction.Simulation, env *tool.Env, args tool.Args) (tool.Data, error) {
	ask := agent.Steps(func(ctx context.Context, env *tool.Env, a modelstep.Args) (agent.Step, error) {
		return startStep(ctx, room, sim, env, a)
	})
	return ask(ctx, env, args)
}

// startStep makes a model step ready.
func startStep(ctx context.Context, room *Chat, sim *transaction.Simulation, env *tool.Env, a modelstep.Args) (agent.Step, error) {
	name := modelstep.Name(env.Call)
	m, err := room.Models.New(ctx, "", func(protocol.Message) {})
	if err != nil {
		return agent.Step{}, err
	}
	guard, err := m.guard(room, sim.Budget, &a)
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
			Identity: agent.Identity{RunID: sim.Draft.ID, StepID: name, Name: "step"},
			Model:    m.asked(StepSystem),
			Registry: room.deps.Registry, Gates: gates, Guard: guard,
			Do: pipeline.New(gates.Fit(pipeline.Deps{
				Registry: room.deps.Registry, Simulating: true, Env: sim.Paged, Cache: sim.Cache, Secrets: room.deps.Guard.ResolveSecrets,
				Guards:  pipeline.Guards{Policy: pol, Limit: room.deps.Guard.Rate, Judge: asked.Judge, Ask: asked.Ask},
				Records: pipeline.Records{Cap: shorten.Cap(sim.Draft.Trace.Store(), pol.Limits.MaxOutputBytes), Redact: room.deps.Guard.RedactResult},
				Timeout: time.Duration(pol.Limits.MaxTimeoutMs) * time.Millisecond,
			})),
			Results:  agent.Results{Images: room.deps.Model.Images, ImageLimits: room.attachments.limits(), Store: tr.Store()},
			Watchers: watchers(sim.Draft.ID, tr, room.watchStep), Origin: origin(pol),
		},
		Last: room.lastValues(ctx, sim.Draft, name),
		Done: func(out *agent.Outcome) { keepBundle(tr, out.Bundle, room.deps.Registry) },
	}, nil
}

// asked says how an agent asks the model.
func (m *model) asked(system string) agent.Model {
	return agent.Model{
		Provider: m.acting(), ProviderName: m.kind, System: system,
		Request: llm.Request{Model: m.name, MaxTokens: m.max, Temperature: m.temp, Whole: m.whole},
	}
}

// watchers are told what an agent does for a run: the panel, and the run's trace.
func watchers(run string, tr *history.Tracing, on func(agent.Event)) agent.Watchers {
	return agent.Watchers{On: on, Trace: tr.Recorder(), Parent: tr.Top(), TracesURL: history.TracesURL(run)}
}

// origin says who an agent's calls are made for, and under which policy.
func origin(pol *policy.Policy) agent.Origin {
	return agent.Origin{Policy: pol.Snapshot(), ExecutorVersion: version.Core, PlannerVersion: version.Core}
}

// guard makes the guard of an agent that asks the model, or of a model step of a
// plan, whose limits are narrower.
func (m *model) guard(room *Chat, budget *limits.Budget, step *modelstep.Args) (*agent.Guard, error) {
	l, err := room.deps.Guard.AgentLimits()
	if err != nil {
		return nil, err
	}
	if step != nil {
		l = step.Tighten(l)
	}
	prices, host := room.deps.Usage.Prices(), m.host()
	find := func(model string) (price.Price, bool) { return prices.Find(host, model) }
	return agent.NewGuard(l, budget, agent.WithPrices(find), agent.Also(room.deps.Guard.StillOffered)), nil
}

// lastValues gives what the pins of a step had when its action ran last; nil for
// nothing.
func (room *Chat) lastValues(ctx context.Context, d *transaction.Draft, step string) modelstep.LastValues {
	if values := room.deps.Pins.Of(ctx, d.Pins, d.Action, step, d.ID); values != nil {
		return values
	}
	return nil
}
