package agent

import (
	"context"
	"strings"
	"sync"
	"time"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/pipeline"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/strictjson"
	"embedded-agent/wasm/internal/timestamp"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/trace"
)

// slot is one call of an answer on its way.
type slot struct {
	l     *loop
	asked llm.ToolCall
	call  *tool.Call // the pipeline's once it is handed over
	ident tool.Call  // as it was prepared
	entry *tool.Entry
	taken []tool.Taken // of what the model wrote otherwise than the tool has it
	span  *trace.Span
	// refused is why the call is not made at all.
	refused *fault.Error

	position *position
	moved    chan struct{} // has one when the call has come further
	since    time.Time     // when it began to execute

	mu   sync.Mutex // guards over
	over bool       // its end was told

	message llm.Message
}

// execute makes the calls of one answer and gives their results in source
// order.
func (l *loop) execute(calls []llm.ToolCall) []llm.Message {
	slots := l.prepareAll(calls)
	batch, abort := context.WithCancel(l.ctx)
	defer abort()
	unwatch := l.cfg.Inbox.watch(abort)
	defer unwatch()
	var wg sync.WaitGroup
	for _, s := range slots {
		if s.refused == nil && batch.Err() != nil { // the person was faster
			s.refused = l.interruption()
		}
		if s.refused != nil {
			s.position.leave()
			s.finish(s.made(s.refused), true)
			continue
		}
		wg.Go(func() { s.run(batch) })
	}
	wg.Wait()
	out := make([]llm.Message, len(slots))
	for i, s := range slots {
		out[i] = s.message
	}
	l.bundle.results(out)
	return out
}

// refuse answers calls that are not made.
func (l *loop) refuse(calls []llm.ToolCall, why *fault.Error) []llm.Message {
	out := make([]llm.Message, len(calls))
	for i, s := range l.prepareAll(calls) {
		if s.refused == nil {
			s.refused = fault.New(fault.Cancelled, "agent.call.stopped", nil)
			if why.Code == fault.Denied {
				s.refused = why
			}
		}
		s.finish(s.made(s.refused), true)
		out[i] = s.message
	}
	l.bundle.results(out)
	return out
}

// prepareAll numbers, reads and judges the calls, in source order.
func (l *loop) prepareAll(calls []llm.ToolCall) []*slot {
	slots := make([]*slot, len(calls))
	var before []<-chan struct{}
	for i, c := range calls {
		s := l.prepare(c)
		s.position.before = before[:len(before):len(before)]
		if s.refused == nil {
			before = append(before, s.position.passed)
		}
		slots[i] = s
	}
	return slots
}

func (l *loop) prepare(asked llm.ToolCall) *slot {
	s := &slot{l: l, asked: asked, position: newPosition(l.queue), moved: make(chan struct{}, 1)}
	args, err := s.argsOf(asked)
	s.refused = fault.From(err)
	l.mu.Lock()
	l.state.Seq++
	seq := l.state.Seq
	l.mu.Unlock()
	s.call = &tool.Call{
		RunID: l.cfg.RunID, StepID: l.cfg.StepID, Tool: asked.Name, Args: args, Attempt: 1, Seq: seq,
		TimeoutMs: l.cfg.Timing.Timeout.Milliseconds(), Cancelable: true, CreatedAt: timestamp.Milli(time.Now()),
		PlannerVersion: l.cfg.PlannerVersion, ExecutorVersion: l.cfg.ExecutorVersion,
		ToolRegistryVersion: l.cfg.Registry.Version(), Policy: l.cfg.Policy,
	}
	if e, err := l.cfg.Registry.Get(asked.Name, ""); err == nil {
		s.entry = e
		s.call.Version, s.call.Category = e.Version, e.Namespace()
		// What is no use is left for the pipeline to refuse.
		var taken []tool.Taken
		s.call.Args, taken = plan.MendArgs(e, args)
		s.taken = append(s.taken, taken...)
		s.call.Risk = e.EffectsOf(s.call.Args).Risk()
	}
	if err := s.call.Identify(); err != nil && s.refused == nil {
		s.refused = fault.From(err)
	}
	s.ident = *s.call
	s.begin()
	return s
}

// begin tells the start of a call, and asks the guard.
func (s *slot) begin() {
	l, c := s.l, &s.ident
	s.span = l.cfg.Trace.StartTool(l.span, trace.ToolCall{
		CallID: c.CallID, LogicalID: c.LogicalID, Tool: c.Tool, Version: c.Version, Attempt: c.Attempt, Step: c.StepID,
		Description: s.description(),
	})
	l.mu.Lock()
	l.state.Order = append(l.state.Order, c.LogicalID)
	l.mu.Unlock()
	started := s.event(c)
	started.Args = c.Args
	l.emit(Event{Type: ToolStart, CallEvent: started})
	guard := l.cfg.Trace.StartPolicy(s.span, c.CallID, c.Tool)
	defer guard.End()
	denied := judge(c.Tool, func() error { return l.cfg.Guard.beforeTool(l.ctx, c, s.entry) })
	if denied != nil {
		guard.Fail(string(denied.Code), denied.Error())
		s.refused = denied
	}
}

// description is the first line of the tool's.
func (s *slot) description() string {
	if s.entry == nil {
		return ""
	}
	first, _, _ := strings.Cut(s.entry.Description, "\n")
	return first
}

// argsOf reads a call's arguments. A call that was cut off is not run, whatever
// its arguments look like.
func (s *slot) argsOf(c llm.ToolCall) (tool.Args, error) {
	if c.Incomplete {
		return tool.Args{}, fault.New(fault.Validation, "agent.call.cut", nil)
	}
	bad := func(problem string) error {
		return fault.New(fault.Validation, "agent.call.args", fault.P{"tool": c.Name, "problem": problem})
	}
	text := c.Arguments
	if text == nil {
		inside, wrapped := plan.Unwrapped(c.RawArguments)
		if !wrapped {
			return tool.Args{}, bad("not JSON")
		}
		text = []byte(inside)
		s.taken = []tool.Taken{{Field: "args", From: "```json {…} ```", To: "{…}"}}
	}
	args, err := strictjson.Object(text)
	if err != nil {
		return tool.Args{}, bad(err.Error())
	}
	return args, nil
}

// run makes the call and waits: for its result, or for the end of its time.
func (s *slot) run(batch context.Context) {
	ctx, cancel := context.WithCancel(s.l.ctx)
	detach := context.AfterFunc(batch, cancel)
	result := make(chan *tool.Result, 1)
	s.l.cfg.Gates.byCall.Store(s.call, s)
	go func() {
		r := s.l.cfg.Do(ctx, pipeline.Request{Call: s.call})
		s.l.cfg.Gates.byCall.Delete(s.call)
		s.position.leave()
		result <- r
	}()
	r, own := s.await(ctx, result, s.position.started)
	detach()
	cancel()
	s.position.leave()
	if batch.Err() != nil {
		s.interrupted(r)
	}
	s.finish(r, own)
}

// interrupted says in a cancelled result why it was.
func (s *slot) interrupted(r *tool.Result) {
	if r.Status != tool.WasCancelled {
		return
	}
	r.Fault = s.l.interruption()
	r.Error = tool.NewResultError(r.Fault)
}

// interruption says why a call was not finished.
func (l *loop) interruption() *fault.Error {
	if l.ctx.Err() != nil {
		return fault.New(fault.Cancelled, "agent.call.stopped", nil)
	}
	return fault.New(fault.Cancelled, "agent.call.steered", nil)
}

// await gives the call's result; own says that the loop made it, because the
// tool did not return.
func (s *slot) await(ctx context.Context, result <-chan *tool.Result, started <-chan struct{}) (r *tool.Result, own bool) {
	var hard <-chan time.Time
	begin := func() {
		if limit := s.limit(); limit > 0 {
			hard = time.After(limit + s.l.cfg.Timing.Cleanup)
		}
	}
	for {
		select {
		case r := <-result:
			return r, false
		case <-started:
			started, s.since = nil, time.Now()
			begin()
		case <-s.moved:
			begin()
		case <-hard:
			late := fault.New(fault.Timeout, "agent.call.late", fault.P{"tool": s.ident.Tool})
			return s.made(late), true
		case <-ctx.Done():
			return s.cleanup(result)
		}
	}
}

// cleanup waits a little for a call that was stopped. What it finished is kept.
func (s *slot) cleanup(result <-chan *tool.Result) (r *tool.Result, own bool) {
	select {
	case r := <-result:
		return r, false
	case <-time.After(s.l.cfg.Timing.Cleanup):
		return s.made(fault.New(fault.Cancelled, "agent.call.late", fault.P{"tool": s.ident.Tool})), true
	}
}

// moves notes that the call has come further: it has all its time again.
func (s *slot) moves() {
	select {
	case s.moved <- struct{}{}:
	default: // noted already
	}
}

// limit is the time that the call may take, counted from when it last came
// further; 0 is no limit.
func (s *slot) limit() time.Duration {
	limit := s.l.cfg.Timing.Timeout
	if s.entry != nil && s.entry.Timeout > 0 && (limit == 0 || s.entry.Timeout < limit) {
		limit = s.entry.Timeout
	}
	return limit
}

// made is a result that the loop gives itself.
func (s *slot) made(err *fault.Error) *tool.Result {
	now := timestamp.Milli(time.Now())
	c := &s.ident
	began, ended := s.l.cfg.recorded.times(c, now)
	return &tool.Result{
		CallID: c.CallID, RunID: c.RunID, StepID: c.StepID, Tool: c.Tool, Version: c.Version, Attempt: c.Attempt,
		LogicalID: c.LogicalID, StartedAt: began, EndedAt: ended,
		Status: tool.StatusOf(err), Fault: err, Error: tool.NewResultError(err), UserMessage: err.Error(),
	}
}
