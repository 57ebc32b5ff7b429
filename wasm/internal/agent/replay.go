package agent

import (
	"context"
	"encoding/json"
	"strconv"
	"sync"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/limits"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/modelstep"
	"embedded-agent/wasm/internal/pipeline"
	"embedded-agent/wasm/internal/shorten"
	"embedded-agent/wasm/internal/tool"
)

// BundleVersion is the version of the bundles that are written.
const BundleVersion = 1

// Bundle is all that is needed to go through a conversation again without a
// model (docs/design/invocation.md#bundles-and-traces): the prompt, the messages, the tools as the model
// saw them, and every receipt.
type Bundle struct {
	Version int        `json:"version"`
	RunID   string     `json:"runId"`
	StepID  string     `json:"stepId"`
	Model   string     `json:"model"`
	System  string     `json:"system"`
	Tools   []llm.Tool `json:"tools"`
	// Options are the request's, without its messages and tools.
	Options *llm.Request `json:"options,omitempty"`
	// Start is the conversation before the run.
	Start State        `json:"start"`
	Turns []BundleTurn `json:"turns"`
	// Stop is how the run ended, and Outputs what it gave, with every
	// ToolEnvelope.
	Stop     Stop              `json:"stop"`
	Outputs  modelstep.Outputs `json:"outputs"`
	Messages []llm.Message     `json:"messages"`
}

// BundleTurn is one turn: what joined the conversation, what was asked (by its
// digest), what the model answered, and the results of its calls.
type BundleTurn struct {
	Joined  []llm.Message `json:"joined,omitempty"`
	Person  bool          `json:"person,omitempty"`
	Request string        `json:"request,omitempty"`
	Answer  *llm.Message  `json:"answer,omitempty"`
	Results []llm.Message `json:"results,omitempty"`
}

func newBundle(cfg Config, tools []llm.Tool, s State) *Bundle {
	options := cfg.Request
	options.Messages, options.Tools = nil, nil
	return &Bundle{
		Version: BundleVersion, RunID: cfg.RunID, StepID: cfg.StepID, Model: cfg.Request.Model, System: cfg.System,
		Tools: tools, Options: &options, Start: s,
	}
}

func (b *Bundle) begin(joined []llm.Message, person bool) {
	b.Turns = append(b.Turns, BundleTurn{Joined: joined, Person: person})
}

func (b *Bundle) last() *BundleTurn { return &b.Turns[len(b.Turns)-1] }

func (b *Bundle) request(digest string)         { b.last().Request = digest }
func (b *Bundle) answer(m llm.Message)          { b.last().Answer = &m }
func (b *Bundle) results(results []llm.Message) { b.last().Results = results }

func (b *Bundle) finish(stop Stop, s State, out modelstep.Outputs) {
	b.Stop, b.Outputs, b.Messages = stop, out, append([]llm.Message(nil), s.Messages...)
}

// ParseBundle reads a bundle as JSON.
func ParseBundle(doc []byte) (*Bundle, error) {
	var b *Bundle
	if err := json.Unmarshal(doc, &b); err != nil {
		return nil, fault.New(fault.Validation, "error.json.invalid", nil).With(err)
	}
	if b == nil {
		return nil, fault.New(fault.Validation, "error.json.invalid", nil)
	}
	if b.Version != BundleVersion {
		return nil, fault.New(fault.Validation, "agent.replay.version", fault.P{"version": strconv.Itoa(b.Version)})
	}
	return b, nil
}

// Replay goes through a recorded conversation again, without a model: the loop
// runs, the recorded answers stand in for the model, and each request is
// compared with the one that was recorded. CONFLICT says where it went another
// way.
//
// Cfg needs what Run needs but a Provider and a Request. Where cfg.Do is nil the
// recorded results stand in for the tools too, with the tools' schemas as they
// were then, and neither pipeline nor gates are needed.
func Replay(ctx context.Context, b *Bundle, cfg Config) (*Outcome, error) {
	return play(ctx, b, cfg, &player{b: b})
}

// ReplayAlone is Replay with nothing but the bundle: no model, no tools, and
// limits that nothing in it can reach.
func ReplayAlone(ctx context.Context, b *Bundle, reg *tool.Registry) (*Outcome, error) {
	return Replay(ctx, b, aloneConfig(b, reg))
}

func aloneConfig(b *Bundle, reg *tool.Registry) Config {
	const plenty = 1 << 30
	g := NewGuard(limits.Limits{MaxIterations: plenty, MaxToolCalls: plenty}, nil)
	return Config{Registry: reg, Guard: g, Watchers: Watchers{TracesURL: b.Outputs.TracesURL}}
}

func play(ctx context.Context, b *Bundle, cfg Config, p *player) (*Outcome, error) {
	if b.Version != BundleVersion {
		return nil, fault.New(fault.Validation, "agent.replay.version", fault.P{"version": strconv.Itoa(b.Version)})
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p.stop = cancel
	cfg.RunID, cfg.StepID, cfg.System = b.RunID, b.StepID, b.System
	if b.Options != nil {
		cfg.Request = *b.Options
	}
	cfg.Request.Model = b.Model
	cfg.Provider, cfg.Inbox, cfg.Audit = p, nil, nil
	if cfg.Do == nil {
		cfg.Gates = &Gates{fitted: true}
		cfg.Do = p.result
		cfg.recorded = p
	}
	out, err := run(ctx, cfg, Input{State: b.Start}, p)
	if err != nil {
		return nil, err
	}
	return out, p.check(out)
}

// player stands in for the model, the person and, where asked to, the tools.
type player struct {
	b    *Bundle
	stop context.CancelFunc
	// anew: the requests are not compared, and calls are known by their place,
	// since the texts of the bundle were changed (Redacted).
	anew bool

	mu       sync.Mutex // guards what follows
	turn     int
	seen     reading
	diverged error
}

func (p *player) diverge(n int, problem string) error {
	err := fault.New(fault.Conflict, "agent.replay.diverged", fault.P{"n": strconv.Itoa(n), "problem": problem})
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.diverged == nil {
		p.diverged = err
	}
	return err
}

// joined implements feed.
func (p *player) joined() ([]llm.Message, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.turn >= len(p.b.Turns) {
		if p.b.Stop == Stopped {
			p.stop() // here the person did
		}
		return nil, false
	}
	t := p.b.Turns[p.turn]
	p.turn++
	return t.Joined, t.Person
}

// more implements feed.
func (p *player) more(context.Context) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.turn < len(p.b.Turns)
}

// Stream implements llm.Provider: it compares the request and plays the answer.
func (p *player) Stream(_ context.Context, r llm.Request) llm.Stream {
	p.mu.Lock()
	n := p.turn
	digest := p.seen.digest(r)
	p.mu.Unlock()
	fail := func(problem string) llm.Stream {
		err := p.diverge(n, problem)
		return &played{end: llm.Event{
			Type: llm.EventError, Error: llm.NewError("llm.error.provider", "host", "the replay", "detail", err.Error()),
		}}
	}
	if n == 0 || n > len(p.b.Turns) {
		return fail("more was asked than was recorded")
	}
	t := p.b.Turns[n-1]
	switch {
	case t.Answer == nil:
		return fail("nothing was asked there")
	case t.Request != digest && !p.anew:
		return fail("the request is not the recorded one")
	}
	end := llm.Event{Type: llm.EventDone, Message: t.Answer}
	if t.Answer.Error != nil {
		end.Type, end.Error = llm.EventError, t.Answer.Error
	}
	return &played{end: end}
}

// result is the pipeline of a replay with recorded results.
func (p *player) result(_ context.Context, r pipeline.Request) *tool.Result {
	c := r.Call
	e, ok := p.envelope(c)
	out := &tool.Result{
		CallID: c.CallID, RunID: c.RunID, StepID: c.StepID, Tool: c.Tool, Version: c.Version, Attempt: c.Attempt,
		LogicalID: c.LogicalID, StartedAt: e.TStart, EndedAt: e.TEnd, Cached: e.Cached, Truncated: e.Truncated,
		Attachments: e.Attachments, Status: tool.OK, OK: true,
	}
	switch {
	case !ok:
		f := fault.From(p.diverge(p.turn, "the call "+c.LogicalID+" of "+c.Tool+" was not recorded"))
		out.OK, out.Status, out.Fault, out.Error = false, tool.StatusError, f, tool.NewResultError(f)
	case e.Error != nil:
		out.OK, out.Status = false, tool.StatusError
		code := fault.Code(e.Error.Code)
		if e.Error.Code == "UNKNOWN" {
			code = fault.Internal
		}
		out.Error = &tool.ResultError{
			Code: code, Message: e.Error.Message, Details: e.Error.Details, RetryAfterS: e.Error.RetryAfterS,
		}
	default:
		data, _ := e.Output.(map[string]any)
		out.Data = data
	}
	return out
}

// find gives the recorded result of a call as the model got it; nothing where
// the tools are not replayed.
func (p *player) find(toolCallID string) (llm.Message, bool) {
	if p == nil {
		return llm.Message{}, false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range p.b.Turns[p.turn-1].Results {
		if m.ToolCallID == toolCallID {
			return m, true
		}
	}
	return llm.Message{}, false
}

// times gives the recorded times of a call, or now.
func (p *player) times(c *tool.Call, now string) (began, ended string) {
	if p != nil {
		if e, ok := p.envelope(c); ok {
			return e.TStart, e.TEnd
		}
	}
	return now, now
}

// envelope gives the recorded receipt of a call.
func (p *player) envelope(c *tool.Call) (tool.Envelope, bool) {
	id := c.LogicalID
	if p.anew {
		at := c.Seq - p.b.Start.Seq - 1
		if at < 0 || at >= len(p.b.Outputs.ToolOrder) {
			return tool.Envelope{}, false
		}
		id = p.b.Outputs.ToolOrder[at]
	}
	e, ok := p.b.Outputs.ToolsByID[id]
	return e, ok
}

// check compares how the conversation ended.
func (p *player) check(out *Outcome) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := strconv.Itoa(p.turn)
	diverged := func(problem string) error {
		return fault.New(fault.Conflict, "agent.replay.diverged", fault.P{"n": n, "problem": problem})
	}
	switch {
	case p.diverged != nil:
		return p.diverged
	case p.anew:
		return nil // what it came to is what is recorded
	case p.turn != len(p.b.Turns):
		return diverged("it ended before the recorded one")
	case out.Stop != p.b.Stop:
		return diverged("it ended as " + string(out.Stop) + " instead of " + string(p.b.Stop))
	case out.Outputs.Response != p.b.Outputs.Response:
		return diverged("another answer")
	case shorten.JSON(out.Outputs.ToolOrder) != shorten.JSON(p.b.Outputs.ToolOrder):
		return diverged("other calls")
	}
	return nil
}

// played is a stream of one event.
type played struct {
	end  llm.Event
	over bool
}

// Next gives the terminal event once.
func (s *played) Next() (llm.Event, bool) {
	if s.over {
		return llm.Event{}, false
	}
	s.over = true
	return s.end, true
}

// Close ends the stream.
func (s *played) Close() { s.over = true }
