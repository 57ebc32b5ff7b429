package pipeline

import (
	"context"
	"runtime"
	"sync"
	"time"

	"embedded-agent/wasm/internal/tool"
)

// limit is how long one attempt may take, or how long a tool that tells how far it
// is may take to come further: the call's own limit, the tool's, or
// the policy's, and never more than the policy's; 0 for no limit.
func (s *state) limit() time.Duration {
	limit := s.d.Timeout
	if s.entry.Timeout > 0 && (limit == 0 || s.entry.Timeout < limit) {
		limit = s.entry.Timeout
	}
	if own := time.Duration(s.call.TimeoutMs) * time.Millisecond; own > 0 && (limit == 0 || own < limit) {
		limit = own
	}
	return limit
}

// abandon is how long a tool whose time is over may take to notice.
const abandon = time.Second

// run runs the tool. In a simulation its time is kept from outside: one that
// computes on without looking at ctx is left to itself, and cannot write any
// more, since the overlay refuses what comes under a context that has ended.
// Under js/wasm, where nothing goes on beside a computation, the app's side ends a
// core that does not answer.
func (s *state) run(ctx context.Context) (tool.Data, error) {
	if !s.d.Simulating || runtime.GOOS == "js" {
		return s.entry.Run(ctx, s.env, s.call.Args)
	}
	type outcome struct {
		data     tool.Data
		err      error
		panicked any
	}
	ended := make(chan outcome, 1)
	env, args := s.env, s.call.Args
	go func() {
		var o outcome
		defer func() {
			o.panicked = recover()
			ended <- o
		}()
		o.data, o.err = s.entry.Run(ctx, env, args)
	}()
	var o outcome
	select {
	case o = <-ended:
	case <-ctx.Done():
		timer := time.NewTimer(abandon)
		defer timer.Stop()
		select {
		case o = <-ended:
		case <-timer.C:
			return nil, ctx.Err()
		}
	}
	if o.panicked != nil {
		panic(o.panicked) // guard makes an error of it
	}
	return o.data, o.err
}

// deadline bounds one attempt by the deadline that its call carries.
func (s *state) deadline(ctx context.Context) (context.Context, context.CancelFunc) {
	if s.clock.by.IsZero() {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, s.clock.by)
}

// bounded is patiently for so many writes, and deadline for one, which costs less.
func (s *state) bounded(ctx context.Context, writes int, tell func(tool.Progress)) (context.Context, context.CancelFunc, func(tool.Progress)) {
	if writes > 1 {
		return s.patiently(ctx, tell)
	}
	ctx, cancel := s.deadline(ctx)
	return ctx, cancel, tell
}

// patiently bounds one attempt by its limit, counted from when it last came
// further: the tool says so by what it is given to tell it with.
func (s *state) patiently(ctx context.Context, tell func(tool.Progress)) (context.Context, context.CancelFunc, func(tool.Progress)) {
	if s.clock.by.IsZero() {
		ctx, cancel := context.WithCancel(ctx)
		return ctx, cancel, tell
	}
	p := newPatience(ctx, s.limit(), s.clock.by)
	var (
		mu   sync.Mutex
		last tool.Progress
	)
	return p, p.end, func(now tool.Progress) {
		mu.Lock()
		further := now.Done != last.Done || now.Total != last.Total
		last = now
		mu.Unlock()
		if further {
			p.extend()
		}
		tell(now)
	}
}
