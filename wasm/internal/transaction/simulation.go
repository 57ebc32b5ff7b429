package transaction

import (
	"context"

	"embedded-agent/wasm/internal/ahead"
	"embedded-agent/wasm/internal/limits"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/pipeline"
	"embedded-agent/wasm/internal/policy"
	"embedded-agent/wasm/internal/quota"
	"embedded-agent/wasm/internal/tool"
)

// Simulation is one simulation of a draft, as its model steps see it. They
// share one budget, over every step and iteration.
type Simulation struct {
	s      *simulator
	Draft  *Draft
	vault  *overlay.Vault
	quota  *quota.Plan
	called map[string]*tool.Call // call_id -> the call as it was made
	Policy *policy.Policy
	Budget *limits.Budget
	Cache  pipeline.Cache // of all tools but model steps
	// scripts is the sandbox of the step that runs one script after the other.
	scripts *ahead.Sandbox
}

// begin begins the simulation of a draft, on an empty overlay.
func (s *simulator) begin(d *Draft, pol *policy.Policy) *Simulation {
	q := s.NewQuota()
	v := Over(d.base, pol, overlay.WithAmendments(d.amend), overlay.WithQuota(q.Write))
	return &Simulation{
		s: s, Draft: d, vault: v, quota: q, called: map[string]*tool.Call{},
		Policy: pol, Budget: limits.NewBudget(), Cache: s.ResultsFor(v),
	}
}

// env is the surroundings of a simulated call.
func (sim *Simulation) env(c *tool.Call) (*tool.Env, *overlay.View) {
	w := sim.vault.For(c.LogicalID)
	env := sim.s.Env(sim.Draft.scene(sim.quota), w, sim.Policy)
	env.Progress = sim.progressOf(c)
	if !sim.Draft.sealed { // what has to come out as it was approved has the frozen answers
		env.Model.Ask = func(ctx context.Context, env *tool.Env, args tool.Args) (tool.Data, error) {
			return sim.s.deps.AskModel(ctx, sim, env, args)
		}
	}
	env.Workspace = simulatedWorkspace{env.Workspace, w}
	if sim.Draft.sealed {
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
	env.Model.Paged, env.Model.Kept = true, sim.s.deps.History.KeptOf(sim.Draft.ID)
	return env, w
}

// ResultsFor gives the cache of results to a pipeline over an overlay. Each
// overlay has numbers of its own, and another after each write to it: a tool that
// reads the vault is never answered with what it read in another state of it.
func (s *simulator) ResultsFor(v *overlay.Vault) pipeline.Cache {
	base := s.overlays.Add(1) << 32
	return s.results.For(func() uint64 { return base | uint64(len(v.Log())) })
}

// secretScope is the part that secrets have in the key of the result cache.
func (s *simulator) secretScope(e *tool.Entry, args tool.Args) string {
	_, scope, err := s.deps.Guard.Secrets().Resolve(s.deps.Life, e, e.SecretNames(args), "")
	if err != nil {
		return "none"
	}
	return scope
}
