package runner

import (
	"context"
	"slices"
	"strconv"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/tool"
)

// runStep waits for what must come before the step, and executes it.
func (r *run) runStep(ctx context.Context, s *step) {
	defer close(s.done)
	defer s.enqueued()
	if !r.awaitOrder(ctx, s) {
		r.notReached(s)
		return
	}
	if cause, from := r.brokenDependency(s); cause != nil {
		r.skip(s, cause, from)
		return
	}
	scope := r.scope()
	if done, err := r.unmet(s, &scope); done || err != nil {
		if err != nil {
			r.fail(s, fault.From(err))
		}
		return
	}
	calls, err := r.expand(s, &scope)
	if err != nil {
		r.fail(s, fault.From(err))
		return
	}
	if n := len(calls) - r.behind(s, len(calls)); r.Events.Expanded != nil && s.place >= r.Part.From && (n > 0 || len(calls) == 0) {
		r.Events.Expanded(s.Node, n)
	}
	s.Results = make([]*tool.Result, len(calls))
	s.enqueued()
	ended := r.lookAhead(ctx, s, calls)
	r.runCalls(ctx, s, calls)
	ended()
	r.conclude(s, calls)
}

// unmet says whether a step is not to be done, since its conditions do not hold or
// those of a step whose output it needs did not. It has ended well then, without an
// output.
func (r *run) unmet(s *step, scope *plan.Scope) (bool, error) {
	for _, d := range r.steps[:s.place] {
		if slices.Contains(s.Node.Needs, d.Node.Step.ID) && d.Unmet { // only what was waited for is read
			s.Unmet, s.CauseStep = true, d.Node.Step.ID
		}
	}
	if !s.Unmet {
		met, err := plan.Met(s.Node.Step, scope)
		if err != nil {
			return false, err
		}
		s.Unmet = !met
	}
	if s.Unmet {
		s.Status, s.Results = tool.OK, []*tool.Result{}
		if r.Events.Expanded != nil && s.place >= r.Part.From {
			r.Events.Expanded(s.Node, 0)
		}
	}
	return s.Unmet, nil
}

// awaitOrder waits for dependencies, and for earlier steps whose effects this
// one could see or disturb; false when the run has ended before.
func (r *run) awaitOrder(ctx context.Context, s *step) bool {
	depends := map[string]bool{}
	for _, id := range s.Node.DependsOn {
		depends[id] = true
	}
	for _, before := range r.steps[:s.place] {
		wait := before.queued
		switch {
		case r.Simulating, depends[before.Node.Step.ID], ordered(before.Node.Tool, s.Node.Tool):
			wait = before.done
		case before.Node.Tool.Claims == nil || s.Node.Tool.Claims == nil:
			continue
		}
		select {
		case <-wait:
		case <-ctx.Done():
			return false
		}
	}
	return !r.halted(ctx)
}

// ordered says whether two steps must run one after the other: one may see, or
// disturb, what the other does. Two that write are kept apart path by path.
func ordered(a, b *tool.Entry) bool {
	wa, wb := a.SideEffects.Risk() != tool.ReadOnly, b.SideEffects.Risk() != tool.ReadOnly
	switch {
	case !wa && !wb:
		return false
	case wa && wb:
		return a.Claims == nil || b.Claims == nil
	case wa:
		return b.SideEffects != tool.None
	}
	return a.SideEffects != tool.None
}

// brokenDependency finds the failure that keeps a step from running: the cause,
// not its echoes.
func (r *run) brokenDependency(s *step) (*tool.Error, string) {
	for _, id := range s.Node.DependsOn {
		for _, d := range r.steps[:s.place] {
			if d.Node.Step.ID != id || d.Status == tool.OK {
				continue
			}
			if d.CauseStep != "" {
				return d.Cause, d.CauseStep
			}
			if d.Cause == nil { // a result that was read back says no more
				return fault.New(fault.Precondition, "run.leftOut", fault.P{"step": id}), id
			}
			return d.Cause, id
		}
	}
	return nil, ""
}

// call is one iteration, ready to be made.
type call struct {
	index  int
	bind   func() (tool.Args, error)
	item   any
	loop   *plan.Loop
	scope  plan.Scope
	ticket *ticket
}

// expand gives a step's calls on real data. Where the tool claims paths, the
// arguments are bound here, since the claims depend on them.
func (r *run) expand(s *step, scope *plan.Scope) ([]call, error) {
	loop, err := plan.Expand(s.Node.Step, scope, r.Limits.MaxCalls)
	if err != nil {
		return nil, err
	}
	n := 1
	if loop != nil {
		n, s.Of = len(loop.Items), loop.Of
		for _, u := range loop.Unclear {
			s.unclear = append(s.unclear, tool.Skip{Path: subject(&call{item: u.Item}), Why: u.Why})
		}
	}
	if err := r.count(s, n); err != nil {
		return nil, err
	}
	calls := make([]call, n)
	for i := range calls {
		c := call{index: i, loop: loop}
		sc := *scope
		if loop != nil {
			c.item = loop.Items[i]
			sc = sc.At(i, c.item)
		}
		c.scope = sc
		c.bind = func() (tool.Args, error) { return s.Node.Args.Bind(&sc) }
		if s.Node.Tool.Claims != nil {
			args, err := c.bind()
			c.bind = func() (tool.Args, error) { return args, err }
			var names []string
			if err == nil {
				names = s.Node.Tool.Claims(args)
			}
			c.ticket = r.claims.register(names)
		}
		calls[i] = c
	}
	return calls, nil
}

// behind counts the calls of a step that were made before.
func (r *run) behind(s *step, calls int) int {
	n := 0
	for i := range calls {
		if r.Part.Prior[Seq(s.place, i)] != nil {
			n++
		}
	}
	return n
}

// lookAhead tells what a simulated step's calls will be called with.
func (r *run) lookAhead(ctx context.Context, s *step, calls []call) (ended func()) {
	if r.Ahead != nil && len(calls) > 1 && s.place >= r.Part.From {
		args := make([]func() (tool.Args, error), len(calls))
		for i := range calls {
			args[i] = calls[i].bind
		}
		if ended = r.Ahead(ctx, s.Node, args); ended != nil {
			return ended
		}
	}
	return func() {}
}

// count keeps a run within its number of calls.
func (r *run) count(s *step, n int) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls += n
	if r.Limits.MaxCalls > 0 && r.calls > r.Limits.MaxCalls {
		return fault.New(fault.Denied, "error.run.tooManyCalls", fault.P{
			"n": strconv.Itoa(r.calls), "max": strconv.Itoa(r.Limits.MaxCalls), "step": s.Node.Step.ID,
		})
	}
	return nil
}
