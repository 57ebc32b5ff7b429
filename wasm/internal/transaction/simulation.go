package transaction

import (
	"context"

	"embedded-agent/wasm/internal/limits"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/pipeline"
	"embedded-agent/wasm/internal/policy"
	"embedded-agent/wasm/internal/tool"
)

// Simulation is one simulation of a session, as its model steps see it. They
// share one budget, over every step and iteration.
type Simulation struct {
	t      *Transactions
	Review *Review
	vault  *overlay.Vault
	Policy *policy.Policy
	Budget *limits.Budget
	Cache  pipeline.Cache // of all tools but model steps
	// scripts is the sandbox of the step that runs one script after the other.
	scripts *ScriptsAhead
}

// simulation begins one.
func (t *Transactions) simulation(se *Review, v *overlay.Vault, pol *policy.Policy) *Simulation {
	return &Simulation{t: t, Review: se, vault: v, Policy: pol, Budget: limits.NewBudget(), Cache: t.ResultsFor(v)}
}

// env is the surroundings of a simulated call.
func (sim *Simulation) env(c *tool.Call) (*tool.Env, *overlay.View) {
	w := sim.vault.For(c.LogicalID)
	env := sim.t.Env(sim.Review, w, sim.Policy)
	env.Progress = sim.progressOf(c)
	if !sim.Review.Sealed { // what has to come out as it was approved has the frozen answers
		env.Model.Ask = func(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
			return sim.t.deps.AskModel(ctx, sim, env, args)
		}
	}
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
func (sim *Simulation) Paged(c *tool.Call) (*tool.Env, *overlay.View) {
	env, w := sim.env(c)
	env.Model.Paged, env.Model.Kept = true, sim.t.deps.History.KeptOf(sim.Review.ID)
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
	_, scope, err := t.deps.Guard.Secrets().Resolve(t.deps.Life, e, e.SecretNames(args), "")
	if err != nil {
		return "none"
	}
	return scope
}
