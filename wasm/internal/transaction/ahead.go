package transaction

import (
	"bytes"
	"context"
	"sync"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
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
	sim.Review.out.Loop(n.Step.ID, n.Tool, args)
	if n.Tool.Facts.RunsScript && sim.t.deps.Host.Sandbox != nil {
		env := sim.t.Env(sim.Review, nil, nil)
		script := func(a tool.Args) (host.Script, error) { return builtin.ScriptOf(env, a) }
		scripts := NewScriptsAhead(ctx, sim.t.deps.Host.Sandbox, args, script)
		sim.scripts = scripts
		return func() {
			scripts.Cancel()
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
		_ = sim.Review.Base.Prefetch(ctx, paths, ReadWidth)
	}
	return nil
}

// scriptWidth is how many scripts are asked for beyond the one that is waited
// for.
const scriptWidth = 8

// ScriptsAhead is a step's sandbox: while the core works on what one script gave,
// the scripts of the calls that come next are computed already. The calls are
// still made one after the other, and each takes its own answer, so that nothing
// comes out otherwise. It begins with the first script that is run: a step whose
// results are all known runs none.
type ScriptsAhead struct {
	host.Sandbox
	ctx    context.Context
	Cancel context.CancelFunc
	script func(tool.Args) (host.Script, error)

	mu    sync.Mutex
	next  []func() (tool.Args, error) // of the calls whose scripts are not asked for
	asked []*askedScript              // in the order of their calls
	last  *askedScript                // the one that was given out
}

// askedScript is a script on its way.
type askedScript struct {
	host.Script
	cancel context.CancelFunc
	done   chan struct{}
	out    []byte
	err    error
}

var _ host.Sandbox = (*ScriptsAhead)(nil)

func NewScriptsAhead(ctx context.Context, box host.Sandbox, args []func() (tool.Args, error), script func(tool.Args) (host.Script, error)) *ScriptsAhead {
	ctx, cancel := context.WithCancel(ctx)
	return &ScriptsAhead{Sandbox: box, ctx: ctx, Cancel: cancel, script: script, next: args}
}

// Run implements host.Sandbox.
func (a *ScriptsAhead) Run(ctx context.Context, s host.Script) ([]byte, error) {
	p := a.take(s)
	if p == nil {
		return a.Sandbox.Run(ctx, s)
	}
	defer p.cancel()
	select {
	case <-p.done:
		return p.out, p.err
	case <-ctx.Done():
		return nil, fault.From(ctx.Err())
	}
}

// take gives the script that was asked for, and has those that follow it asked
// for; nil for one that is none of the calls to come: one that is tried again,
// say. Calls are left out whose results were known: their scripts are not
// waited for.
func (a *ScriptsAhead) take(s host.Script) *askedScript {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.last != nil && sameScript(a.last.Script, s) {
		return nil
	}
	var found *askedScript
	for found == nil && len(a.asked) > 0 {
		if p := a.asked[0]; sameScript(p.Script, s) {
			found = p
		}
		a.asked = a.asked[1:]
	}
	for found == nil && len(a.next) > 0 {
		if following, ok := a.following(); ok && sameScript(following, s) {
			found = a.ask(following)
		}
	}
	for found != nil && len(a.asked) < scriptWidth && len(a.next) > 0 {
		if following, ok := a.following(); ok {
			a.asked = append(a.asked, a.ask(following))
		}
	}
	a.last = found
	return found
}

// following takes the next call's script; false where it has none, which the
// call itself will say.
func (a *ScriptsAhead) following() (host.Script, bool) {
	bind := a.next[0]
	a.next = a.next[1:]
	args, err := bind()
	if err != nil {
		return host.Script{}, false
	}
	s, err := a.script(args)
	return s, err == nil
}

func (a *ScriptsAhead) ask(s host.Script) *askedScript {
	ctx, cancel := context.WithCancel(a.ctx)
	p := &askedScript{Script: s, cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(p.done)
		p.out, p.err = a.Sandbox.Run(ctx, s)
	}()
	return p
}

func sameScript(a, b host.Script) bool {
	return a.Source == b.Source && bytes.Equal(a.Input, b.Input) && a.Now.Equal(b.Now) && a.Limits == b.Limits
}
