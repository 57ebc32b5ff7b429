package transaction

import (
	"context"

	"embedded-agent/wasm/internal/ahead"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/modelstep"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/tool/builtin"
)

// ReadWidth is how many reads are under way at once: one by one, the way to the
// host and back would be most of a simulation.
const ReadWidth = 16

// ahead asks for what the calls of a simulated step need: the files that they
// name, or, where they run a script for each of many notes, the scripts.
func (sim *Simulation) ahead(ctx context.Context, n *plan.Node, args []func() (tool.Args, error)) (ended func()) {
	sim.Draft.out.Loop(n.Step.ID, n.Tool, args)
	if n.Tool.Facts.AsksModel {
		sim.Loop = modelstep.NewLoop(n.Step.ID, args)
	}
	if n.Tool.Facts.RunsScript && sim.s.deps.Host.Sandbox != nil {
		env := sim.s.Env(sim.Draft.scene(sim.quota), nil, nil)
		script := func(a tool.Args) (host.Script, error) { return builtin.ScriptOf(env, a) }
		scripts := ahead.New(ctx, sim.s.deps.Host.Sandbox, args, script)
		sim.scripts = scripts
		return func() {
			scripts.Stop()
			sim.scripts = nil
		}
	}
	var paths []string
	for name, kind := range n.Tool.PathArgs() {
		if kind != "existing" {
			continue
		}
		for _, bind := range args {
			bound, err := bind()
			if err != nil {
				continue // the call itself will say so
			}
			if p, ok := bound[name].(string); ok {
				paths = append(paths, p)
			}
		}
	}
	if len(paths) > 0 {
		// What cannot be read ahead is read, or refused, when it is needed.
		_ = sim.Draft.base.Prefetch(ctx, paths, ReadWidth)
	}
	return nil
}
