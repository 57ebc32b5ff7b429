package staged

import (
	"context"

	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/runner"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/version"
)

// Submitted says what came of a plan that was staged.
type Submitted struct {
	Writes  int            `json:"writes"` // that it staged
	Outputs map[string]any `json:"outputs"`
	Skipped int            `json:"skipped"` // calls that failed, and that the plan goes on without
}

// Submit runs a plan over what is staged, and stages what it writes: all of it, or
// nothing where the plan comes to no end. Values fill its parameters.
func (c *Calls) Submit(ctx context.Context, by string, raw []byte, values map[string]any) (*Submitted, error) {
	graph, err := c.graphOf(raw, values)
	if err != nil {
		return nil, err
	}
	var out *Submitted
	err = c.over(ctx, func(l *callLog, g *ground) error {
		before := len(g.vault.Log())
		rep := runner.Run(ctx, runner.Config{
			RunID: g.id, Graph: graph, Call: g.pipeline(), Limits: g.pol.Limits, Simulating: true, Day: g.scene.Now,
			Base: tool.Call{
				ExecutorVersion: version.Core, ToolRegistryVersion: c.deps.Registry.Version(), PlannerVersion: version.Core, Policy: g.pol.Snapshot(),
			},
			Make: g.scene.Quota.Build,
		})
		if err := ctx.Err(); err != nil {
			return err
		}
		if rep.Stopped != nil {
			return rep.Stopped
		}
		writes := writesOf(g.vault.Log()[before:])
		_, failed, skipped := rep.Counts()
		out = &Submitted{Writes: len(writes), Outputs: rep.Outputs, Skipped: failed + skipped}
		return l.stage(ctx, noted{By: c.deps.Out.Redact(by), Tool: "plan", Writes: writes})
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// graphOf checks a plan, and binds its parameters.
func (c *Calls) graphOf(raw []byte, values map[string]any) (*plan.Graph, error) {
	p, problems := plan.Decode(raw, plan.Limits{})
	if p == nil || plan.Failed(problems) {
		return nil, plan.Fault(problems)
	}
	rules := c.deps.Guard.Rules()
	if len(plan.Parameters(p)) > 0 {
		bound, err := plan.BindParameters(plan.Mend(p, c.deps.Registry), values)
		if err != nil {
			return nil, err
		}
		rules = c.deps.Guard.BoundRules()
		if raw, err = canon.Encode(bound); err != nil {
			return nil, err
		}
	}
	_, g, _, problems := plan.Accept(raw, c.deps.Registry, rules)
	if g == nil || plan.Failed(problems) {
		return nil, plan.Fault(problems)
	}
	return g, nil
}
