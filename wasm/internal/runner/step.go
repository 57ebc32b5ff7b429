package runner

import (
	"context"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/pipeline"
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
	calls, err := r.expand(s, &scope)
	if err != nil {
		r.fail(s, fault.From(err))
		return
	}
	if n := len(calls) - r.behind(s, len(calls)); r.Expanded != nil && s.place >= r.From && (n > 0 || len(calls) == 0) {
		r.Expanded(s.Node, n)
	}
	s.Results = make([]*tool.Result, len(calls))
	s.enqueued()
	r.lookAhead(ctx, s, calls)
	r.runCalls(ctx, s, calls)
	r.conclude(s)
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
		n = len(loop.Items)
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
		if r.Prior[Seq(s.place, i)] != nil {
			n++
		}
	}
	return n
}

// lookAhead names the files that a simulated step's calls will read.
func (r *run) lookAhead(ctx context.Context, s *step, calls []call) {
	if r.Ahead == nil || len(calls) < 2 {
		return
	}
	var paths []string
	for name, kind := range s.Node.Tool.PathArgs() {
		if kind != "existing" {
			continue
		}
		for i := range calls {
			args, err := calls[i].bind()
			if err != nil {
				continue // the call itself will say so
			}
			if p, ok := args[name].(string); ok {
				paths = append(paths, p)
			}
		}
	}
	if len(paths) > 0 {
		r.Ahead(ctx, paths)
	}
}

// count keeps a run within its number of calls.
func (r *run) count(s *step, n int) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls += n
	if r.Limits.MaxCalls > 0 && r.calls > r.Limits.MaxCalls {
		return fault.New(fault.Denied, "error.run.tooManyCalls", fault.P{
			"n": itoa(r.calls), "max": itoa(r.Limits.MaxCalls), "step": s.Node.Step.ID,
		})
	}
	return nil
}

// runCalls makes the calls, as many at once as the run and the step allow.
func (r *run) runCalls(ctx context.Context, s *step, calls []call) {
	width := cap(r.slots)
	if f := s.Node.Step.Foreach; f != nil && f.Concurrency > 0 {
		width = min(width, f.Concurrency)
	}
	own := make(chan struct{}, width)
	crew := &crew{jobs: make(chan func())}
	defer crew.dismiss()
	for i := range calls {
		c := &calls[i]
		if prior, ok := r.Prior[Seq(s.place, i)]; ok {
			s.Results[i] = prior.WithFault()
			c.release()
			continue
		}
		if s.place < r.From || !r.turn(ctx, c, Seq(s.place, i), own) {
			for j := i; j < len(calls); j++ {
				calls[j].release()
			}
			return
		}
		crew.do(func() {
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
	return s.Node.OnError != plan.OnErrorSkip || (r.Fatal != nil && r.Fatal(Seq(s.place, i), res.Fault))
}

// turn waits until a call may start; false when the run has ended before. The
// places of calls under way are taken last: whoever holds one must not wait
// for a call that has none.
func (r *run) turn(ctx context.Context, c *call, seq int, own chan struct{}) bool {
	if c.ticket != nil && !c.ticket.wait(ctx) {
		return false
	}
	if r.Ready != nil && !r.Ready(ctx, seq) {
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
	if !r.Gate.pass(ctx) || r.halted(ctx) {
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
		again := !res.OK && k < most && worthRetrying(res) && !r.halted(ctx)
		if again && !r.Simulating {
			again = r.pause(ctx, n.Retry.BackoffMs, k, res.Fault.RetryAfterS)
		}
		if !again {
			if r.Finished != nil {
				r.Finished(tc)
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
	tc.Cancelable = true
	tc.CreatedAt = pipeline.Stamp(r.Now())
	if tc.Preview = n.Step.Preview; tc.Preview != "" {
		tc.Preview = n.Preview(&c.scope)
	}
	if c.loop != nil {
		tc.Iteration = &tool.Iteration{Index: c.index, ItemName: c.loop.ItemName, ItemValue: c.item}
		tc.LoopID = c.loop.ID
	}
	return &tc
}

// worthRetrying says whether the same call could end otherwise.
func worthRetrying(res *tool.Result) bool {
	if res.Fault == nil {
		return false
	}
	switch res.Fault.Code {
	case fault.Validation, fault.Denied, fault.Cancelled, fault.Auth, fault.Conflict:
		return false
	}
	return res.Status != tool.Skipped
}

// conclude gives a step its status and output.
func (r *run) conclude(s *step) {
	items := []any{}
	status := tool.OK
	for _, res := range s.Results {
		switch {
		case res == nil:
			status = tool.Skipped
		case res.OK:
			items = append(items, res.Data)
		case res.Status == tool.Skipped:
			if s.Node.Step.Foreach == nil {
				status, s.Cause = tool.Skipped, res.Fault
			}
		default:
			if s.Cause == nil {
				s.Cause = res.Fault
			}
			if s.Node.OnError != plan.OnErrorSkip || s.Node.Step.Foreach == nil {
				status = res.Status
			}
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if status == tool.Skipped && s.Cause == nil {
		s.Cause = r.stopped
	}
	s.Status = status
	if status != tool.OK {
		return
	}
	if s.Node.Step.Foreach != nil {
		s.Output = map[string]any{"items": items}
	} else if len(items) == 1 {
		s.Output = items[0]
	}
	if name := s.Node.Step.CaptureAs; name != "" {
		r.vars[name] = s.Output
	}
}

// fail ends a step that could not be expanded.
func (r *run) fail(s *step, e *tool.Error) {
	s.Status, s.Cause = tool.StatusOf(e), e
	s.Results = []*tool.Result{r.pseudo(s, s.Status, e)}
	if s.Node.OnError != plan.OnErrorSkip {
		r.stop(e)
	}
	r.tellSkipped(s)
}

// skip leaves out a step whose dependency failed.
func (r *run) skip(s *step, cause *tool.Error, from string) {
	s.Status, s.Cause, s.CauseStep = tool.Skipped, cause, from
	res := r.pseudo(s, tool.Skipped, cause)
	res.Error = nil
	e := fault.New(fault.Precondition, "run.skippedBecause", fault.P{"step": from, "cause": message(cause)})
	res.Fault, res.UserMessage = e, e.Error()
	s.Results = []*tool.Result{res}
	r.tellSkipped(s)
}

// tellSkipped tells of a step that is not run; of one before the part that is
// executed it was told then.
func (r *run) tellSkipped(s *step) {
	if r.Skipped != nil && s.place >= r.From {
		r.Skipped(s.Node, s.Results[0])
	}
}

func message(e *tool.Error) string {
	if e == nil {
		return ""
	}
	return e.Error()
}

// notReached marks a step that the run's end came before.
func (r *run) notReached(s *step) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s.Status, s.Cause = tool.Skipped, r.stopped
	s.Results = []*tool.Result{nil}
}

// pseudo is the result of a step for which no call was made.
func (r *run) pseudo(s *step, status tool.Status, e *tool.Error) *tool.Result {
	now := pipeline.Stamp(r.Now())
	tc := r.newCall(s, &call{scope: r.scope()}, 1)
	res := &tool.Result{
		RunID: r.RunID, StepID: s.Node.Step.ID, Tool: tc.Tool, Version: tc.Version, Attempt: 1,
		Status: status, StartedAt: now, EndedAt: now, Fault: e,
	}
	if e != nil {
		res.Error, res.UserMessage = tool.NewResultError(e), e.Error()
	}
	return res
}
