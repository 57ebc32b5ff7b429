package llm

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
)

// Hiding says what Hide takes out of answers.
type Hiding struct {
	// Keys gives what takes out the keys that were sent, from all that an answer holds; it is asked once for each answer.
	Keys func(ctx context.Context) func(string) string
	// Drawn is applied to text and thinking on their way to a screen, beside Keys. The message that ends the stream keeps
	// what it takes out: signatures are over it, and whoever keeps the message redacts it as a whole.
	Drawn func(string) string
}

// Hide gives a provider whose answers are without what is to be hidden, also where it comes a few characters at a time:
// what could be the beginning of a key is held back until it is clear. A key has no spaces, so that is a word at most.
func Hide(p Provider, h Hiding) Provider { return &hiding{p, h} }

type hiding struct {
	inner Provider
	h     Hiding
}

// Stream asks.
func (p *hiding) Stream(ctx context.Context, r Request) Stream {
	return &hidingStream{Stream: p.inner.Stream(ctx, r), keys: p.h.Keys(ctx), drawn: p.h.Drawn, held: map[int]held{}}
}

type hidingStream struct {
	Stream
	keys, drawn func(string) string
	held        map[int]held
	queue       []Event
}

// held is the end of a block's text that has not been handed out.
type held struct {
	kind EventType
	text string
}

// Next gives the next event.
func (s *hidingStream) Next() (Event, bool) {
	for len(s.queue) == 0 {
		e, ok := s.Stream.Next()
		if !ok {
			return Event{}, false
		}
		s.take(e)
	}
	e := s.queue[0]
	s.queue = s.queue[1:]
	return e, true
}

func (s *hidingStream) take(e Event) {
	switch e.Type {
	case EventTextDelta, EventThinkingDelta, EventToolCallDelta:
		text := s.keys(s.held[e.ContentIndex].text + e.Delta)
		cut := settled(text)
		s.held[e.ContentIndex] = held{e.Type, text[cut:]}
		s.hand(e.Type, e.ContentIndex, text[:cut])
		return
	case EventTextEnd, EventThinkingEnd, EventToolCallEnd:
		s.flush(e.ContentIndex)
	case EventDone, EventError:
		for _, i := range slices.Sorted(maps.Keys(s.held)) {
			s.flush(i)
		}
	}
	if e.Block != nil {
		e.Block = s.block(*e.Block)
	}
	if e.Message != nil {
		e.Message = s.message(*e.Message)
	}
	e.Error = s.problem(e.Error)
	s.queue = append(s.queue, e)
}

// flush hands out what was held back of a block.
func (s *hidingStream) flush(i int) {
	h := s.held[i]
	delete(s.held, i)
	s.hand(h.kind, i, h.text)
}

func (s *hidingStream) hand(kind EventType, i int, text string) {
	if text == "" {
		return
	}
	if kind != EventToolCallDelta {
		text = s.drawn(text)
	}
	s.queue = append(s.queue, Event{Type: kind, ContentIndex: i, Delta: text})
}

// Bounds of what is held back of a text without a space, in bytes: beyond the first, all but as much as the second is
// handed out. No key is longer than that.
const (
	mostHeld  = 1024
	leastHeld = 512
)

// settled gives how much of a text cannot be a part of a key that goes on: all before the last run of visible ASCII.
func settled(text string) int {
	at := len(text)
	for at > 0 && text[at-1] > ' ' && text[at-1] < 0x7f {
		at--
	}
	if len(text)-at > mostHeld {
		return len(text) - leastHeld
	}
	return at
}

func (s *hidingStream) message(m Message) *Message {
	m.Content = slices.Clone(m.Content)
	for i, b := range m.Content {
		m.Content[i] = *s.block(b)
	}
	m.Error = s.problem(m.Error)
	return &m
}

func (s *hidingStream) block(b Block) *Block {
	b.Text, b.Thinking = s.keys(b.Text), s.keys(b.Thinking)
	if len(b.Raw) > 0 {
		b.Raw = json.RawMessage(s.keys(string(b.Raw)))
	}
	if b.ToolCall != nil {
		c := *b.ToolCall
		c.RawArguments = s.keys(c.RawArguments)
		if c.Arguments != nil {
			c.Arguments = json.RawMessage(s.keys(string(c.Arguments)))
		}
		b.ToolCall = &c
	}
	return &b
}

func (s *hidingStream) problem(e *Error) *Error {
	if e == nil {
		return nil
	}
	out := *e
	out.Message = s.keys(out.Message)
	out.Params = maps.Clone(out.Params)
	for k, v := range out.Params {
		out.Params[k] = s.keys(v)
	}
	return &out
}
