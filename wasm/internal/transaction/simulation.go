package transaction

import (
	"context"

	"embedded-agent/wasm/internal/ahead"
	"embedded-agent/wasm/internal/headway"
	"embedded-agent/wasm/internal/limits"
	"embedded-agent/wasm/internal/modelstep"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/pipeline"
	"embedded-agent/wasm/internal/plan"
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
	steps  map[string]string     // call_id -> its step, of the calls that began
	Policy *policy.Policy
	Budget *limits.Budget
	Cache  pipeline.Cache // of all tools but model steps
	// Loop is the loop of model steps that is under way, or was last.
	Loop *modelstep.Loop
	// scripts is the sandbox of the step that runs one script after the other.
	scripts *ahead.Sandbox
}

// begin begins the simulation of a draft, on an empty overlay.
func (s *simulator) begin(d *Draft, pol *policy.Policy) *Simulation {
	q := s.NewQuota()
	steps := map[string]string{}
	v := Over(d.base, pol, overlay.WithAmendments(d.amend), overlay.WithQuota(q.Write), overlay.WithGuardOf(func(call string) overlay.Guard {
		return d.once.Lifted(pol, steps[call]).CheckOp
	}))
	return &Simulation{
		s: s, Draft: d, vault: v, quota: q, called: map[string]*tool.Call{}, steps: steps,
		Policy: pol, Budget: limits.NewBudget(), Cache: s.ResultsFor(v),
	}
}

// ask asks the person about a simulated call.
func (sim *Simulation) ask(ctx context.Context, c *tool.Call, v policy.Verdict) (bool, error) {
	if n := sim.Draft.graph.Node(c.StepID); n != nil && n.Tool.Facts.AsksModel {
		return sim.s.deps.AllowStep(ctx, sim, c)
	}
	return sim.Draft.out.Ask(ctx, c, v)
}

// Steps gives the steps of the draft's plan.
func (d *Draft) Steps() []*plan.Node { return d.graph.Nodes }

// env is the surroundings of a simulated call.
func (sim *Simulation) env(c *tool.Call) (*tool.Env, *overlay.View) {
	w := sim.vault.For(c.LogicalID)
	sim.steps[c.LogicalID] = c.StepID
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

// progressOf gives a simulated call's way to say how far it is.
func (sim *Simulation) progressOf(c *tool.Call) func(p tool.Progress) {
	m, now := headway.NewMeter(), sim.s.deps.Now
	m.Begins(c.CallID, now())
	return func(p tool.Progress) {
		m.Of(c.CallID, p, now(), func(p tool.Progress) {
			sim.s.deps.Out.GatherProgress(headway.Event(c, c.CallID, now(), true, p))
		})
	}
}
