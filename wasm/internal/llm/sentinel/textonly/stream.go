package textonly

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/sentinel"
	"embedded-agent/wasm/internal/price"
)

// stream reads the inner stream and finds the calls in its text.
type stream struct {
	ctx   context.Context
	inner llm.Provider
	host  string
	asked struct {
		request llm.Request // as text alone
		tools   *sentinel.Registry
		mode    sentinel.ChoiceMode
		single  bool // one call at most
	}

	builder  *llm.Builder
	queue    []llm.Event
	over     bool
	unescape sentinel.Unescaper
	next     int // the number of the next call's id

	try     attempt
	reasked bool
	before  price.Usage // what an attempt before this one used
}

// attempt is one request to the inner provider, and what it has brought so far.
type attempt struct {
	source   llm.Stream
	machine  *sentinel.Machine
	text     int             // the open text block, -1 for none
	thinking map[int]int     // open thinking blocks: the inner index to ours
	calls    int             // calls that were found
	held     strings.Builder // text held back until a required call is there
	said     strings.Builder // all that was said while one was required
	failure  *sentinel.CallError
}

// ask begins an attempt.
func (s *stream) ask() {
	off := s.asked.mode == sentinel.ChoiceNone || len(s.asked.tools.Names()) == 0
	s.try = attempt{
		source:  s.inner.Stream(s.ctx, s.asked.request),
		machine: sentinel.New(s.asked.tools, sentinel.Options{Off: off}, s.found),
		text:    -1, thinking: map[int]int{},
	}
}

// Next gives the next event.
func (s *stream) Next() (llm.Event, bool) {
	for !s.over {
		if len(s.queue) > 0 {
			e := s.queue[0]
			s.queue = s.queue[1:]
			if s.over = e.Terminal(); s.over {
				s.Close()
			}
			return e, true
		}
		if e, ok := s.try.source.Next(); ok {
			s.take(e)
		} else if !s.builder.Ended() {
			s.builder.Fail(llm.NewError("llm.error.cut", "host", s.host))
		}
	}
	return llm.Event{}, false
}

// Close stops early.
func (s *stream) Close() {
	if s.try.source != nil {
		s.try.source.Close()
	}
}

// take handles one event of the inner stream.
func (s *stream) take(e llm.Event) {
	switch e.Type {
	case llm.EventStart:
		if e.Message != nil {
			s.builder.Start(e.Message.ResponseID, e.Message.ResponseModel)
		}
	case llm.EventTextDelta:
		if s.holding() {
			s.try.said.WriteString(e.Delta)
		}
		s.try.machine.Feed(e.Delta)
	case llm.EventThinkingStart:
		s.endText()
		s.try.thinking[e.ContentIndex] = s.builder.Open(llm.Block{Type: llm.BlockThinking})
	case llm.EventThinkingDelta:
		if i, ok := s.try.thinking[e.ContentIndex]; ok {
			s.builder.Delta(i, e.Delta)
		}
	case llm.EventThinkingEnd:
		if i, ok := s.try.thinking[e.ContentIndex]; ok {
			s.builder.Close(i)
		}
	case llm.EventUsage:
		s.builder.Usage(s.before.Add(*e.Usage))
	case llm.EventDone:
		s.done(e.Message)
	case llm.EventError:
		s.try.machine.Close()
		s.flush()
		s.release()
		s.builder.Fail(e.Error)
	default: // starts and ends of text, and calls of a kind that was not asked for
	}
	if s.try.failure != nil && !s.disobeyed() {
		s.fail(s.try.failure.Error())
	}
}

// holding reports whether text waits for a call that must come.
func (s *stream) holding() bool { return s.asked.mode == sentinel.ChoiceRequired && s.try.calls == 0 }

// found takes a finding of the machine.
func (s *stream) found(e sentinel.Event) {
	switch e.Kind {
	case sentinel.EventText:
		s.say(s.unescape.Feed(e.Text))
	case sentinel.EventCall:
		s.flush()
		if s.asked.single && s.try.calls > 0 {
			return
		}
		s.release()
		s.endText()
		s.try.calls++
		id := sentinel.ID(s.next)
		s.next++
		i := s.builder.Open(llm.Call(id, e.Call.Name, json.RawMessage(nil)))
		s.builder.Delta(i, e.Call.Arguments)
		s.builder.Close(i)
	case sentinel.EventFailed:
		s.flush()
		s.try.failure = e.Err
	case sentinel.EventSpace:
	}
}

func (s *stream) say(text string) {
	switch {
	case text == "":
	case s.holding():
		s.try.held.WriteString(text)
	default:
		if s.try.text < 0 {
			s.try.text = s.builder.Open(llm.Block{Type: llm.BlockText})
		}
		s.builder.Delta(s.try.text, text)
	}
}

// flush hands on what was kept because it might have been quoting.
func (s *stream) flush() { s.say(s.unescape.Flush()) }

// release lets out the text that was held back.
func (s *stream) release() {
	text := s.try.held.String()
	s.try.held.Reset()
	if text != "" {
		if s.try.text < 0 {
			s.try.text = s.builder.Open(llm.Block{Type: llm.BlockText})
		}
		s.builder.Delta(s.try.text, text)
	}
}

func (s *stream) endText() {
	if s.try.text >= 0 {
		s.builder.Close(s.try.text)
		s.try.text = -1
	}
}

// disobeyed reports whether a call was required and none came, or only of a tool that was not allowed.
func (s *stream) disobeyed() bool {
	return s.holding() && (s.try.failure == nil || s.try.failure.Reason == sentinel.ReasonExcluded)
}

// done ends the message, or asks once more for the call that had to come.
func (s *stream) done(m *llm.Message) {
	s.try.machine.Close()
	s.flush()
	if s.try.failure != nil && !s.disobeyed() {
		return // take ends it
	}
	if !s.disobeyed() || m.StopReason != llm.StopStop {
		s.release()
		s.builder.Done(m.StopReason, m.StopDetail)
		return
	}
	if s.reasked {
		s.release()
		s.fail("it was asked for a tool call twice and made none")
		return
	}
	s.reasked = true
	s.before = s.builder.CurrentUsage()
	s.asked.request.Messages = append(slices.Clip(s.asked.request.Messages),
		llm.AssistantMessage(llm.Text(sentinel.Escape(s.try.said.String()))), llm.UserMessage(sentinel.Reminder(s.asked.tools)))
	s.try.source.Close()
	s.ask()
}

func (s *stream) fail(why string) {
	s.builder.Fail(llm.NewError("llm.error.provider", "host", s.host, "detail", why))
}
