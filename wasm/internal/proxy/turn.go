//go:build !js

package proxy

import (
	"context"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/llm/sentinel"
)

// tally counts a request's calls for its log line. It holds no content.
type tally struct {
	calls, dropped, rejected, repaired, repairs, warnings, reasked int
	spaces                                                         int64
	strict                                                         sentinel.Reason // why a strict stream failed
}

// output is where the answer goes: the emitter, in the form of the Responses API, or one around it.
type output interface {
	created()
	text(s string)
	call(c *sentinel.Call)
	closeMessage(status string)
	completed(u Usage)
	incomplete(why StopReason, u Usage)
	failed(code, message string, u Usage)
	// broken is why nothing more can be written, nil while it can.
	broken() error
}

// turn runs one request against the backend: text goes through the machine to the emitter.
type turn struct {
	backend  Backend
	req      *request
	model    string
	limits   Limits
	em       output
	stop     context.CancelCauseFunc
	tally    tally
	usage    Usage
	unescape sentinel.Unescaper

	pending strings.Builder // text of the chunk at hand, handed on in one piece
	said    strings.Builder // what the model said in this attempt, for asking again
	// held keeps messages back until a required call is there.
	held struct {
		on       bool
		messages [][]byte
	}
	emitted struct {
		calls, bytes int
		full         bool // there is no room for more
	}
	failure *sentinel.CallError
}

// run answers the request and ends the response, whatever happens. The error is set only where the backend failed before
// anything was streamed or collected: a whole answer is an HTTP error then.
func (t *turn) run(ctx context.Context) *wireError {
	t.em.created()
	instructions, items, err := t.req.instructions()
	if err != nil {
		return t.fail(&wireError{Status: 500, Code: "server_error", Message: err.Error()})
	}
	p := Prompt{Model: t.model, Instructions: instructions, Items: items, Temperature: t.req.wire.Temperature}
	if r := t.req.wire.Reasoning; r != nil && r.Effort != nil {
		p.Effort = *r.Effort
	}
	if n := t.req.wire.MaxOutputTokens; n != nil {
		p.MaxTokens = *n
	}
	t.held.on = t.req.mode == sentinel.ChoiceRequired
	for attempt := 1; ; attempt++ {
		if err := t.attempt(ctx, p); err != nil {
			t.release()
			return t.fail(fromBackend(err))
		}
		if attempt == 1 && t.disobeyed() {
			t.tally.reasked++
			p.Items = slices.Concat(items, []sentinel.Item{
				{Kind: sentinel.ItemMessage, Role: sentinel.RoleAssistant, Parts: []sentinel.Part{{Text: t.said.String()}}},
				{Kind: sentinel.ItemMessage, Role: sentinel.RoleUser, Parts: []sentinel.Part{{Text: sentinel.Reminder(t.req.reg)}}},
			})
			t.failure, t.held.messages = nil, nil
			t.said.Reset()
			continue
		}
		t.conclude()
		return nil
	}
}

// attempt asks the backend once and lets everything it says through the machine.
func (t *turn) attempt(ctx context.Context, p Prompt) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	t.stop = stop
	m := sentinel.New(t.req.reg, sentinel.Options{
		Off:      t.req.mode == sentinel.ChoiceNone || len(t.req.tools) == 0,
		MaxBlock: t.limits.MaxBlock,
	}, t.found)
	usage, err := t.backend.Ask(ctx, p, func(d Delta) {
		if t.stopped() {
			return
		}
		if t.held.on && t.said.Len() < t.limits.MaxOutput {
			t.said.WriteString(d.Text)
		}
		m.Feed(d.Text)
		t.flush()
		if d.NewMessage {
			t.endMessage()
		}
	})
	if !t.stopped() {
		m.Close()
	}
	t.pending.WriteString(t.unescape.Flush())
	t.flush()
	t.usage.add(usage)
	t.count(m.Stats())
	if err != nil && !t.stopped() {
		return err
	}
	return nil
}

// stopped reports whether the answer has an end of its own, whatever the backend still says.
func (t *turn) stopped() bool { return t.failure != nil || t.emitted.full }

func (t *turn) count(s sentinel.Stats) {
	t.tally.rejected += s.Rejected
	t.tally.repaired += s.Repaired
	t.tally.repairs += s.Repairs
	t.tally.warnings += s.Warnings
	t.tally.spaces += s.Dropped
}

// found takes a finding of the machine.
func (t *turn) found(e sentinel.Event) {
	switch e.Kind {
	case sentinel.EventText:
		t.pending.WriteString(t.unescape.Feed(e.Text))
	case sentinel.EventCall:
		t.pending.WriteString(t.unescape.Flush())
		t.flush()
		t.call(e.Call)
	case sentinel.EventFailed:
		t.failure = e.Err
		t.tally.strict = e.Err.Reason
		t.stop(nil)
	case sentinel.EventSpace:
	}
}

func (t *turn) call(c *sentinel.Call) {
	if t.req.calls.max > 0 && t.emitted.calls >= t.req.calls.max {
		t.tally.dropped++
		return
	}
	t.release()
	t.emitted.calls++
	t.tally.calls++
	t.em.call(c)
	t.grow(len(c.Arguments))
}

// flush hands the text of a chunk on in one piece.
func (t *turn) flush() {
	s := t.pending.String()
	t.pending.Reset()
	if s == "" {
		return
	}
	if t.held.on {
		if len(t.held.messages) == 0 {
			t.held.messages = append(t.held.messages, nil)
		}
		last := len(t.held.messages) - 1
		t.held.messages[last] = append(t.held.messages[last], s...)
	} else {
		t.em.text(s)
	}
	t.grow(len(s))
}

func (t *turn) endMessage() {
	t.pending.WriteString(t.unescape.Flush())
	t.flush()
	if t.held.on {
		t.held.messages = append(t.held.messages, nil)
		return
	}
	t.em.closeMessage("completed")
}

// release lets out what was held back until it was clear that a required call comes.
func (t *turn) release() {
	if !t.held.on {
		return
	}
	t.held.on = false
	for i, s := range t.held.messages {
		if i > 0 {
			t.em.closeMessage("completed")
		}
		t.em.text(string(s))
	}
	t.held.messages = nil
}

// grow counts what was emitted. It ends the answer where that becomes larger than the limit, and stops the backend where
// nobody reads any more.
func (t *turn) grow(n int) {
	if t.em.broken() != nil {
		t.stop(nil)
	}
	if t.emitted.bytes += n; t.emitted.bytes > t.limits.MaxOutput && !t.emitted.full {
		t.emitted.full = true
		t.stop(nil)
	}
}

// disobeyed reports whether tool_choice asked for a call and none came: not any, or only of a tool that it does not allow.
func (t *turn) disobeyed() bool {
	if t.req.mode != sentinel.ChoiceRequired || t.emitted.calls > 0 || t.emitted.full || t.usage.Stopped != "" {
		return false
	}
	return t.failure == nil || t.failure.Reason == sentinel.ReasonExcluded
}

// conclude ends a response whose backend did not fail.
func (t *turn) conclude() {
	disobeyed := t.disobeyed()
	t.release()
	switch {
	case t.failure != nil:
		t.em.failed("invalid_tool_call", t.failure.Error(), t.usage)
	case disobeyed:
		t.em.failed("tool_choice_not_obeyed", "tool_choice asks for a tool call, and the model made none, asked twice. Try again, or choose another model.", t.usage)
	case t.emitted.full:
		t.em.incomplete(StopLength, t.usage)
	case t.usage.Stopped != "":
		t.em.incomplete(t.usage.Stopped, t.usage)
	default:
		t.em.completed(t.usage)
	}
}

// fail ends the response for a failure that is not the model's.
func (t *turn) fail(e *wireError) *wireError {
	t.em.failed(e.Code, e.Message, t.usage)
	return e
}
