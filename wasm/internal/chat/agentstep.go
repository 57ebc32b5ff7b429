package chat

import (
	"context"
	_ "embed"
	"time"

	"embedded-agent/wasm/internal/agent"
	"embedded-agent/wasm/internal/fault"
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

// AskModel makes a model step of a simulation: with others of its loop in one request,
// where their answers are short.
func (room *Chat) AskModel(ctx context.Context, sim *transaction.Simulation, env *tool.Env, args tool.Args) (tool.Data, error) {
	start := func(ctx context.Context, env *tool.Env, a modelstep.Args) (agent.Step, error) {
		return startStep(ctx, room, sim, env, a)
	}
	if err := askTogether(ctx, sim, env, args, start); err != nil {
		return nil, err
	}
	if answer, _ := sim.Loop.Ready(env.Call, args); answer != nil {
		return agent.DataOf(answer, history.TracesURL(sim.Draft.ID))
	}
	return agent.Steps(start)(ctx, env, args)
}

// The bounds of one request for several calls: how many they are, and how many bytes
// their arguments have.
const (
	mostTogether  = 20
	bytesTogether = 60_000
)

// askTogether asks for the answer of a call, and of those that follow it in its loop,
// where nobody has asked for them yet.
func askTogether(ctx context.Context, sim *transaction.Simulation, env *tool.Env, args tool.Args, start agent.StepStart) error {
	if _, known := sim.Loop.Ready(env.Call, args); known {
		return nil
	}
	batch := next(sim, env.Call)
	if len(batch) < 2 {
		return nil
	}
	calls := make([]modelstep.Args, len(batch))
	for i, c := range batch {
		calls[i] = c.Args
	}
	answers, err := agent.Together(ctx, env, calls, start)
	if err != nil && fault.From(err).Code != fault.Provider {
		return err
	}
	for i, c := range batch {
		var answer *modelstep.Answer // where the request failed, each is asked alone
		if err == nil {
			answer = answers[i]
		}
		sim.Loop.Keep(c, answer)
	}
	return nil
}

// next gives a call and those after it whose answers can be asked for in one request.
func next(sim *transaction.Simulation, c *tool.Call) []modelstep.Coming {
	var first *modelstep.Args
	frozen, bytes, n := frozenOf(sim, c), 0, 0
	return sim.Loop.From(c, func(next modelstep.Coming) (in, more bool) {
		if first == nil {
			if next.Index != c.Iteration.Index || !next.Args.Small() {
				return false, false
			}
			first = &next.Args
		}
		size := len(shorten.JSON(next.Raw))
		if n > 0 && bytes+size > bytesTogether || n == mostTogether {
			return false, false
		}
		if !modelstep.Alike(*first, next.Args) || frozen(next) {
			return false, true
		}
		n, bytes = n+1, bytes+size
		return true, true
	})
}

// frozenOf gives what says whether a call of a loop was answered before, in an earlier
// simulation of the review.
func frozenOf(sim *transaction.Simulation, c *tool.Call) func(modelstep.Coming) bool {
	answered := sim.Draft.Frozen.Results()
	if len(answered) == 0 || c.Iteration == nil {
		return func(modelstep.Coming) bool { return false }
	}
	return func(next modelstep.Coming) bool {
		other := tool.Call{Tool: c.Tool, Version: c.Version, RunID: c.RunID, Args: next.Raw, Seq: c.Seq + next.Index - c.Iteration.Index}
		if other.Identify() != nil {
			return false
		}
		_, ok := answered[other.LogicalID]
		return ok
	}
}

// startStep makes a model step ready.
func startStep(ctx context.Context, room *Chat, sim *transaction.Simulation, env *tool.Env, a modelstep.Args) (agent.Step, error) {
	name := modelstep.Name(env.Call)
	m, err := room.Models.New(ctx, "", func(protocol.Message) {})
	if err != nil {
		return agent.Step{}, err
	}
	guard, err := m.guard(room, sim.Budget, &a, sim.Draft.Leave.Tokens())
	if err != nil {
		return agent.Step{}, err
	}
	if err := room.fits(m, &a); err != nil {
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
	f := folding()
	return agent.Model{
		Provider: m.acting(f), ProviderName: m.kind, System: system, Sent: f.Request,
		Request: llm.Request{Model: m.name, MaxTokens: m.max, Temperature: m.temp, Whole: m.whole, CacheKey: "embedded-agent-agent"},
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
// plan, whose limits are narrower: where the settings have none, it has so many
// tokens as the person allowed.
func (m *model) guard(room *Chat, budget *limits.Budget, step *modelstep.Args, tokens int64) (*agent.Guard, error) {
	l, err := room.deps.Guard.AgentLimits()
	if err != nil {
		return nil, err
	}
	if step != nil {
		if l = step.Tighten(l); l.MaxTokens == 0 {
			l.MaxTokens = tokens
		}
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
