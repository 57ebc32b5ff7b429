// Package ahead computes the scripts of a step's next calls while the core works on
// what one of them gave.
package ahead

import (
	"bytes"
	"context"
	"sync"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/tool"
)

// width is how many scripts are asked for beyond the one that is waited for.
const width = 8

// Sandbox is a step's sandbox: while the core works on what one script gave,
// the scripts of the calls that come next are computed already. The calls are
// still made one after the other, and each takes its own answer, so that nothing
// comes out otherwise. It begins with the first script that is run: a step whose
// results are all known runs none.
type Sandbox struct {
	behind host.Sandbox
	ctx    context.Context
	cancel context.CancelFunc
	script func(tool.Args) (host.Script, error)

	mu    sync.Mutex                  // guards what follows; nothing else is locked under it
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

var _ host.Sandbox = (*Sandbox)(nil)

// New gives the sandbox of a step whose calls have these arguments; script gives the
// script of a call, and box runs it. Nothing is computed yet.
func New(ctx context.Context, box host.Sandbox, args []func() (tool.Args, error), script func(tool.Args) (host.Script, error)) *Sandbox {
	ctx, cancel := context.WithCancel(ctx)
	return &Sandbox{behind: box, ctx: ctx, cancel: cancel, script: script, next: args}
}

// Stop stops the scripts that nobody waits for any more.
func (a *Sandbox) Stop() { a.cancel() }

// Run implements host.Sandbox.
func (a *Sandbox) Run(ctx context.Context, s host.Script) ([]byte, error) {
	p := a.take(s)
	if p == nil {
		return a.behind.Run(ctx, s)
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
func (a *Sandbox) take(s host.Script) *askedScript {
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
	for found != nil && len(a.asked) < width && len(a.next) > 0 {
		if following, ok := a.following(); ok {
			a.asked = append(a.asked, a.ask(following))
		}
	}
	a.last = found
	return found
}

// following takes the next call's script; false where it has none, which the
// call itself will say.
func (a *Sandbox) following() (host.Script, bool) {
	bind := a.next[0]
	a.next = a.next[1:]
	args, err := bind()
	if err != nil {
		return host.Script{}, false
	}
	s, err := a.script(args)
	return s, err == nil
}

func (a *Sandbox) ask(s host.Script) *askedScript {
	ctx, cancel := context.WithCancel(a.ctx)
	p := &askedScript{Script: s, cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(p.done)
		p.out, p.err = a.behind.Run(ctx, s)
	}()
	return p
}

func sameScript(a, b host.Script) bool {
	return a.Source == b.Source && bytes.Equal(a.Input, b.Input) && a.Now.Equal(b.Now) && a.Limits == b.Limits
}
