package runner

import (
	"context"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/pipeline"
	"embedded-agent/wasm/internal/timestamp"
	"embedded-agent/wasm/internal/tool"
)

// runCalls makes the calls, as many at once as the run and the step allow.
func (r *run) runCalls(ctx context.Context, s *step, calls []call) {
	width := cap(r.slots)
	if f := s.Node.Step.Foreach; f != nil && f.Concurrency > 0 {
		width = min(width, f.Concurrency)
	}
	own := make(chan struct{}, width)
	pool := &workerPool{jobs: make(chan func())}
	defer pool.close()
	for i := range calls {
		c := &calls[i]
		if prior, ok := r.Part.Prior[Seq(s.place, i)]; ok {
			s.Results[i] = prior.WithFault()
			c.release()
			continue
		}
		if s.place < r.Part.From || !r.turn(ctx, c, Seq(s.place, i), own) {
			for j := i; j < len(calls); j++ {
				calls[j].release()
			}
			return
		}
		pool.do(func() {
			defer func() { <-own; <-r.slots; c.release() }()
			s.Results[i] = r.attempt(ctx, s, c)
			if r.ends(s, i) {
				r.stop(s.Results[i].Fault)
			}
		})
	}
}

// ends says whether the run ends with a call's failure.
func (r *run) ends(s *step, i int) bool {
	res := s.Results[i]
	if res.Fault == nil || res.Status == tool.Skipped {
		return false
	}
	return !r.leavesOut(s, res) || (r.Control.Fatal != nil && r.Control.Fatal(Seq(s.place, i), res.Fault))
}

// turn waits until a call may start; false when the run has ended before. The
// places of calls under way are taken last: whoever holds one must not wait
// for a call that has none.
func (r *run) turn(ctx context.Context, c *call, seq int, own chan struct{}) bool {
	if c.ticket != nil && !c.ticket.wait(ctx) {
		return false
	}
	if r.Control.Ready != nil && !r.Control.Ready(ctx, seq) {
		return false
	}
	for _, sem := range []chan struct{}{own, r.slots} {
		select {
		case sem <- struct{}{}:
		case <-ctx.Done():
			if sem == r.slots {
				<-own
			}
			return false
		}
	}
	if !r.Control.Gate.pass(ctx) || r.halted(ctx) {
		<-own
		<-r.slots
		return false
	}
	return true
}

func (c *call) release() {
	if c.ticket != nil {
		close(c.ticket.done)
	}
}

// attempt makes one call, again where that may help.
func (r *run) attempt(ctx context.Context, s *step, c *call) *tool.Result {
	n := s.Node
	most := max(1, n.Retry.MaxAttempts)
	if r.Limits.MaxAttempts > 0 {
		most = min(most, r.Limits.MaxAttempts)
	}
	if n.Tool.SideEffects.Risk() == tool.RiskCommands {
		most = 1 // what cannot be taken back is never done twice
	}
	for k := 1; ; k++ {
		tc := r.newCall(s, c, k)
		res := r.Call(ctx, pipeline.Request{Call: tc, Bind: c.bind, SecretScope: n.Step.SecretScope})
		again := !res.OK && k < most && r.worthRetrying(res) && !r.halted(ctx)
		if again {
			again = r.pause(ctx, tc, n.Retry.BackoffMs, res.Fault.RetryAfterS)
		}
		if !again {
			if r.Events.Finished != nil {
				r.Events.Finished(tc)
			}
			return res
		}
	}
}

func (r *run) newCall(s *step, c *call, attempt int) *tool.Call {
	tc := r.Base
	n := s.Node
	tc.RunID, tc.StepID = r.RunID, n.Step.ID
	tc.Tool, tc.Version = n.Tool.Name, n.Tool.Version
	tc.Seq, tc.Attempt = Seq(s.place, c.index), attempt
	tc.TimeoutMs = n.TimeoutMs
	tc.Cancelable = !n.Tool.Flags.Unstoppable
	tc.CreatedAt = timestamp.Milli(r.Now())
	if tc.Preview = n.Step.Preview; tc.Preview != "" {
		tc.Preview = n.Preview(&c.scope)
	}
	if c.loop != nil {
		tc.Iteration = &tool.Iteration{Index: c.index, ItemName: c.loop.ItemName, ItemValue: c.item}
		tc.LoopID = c.loop.ID
	}
	return &tc
}

// worthRetrying says whether the same call could end otherwise. What the
// simulation has recorded ends as it did, however often it is carried out; and
// while simulating nothing changes but what is outside of the vault, so that
// only what may pass by itself is tried again.
func (r *run) worthRetrying(res *tool.Result) bool {
	if res.Fault == nil || res.Recorded || res.Status == tool.Skipped {
		return false
	}
	switch res.Fault.Code {
	case fault.Validation, fault.Denied, fault.Cancelled, fault.Auth, fault.Conflict:
		return false
	}
	return !r.Simulating || res.Fault.Retryable || res.Fault.Code == fault.Internal
}
