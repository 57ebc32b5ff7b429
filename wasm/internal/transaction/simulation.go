package transaction

import (
	"context"

	"embedded-agent/wasm/internal/agent"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/pipeline"
	"embedded-agent/wasm/internal/policy"
	"embedded-agent/wasm/internal/tool"
)

// simulation is one simulation of a session, as its model steps see it. They
// share one budget, over every step and iteration.
type simulation struct {
	t      *Transactions
	Review *Review
	vault  *overlay.Vault
	Policy *policy.Policy
	Budget *agent.Budget
	Cache  pipeline.Cache // of all tools but model steps
	// scripts is the sandbox of the step that runs one script after the other.
	scripts *ScriptsAhead
}

type simulationKey struct{}

// simulation begins one.
func (t *Transactions) simulation(se *Review, v *overlay.Vault, pol *policy.Policy) *simulation {
	return &simulation{t: t, Review: se, vault: v, Policy: pol, Budget: agent.NewBudget(), Cache: t.ResultsFor(v)}
}

// in lets the tools that are called in ctx find the simulation.
func (sim *simulation) in(ctx context.Context) context.Context {
	return context.WithValue(ctx, simulationKey{}, sim)
}

// env is the surroundings of a simulated call.
func (sim *simulation) env(c *tool.Call) (*tool.Env, *overlay.View) {
	w := sim.vault.For(c.LogicalID)
	env := sim.t.Env(sim.Review, w, sim.Policy)
	env.Progress = sim.progressOf(c)
	env.Workspace = simulatedWorkspace{env.Workspace, w}
	if sim.Review.Sealed {
		env.HTTP = nil // what was read from the web is frozen, and not read again
	}
	if sim.scripts != nil {
		env.Sandbox = sim.scripts
	}
	return env, w
}

// Paged is env for a call whose output a model reads.
func (sim *simulation) Paged(c *tool.Call) (*tool.Env, *overlay.View) {
	env, w := sim.env(c)
	env.Paged, env.Kept = true, sim.t.deps.History.KeptOf(sim.Review.ID)
	return env, w
}

// ResultsFor gives the cache of results to a pipeline over an overlay. Each
// overlay has numbers of its own, and another after each write to it: a tool that
// reads the vault is never answered with what it read in another state of it.
func (t *Transactions) ResultsFor(v *overlay.Vault) pipeline.Cache {
	base := t.overlays.Add(1) << 32
	return t.results.For(func() uint64 { return base | uint64(len(v.Log())) })
}

// SecretScope is the part that secrets have in the key of the result cache.
func (t *Transactions) SecretScope(e *tool.Entry, args tool.Args) string {
	_, scope, err := t.deps.Guard.Secrets().Resolve(t.deps.Life, e, e.SecretNames(args))
	if err != nil {
		return "none"
	}
	return scope
}

// SimulationOf finds the simulation that a tool is called in; nil outside of one.
func SimulationOf(ctx context.Context) *simulation {
	sim, _ := ctx.Value(simulationKey{}).(*simulation)
	return sim
}
