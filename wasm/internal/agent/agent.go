package agent

import (
	"context"
	"strconv"
	"time"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/modelstep"
	"embedded-agent/wasm/internal/pipeline"
	"embedded-agent/wasm/internal/price"
	"embedded-agent/wasm/internal/shorten"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/trace"
)

// Config holds the parts that a loop works with. Provider, Registry, Do, Gates and Guard are
// needed.
type Config struct {
	Identity
	Model

	Registry *tool.Registry
	// Do makes a call. It must have been built from Deps that Gates has fitted.
	Do    pipeline.Func
	Gates *Gates
	Guard *Guard
	// Inbox brings what the person says meanwhile; nil when nobody can.
	Inbox *Inbox

	// Concurrency bounds the calls that execute at once; 0 is 4.
	Concurrency int
	Timing      Timing

	Results
	Watchers
	Origin

	// recorded stands in for the tools in a replay.
	recorded *player
}

// Identity says whose loop it is.
type Identity struct {
	// RunID is the run's, and StepID the plan's step ("agent" when empty: the
	// conversation itself). Name is the agent's, for traces. Several agents of
	// one run (a foreach) need StepIDs of their own, and States whose Seq begin
	// far enough apart that no two calls have one number.
	RunID, StepID, Name string
	// Conversation correlates runs of one conversation in traces.
	Conversation string
}

// Model is who is asked, and how.
type Model struct {
	Provider llm.Provider
	// ProviderName is the provider's name in traces, such as "openai".
	ProviderName string
	// Request holds the model and its options (limits, temperature, reasoning).
	// Its messages and tools are set by the loop.
	Request llm.Request
	System  string
	// Sent gives what the provider sends of a request, for the estimate of its size; nil where that is all of it.
	Sent func(llm.Request) llm.Request
}

// Results bounds what a model is given of results and images.
type Results struct {
	// Images bounds images before a model sees them; nil leaves images out.
	Images      ImageFitter
	ImageLimits ImageLimits
	// ResultBytes bounds the text of one result in the conversation; 0 is
	// 64 KiB. Store keeps the whole; nil keeps none.
	ResultBytes int
	Store       shorten.Store
}

// Watchers are told what the loop does. None is needed.
type Watchers struct {
	// On is told every event, one at a time; it must not call back.
	On func(Event)
	// Audit records the calls that never reached the pipeline: those that the
	// guard denied or that were cut off.
	Audit pipeline.Audit
	Trace *trace.Recorder
	// Parent is the span around the agent's; nil for none.
	Parent *trace.Span
	// TracesURL is where the run can be looked at.
	TracesURL string
}

// Origin is copied into every call: what it was made under.
type Origin struct {
	Policy                          tool.PolicySnapshot
	ExecutorVersion, PlannerVersion string
}

// Timing bounds one call (docs/design/invocation.md#time). Zero durations are those
// of DefaultTiming; negative ones switch a bound off.
type Timing struct {
	// Timeout ends a call (timeoutSec); a tool's own limit counts where it is
	// shorter.
	Timeout time.Duration
	// Cleanup is how long a tool that was stopped may take to return
	// (cleanupMs); afterwards it is left behind.
	Cleanup time.Duration
}

// DefaultTiming is the timing where a Config sets none.
var DefaultTiming = Timing{Timeout: 120 * time.Second, Cleanup: 5 * time.Second}

// Input holds the start of a loop: the conversation so far and new messages
// of the person. Without new messages a stopped loop goes on where it was.
type Input struct {
	State    State
	Messages []llm.Message
}

// State is a conversation as a value: it can be kept as JSON and resumed. Every
// call in its messages has a result.
type State struct {
	Messages []llm.Message `json:"messages"`
	// Seq numbers the calls of the conversation, in source order.
	Seq int `json:"seq"`
	// Turn numbers the questions to the model; Iterations counts those since
	// the person last said something.
	Turn       int `json:"turn"`
	Iterations int `json:"iterations"`
	// Order and Calls are the receipts of the run's calls, by call_id.
	Order []string                 `json:"order,omitempty"`
	Calls map[string]tool.Envelope `json:"calls,omitempty"`
}

// Next gives the state for a new run in the same conversation: messages and
// numbering go on, the receipts begin anew.
func (s State) Next() State {
	s.Order, s.Calls = nil, nil
	return s
}

// Stop says why a loop ended.
type Stop string

// The stops. Denied is a hard stop of the guard; Stopped is the person's.
const (
	Done          Stop = "done"
	Length        Stop = "length"
	Refused       Stop = "refused"
	ContextWindow Stop = "contextWindow"
	Denied        Stop = "denied"
	Stopped       Stop = "stopped"
	Failed        Stop = "failed"
)

// Outcome is how a loop ended. Problem is set for Denied, Stopped and Failed.
type Outcome struct {
	Stop    Stop
	Problem *fault.Error
	Outputs modelstep.Outputs
	State   State
	// Usage is the sum over the run's questions; estimated where the provider
	// did not count.
	Usage  price.Usage
	Bundle *Bundle
}

// Run works until the model has no more calls, a limit is reached, or ctx ends.
// The error is only for a Config that cannot work; all else is in the Outcome.
func Run(ctx context.Context, cfg Config, in Input) (*Outcome, error) {
	return run(ctx, cfg, in, nil)
}

// run is Run; feed replaces the inbox in a replay.
func run(ctx context.Context, cfg Config, in Input, f feed) (*Outcome, error) {
	cfg, err := cfg.complete()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	l := newLoop(ctx, cfg, in.State)
	if f == nil {
		f = &liveFeed{l: l, first: in.Messages}
	}
	l.feed = f
	what := "agent/" + cfg.StepID
	if in.State.Turn > 0 { // it goes on: another span
		what += "/" + strconv.Itoa(in.State.Turn)
	}
	l.span = cfg.Trace.StartAgent(cfg.Parent, what, cfg.Name, cfg.Conversation)
	l.emit(Event{Type: AgentStart})
	stop, problem := l.run()
	if problem != nil {
		l.span.Fail(string(problem.Code), problem.Error())
	}
	l.span.End()
	out := l.outcome(stop, problem)
	l.emit(Event{Type: AgentEnd, RunEnd: RunEnd{Stop: stop, Problem: problem, Outputs: &out.Outputs}})
	return out, nil
}

func (c Config) complete() (Config, error) {
	missing := ""
	switch {
	case c.Provider == nil:
		missing = "no model is set"
	case c.Registry == nil:
		missing = "there are no tools"
	case c.Guard == nil:
		missing = "there is no guard"
	case c.Do == nil || c.Gates == nil || !c.Gates.fitted:
		missing = "the pipeline was not fitted for it"
	}
	if missing != "" {
		return c, fault.New(fault.Internal, "agent.config", fault.P{"problem": missing})
	}
	if c.StepID == "" {
		c.StepID = "agent"
	}
	if c.Name == "" {
		c.Name = "embedded-agent"
	}
	if c.Concurrency <= 0 {
		c.Concurrency = 4
	}
	if c.ResultBytes <= 0 {
		c.ResultBytes = 64 << 10
	}
	c.Timing.Timeout = orDefault(c.Timing.Timeout, DefaultTiming.Timeout)
	c.Timing.Cleanup = orDefault(c.Timing.Cleanup, DefaultTiming.Cleanup)
	c.ImageLimits = c.ImageLimits.complete()
	return c, nil
}

func orDefault(d, def time.Duration) time.Duration {
	switch {
	case d == 0:
		return def
	case d < 0:
		return 0
	}
	return d
}
