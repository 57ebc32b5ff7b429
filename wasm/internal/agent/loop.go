package agent

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/modelstep"
	"embedded-agent/wasm/internal/price"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/trace"
)

// loop is one Run.
type loop struct {
	ctx    context.Context // the run's; the person's stop ends it
	cfg    Config
	feed   feed
	tools  []llm.Tool
	queue  *pathQueue
	span   *trace.Span
	bundle *Bundle
	usage  price.Usage
	seen   reading

	telling sync.Mutex // held while one event is told; mu may be locked under it

	mu    sync.Mutex // guards what follows
	state State
}

func newLoop(ctx context.Context, cfg Config, s State) *loop {
	l := &loop{ctx: ctx, cfg: cfg, state: s, queue: newPathQueue(cfg.Concurrency)}
	calls := make(map[string]tool.Envelope, len(s.Calls))
	for id, e := range s.Calls {
		calls[id] = e
	}
	l.state.Calls = calls
	l.state.Order = append([]string(nil), s.Order...)
	l.state.Messages = append([]llm.Message(nil), s.Messages...)
	l.tools = offered(cfg.Registry, cfg.Guard)
	if cfg.recorded != nil {
		l.tools = cfg.recorded.b.Tools
	}
	l.bundle = newBundle(cfg, l.tools, s)
	return l
}

// offered lists the tools that the model is told of: those the guard would let
// run, in the order of their names, deprecated ones only where they are enabled
// by name.
func offered(r *tool.Registry, g *Guard) []llm.Tool {
	var out []llm.Tool
	for _, name := range r.Names() {
		e, err := r.Get(name, "")
		if err != nil || !g.offers(e) {
			continue
		}
		out = append(out, llm.Tool{Name: e.Name, Description: e.Description + pages(e), Parameters: e.Input})
	}
	return out
}

// pages says how a model gets what is too long for one answer of a tool.
func pages(e *tool.Entry) string {
	if _, ok := e.InputProperties()["offset"]; e.Limit == "" || !ok {
		return ""
	}
	return "\n\nLong lists come in pages: where an output has `next`, call again with it as `offset` for what follows."
}

func (l *loop) turn() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state.Turn
}

// run is the loop.
func (l *loop) run() (Stop, *fault.Error) {
	for {
		if l.ctx.Err() != nil {
			return Stopped, fault.From(l.ctx.Err())
		}
		if !l.join() {
			continue
		}
		if err := l.mayAsk(); err != nil {
			return Denied, err
		}
		answer, err := l.ask()
		if err != nil {
			return l.abandon(answer, err)
		}
		calls := answer.Calls()
		if len(calls) > 0 {
			l.append(l.execute(calls)...)
		}
		l.emit(Event{Type: TurnEnd})
		switch {
		case len(calls) > 0, answer.StopReason == llm.StopPause, l.feed.more(l.ctx):
			continue
		case l.ctx.Err() != nil:
			return Stopped, fault.From(l.ctx.Err())
		}
		return stopOf(answer), nil
	}
}

func stopOf(m llm.Message) Stop {
	switch m.StopReason {
	case llm.StopLength:
		return Length
	case llm.StopRefusal:
		return Refused
	case llm.StopContextWindow:
		return ContextWindow
	}
	return Done
}

// join begins the next turn and puts what was said since the last one into the
// conversation. False: nothing was said, and it is to stop.
func (l *loop) join() bool {
	joined, person := l.feed.joined()
	if len(joined) == 0 && l.ctx.Err() != nil {
		return false
	}
	l.mu.Lock()
	l.state.Turn++
	l.mu.Unlock()
	l.emit(Event{Type: TurnStart})
	l.mu.Lock()
	if person {
		l.state.Iterations = 0
	}
	l.state.Iterations++
	l.mu.Unlock()
	l.bundle.begin(joined, person)
	if len(joined) > 0 {
		l.append(joined...)
		l.emit(Event{Type: MessagesJoined, Messages: joined})
	}
	return true
}

func (l *loop) append(ms ...llm.Message) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, m := range ms {
		if m.Timestamp == 0 {
			m.Timestamp = time.Now().UnixMilli()
		}
		l.state.Messages = append(l.state.Messages, m)
	}
}

// request makes the next request to the model.
func (l *loop) request() llm.Request {
	r := l.cfg.Request
	r.Tools = l.tools
	r.Messages = nil
	if l.cfg.System != "" {
		r.Messages = append(r.Messages, llm.SystemMessage(l.cfg.System))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	r.Messages = append(r.Messages, l.state.Messages...)
	return r
}

// sent gives what is sent of a request.
func (l *loop) sent(r llm.Request) llm.Request {
	if l.cfg.Sent == nil {
		return r
	}
	return l.cfg.Sent(r)
}

// mayAsk is the guard before the model.
func (l *loop) mayAsk() *fault.Error {
	span := l.cfg.Trace.StartPolicy(l.span, l.turnKey("model"), "model")
	defer span.End()
	err := judge("the model", func() error { return l.cfg.Guard.beforeModel(l.state.Iterations, l.cfg.Request.Model) })
	if err != nil {
		span.Fail(string(err.Code), err.Error())
	}
	return err
}

func (l *loop) turnKey(what string) string {
	return l.cfg.StepID + "/" + what + "/" + strconv.Itoa(l.turn())
}

// errOver ends a stream that has used what there was.
var errOver = errors.New("the budget is used up")

// ask asks the model and keeps its answer. Tokens and cost are accrued while it
// speaks; at the limit it is stopped.
func (l *loop) ask() (llm.Message, *fault.Error) {
	r := l.request()
	l.bundle.request(l.seen.digest(r))
	ctx, cancel := context.WithCancelCause(l.ctx)
	defer cancel(nil)
	span := l.cfg.Trace.StartModel(l.span, l.turnKey("chat"), l.cfg.ProviderName, r.Model)
	defer span.End()
	charge, over := l.cfg.Guard.begin(r.Model, l.seen.estimate(l.sent(r)))
	if over != nil {
		span.Fail(string(over.Code), over.Error())
		return llm.Message{}, over
	}
	answer, failed := llm.Collect(l.cfg.Provider.Stream(ctx, r), func(e llm.Event) {
		if over == nil {
			if over = charge.see(e); over != nil {
				cancel(errOver)
			}
		}
		if !e.Terminal() {
			l.emit(Event{Type: MessageUpdate, LLM: &e})
		}
	})
	used := charge.settle(answer, failed)
	l.usage = l.usage.Add(used)
	span.ModelAnswer(answer.ResponseModel, answer.ResponseID, string(answer.StopReason), used.Input, used.Output)
	if failed == nil && len(answer.Calls()) == 0 {
		over = nil // it is whole and paid for; the next question is refused
	}
	err := l.whyFailed(failed, over)
	answer.Role = llm.RoleAssistant
	if err != nil { // the reason, where the stream knows only the means
		answer.Error = &llm.Error{
			Code: string(err.Code), Key: err.Key, Params: err.Params, Message: err.Error(),
			Retryable: err.Retryable, RetryAfterS: err.RetryAfterS,
		}
		span.Fail(string(err.Code), err.Error())
	}
	l.bundle.answer(answer)
	if len(answer.Content) > 0 {
		l.append(answer)
	}
	l.emit(Event{Type: MessageEnd, Messages: []llm.Message{answer}})
	return answer, err
}

// whyFailed gives the reason why an answer did not come to its end; nil when it
// did.
func (l *loop) whyFailed(failed *llm.Error, over *fault.Error) *fault.Error {
	switch {
	case over != nil:
		return over // even when its last word had come: its calls cost too
	case failed == nil:
		return nil
	case l.ctx.Err() != nil:
		return fault.From(l.ctx.Err())
	}
	return faultOf(failed)
}

// abandon ends the run after an answer that did not come to its end. What had
// arrived is kept, and its calls are answered, so that the conversation can go
// on.
func (l *loop) abandon(answer llm.Message, err *fault.Error) (Stop, *fault.Error) {
	if calls := answer.Calls(); len(calls) > 0 {
		l.append(l.refuse(calls, err)...)
	}
	l.emit(Event{Type: TurnEnd})
	switch {
	case l.ctx.Err() != nil, wasStopped(err):
		return Stopped, err
	case err.Code == fault.Denied:
		return Denied, err
	}
	return Failed, err
}

// wasStopped recognises the errors of a context, in a recorded answer.
func wasStopped(err *fault.Error) bool {
	return err.Key == fault.From(context.Canceled).Key || err.Key == fault.From(context.DeadlineExceeded).Key
}

// faultOf gives a provider's error as the program's own.
func faultOf(e *llm.Error) *fault.Error {
	return &fault.Error{
		Code: fault.Code(e.Code), Key: e.Key, Params: e.Params, Retryable: e.Retryable, RetryAfterS: e.RetryAfterS,
	}
}

// outcome gathers what the run came to.
func (l *loop) outcome(stop Stop, problem *fault.Error) *Outcome {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := outputsOf(l.state, l.cfg.TracesURL)
	l.bundle.finish(stop, l.state, out)
	return &Outcome{Stop: stop, Problem: problem, Outputs: out, State: l.state, Usage: l.usage, Bundle: l.bundle}
}

// outputsOf reads the outputs out of a state. The response is the text of the
// last answer.
func outputsOf(s State, tracesURL string) modelstep.Outputs {
	out := modelstep.Outputs{
		ToolsByID: make(map[string]tool.Envelope, len(s.Calls)), ToolOrder: append([]string{}, s.Order...),
		TracesURL: tracesURL,
	}
	for id, e := range s.Calls {
		out.ToolsByID[id] = e
	}
	for _, id := range s.Order {
		if e, ok := s.Calls[id]; ok && modelstep.Succeeded(e) {
			out.LastTool = &e
		}
	}
	for i := len(s.Messages) - 1; i >= 0; i-- {
		if s.Messages[i].Role == "assistant" {
			out.Response = s.Messages[i].Text()
			break
		}
	}
	return out
}
