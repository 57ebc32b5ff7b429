package server

import (
	"context"
	_ "embed"
	"time"

	"embedded-agent/wasm/internal/agent"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/pipeline"
	"embedded-agent/wasm/internal/policy"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/tool"
)

//go:embed agentstep.md
var stepSystem string

// simulation is one simulation of a session, as its model steps see it. They
// share one budget, over every step and iteration.
type simulation struct {
	s      *Server
	se     *session
	vault  *overlay.Vault
	policy *policy.Policy
	budget *agent.Budget
	cache  pipeline.Cache // of all tools but model steps
	// scripts is the sandbox of the step that runs one script after the other.
	scripts *scriptsAhead
}

// simulation begins one.
func (s *Server) simulation(se *session, v *overlay.Vault, pol *policy.Policy) *simulation {
	return &simulation{s: s, se: se, vault: v, policy: pol, budget: agent.NewBudget(), cache: s.resultsFor(v)}
}

// env is the surroundings of a simulated call.
func (sim *simulation) env(c *tool.Call) (*tool.Env, *overlay.View) {
	w := sim.vault.For(c.LogicalID)
	env := sim.s.env(sim.se, w, sim.policy)
	env.Progress = sim.progressOf(c)
	if !sim.se.sealed { // what has to come out as it was approved has the frozen answers
		env.AskModel = agent.Steps(sim.startStep)
	}
	env.Workspace = simulatedWorkspace{env.Workspace, w}
	if sim.se.sealed {
		env.HTTP = nil // what was read from the web is frozen, and not read again
	}
	if sim.scripts != nil {
		env.Sandbox = sim.scripts
	}
	return env, w
}

// paged is env for a call whose output a model reads.
func (sim *simulation) paged(c *tool.Call) (*tool.Env, *overlay.View) {
	env, w := sim.env(c)
	env.Paged, env.Kept = true, sim.s.keptOf(sim.se.id)
	return env, w
}

// resultsFor gives the cache of results to a pipeline over an overlay. Each
// overlay has numbers of its own, and another after each write to it: a tool that
// reads the vault is never answered with what it read in another state of it.
func (s *Server) resultsFor(v *overlay.Vault) pipeline.Cache {
	base := s.overlays.Add(1) << 32
	return s.results.For(func() uint64 { return base | uint64(len(v.Log())) })
}

// secretScope is the part that secrets have in the key of the result cache.
func (s *Server) secretScope(e *tool.Entry, args tool.Args) string {
	_, scope, err := s.secrets().Resolve(s.life, e, e.SecretNames(args), "")
	if err != nil {
		return "none"
	}
	return scope
}

// startStep makes a model step ready.
func (sim *simulation) startStep(ctx context.Context, env *tool.Env, a agent.StepArgs) (agent.Step, error) {
	s, name := sim.s, agent.StepName(env.Call)
	m, err := s.newModel(ctx, "", func(protocol.Message) {})
	if err != nil {
		return agent.Step{}, err
	}
	guard, err := s.guard(m, sim.budget, &a)
	if err != nil {
		return agent.Step{}, err
	}
	gates := agent.NewGates()
	pol := sim.policy
	tr := sim.se.trace
	// The model has read what it was given: whatever it asks for may hold it.
	asked := &outgoing{s: s, said: func() string { return sim.se.said }}
	return agent.Step{
		Config: agent.Config{
			RunID: sim.se.id, StepID: name, Name: "step", Provider: m.acting(s), ProviderName: m.kind,
			Request: llm.Request{Model: m.name, MaxTokens: m.max, Temperature: m.temp, Whole: m.whole},
			System:  stepSystem, Registry: s.registry, Gates: gates, Guard: guard, Images: s.deps.Images, ImageLimits: s.imageLimits(), Store: tr.store(),
			Do: pipeline.New(gates.Fit(pipeline.Deps{
				Registry: s.registry, Policy: pol, Simulating: true, Env: sim.paged, Cache: sim.cache,
				Limit: s.rate, Secrets: s.resolveSecrets, Cap: agent.Cap(sim.se.trace.store(), pol.Limits.MaxOutputBytes), Redact: s.redactResult,
				Judge: asked.judge, Ask: asked.ask,
				Timeout: time.Duration(pol.Limits.MaxTimeoutMs) * time.Millisecond,
			})),
			On:    s.watchStep,
			Trace: tr.recorder(), Parent: tr.top(), TracesURL: tracesURL(sim.se.id),
			Policy: pol.Snapshot(), ExecutorVersion: Version, PlannerVersion: Version,
		},
		Last: s.pinsOf(ctx, sim.se, name),
		Done: func(out *agent.Outcome) { tr.keep(out.Bundle) },
	}, nil
}

// frozenUsed gives the frozen results of the model steps that the session's plan
// has now; others are left from before an amendment.
func (se *session) frozenUsed() map[string]tool.Data {
	out := map[string]tool.Data{}
	if se.frozen == nil {
		return out
	}
	for id, d := range se.frozen.Results() {
		if se.called[id] != nil {
			out[id] = d
		}
	}
	return out
}

// redactFrozen gives the frozen results of a run as they may be kept.
func (s *Server) redactFrozen(d *runDocument, se *session) map[string]tool.Data {
	out := se.frozenUsed()
	for id, data := range out {
		clean, changed := s.redactValue(map[string]any(data))
		if changed {
			out[id], _ = clean.(map[string]any)
			d.Redacted = true
		}
	}
	return out
}
