// Package window watches that requests fit into the window of a model: what surely does not fit is not sent, and what a
// server has cut is noticed by the tokens that it counted (docs/adr/0044-windows-are-watched.md). It also asks endpoints
// how large the window is.
package window

import (
	"context"
	"strconv"
	"strings"
	"sync"

	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/regex"
)

// Watch says what is known of a window, and who is told.
type Watch struct {
	// Tokens is how many tokens the model takes, 0 where nobody says.
	Tokens int
	// Tight is told of a request that may not fit, once; Cut of one of which the server counted far fewer tokens than
	// were sent, once. Nil hears nothing.
	Tight, Cut func(sent, counted int)
}

// Bounds of the watch, in tokens. The estimate may be a third off.
const (
	answerRoom = 128  // the least that is left for an answer
	leastSent  = 1500 // shorter requests are not compared with what was counted
	leastKept  = 256  // no server has a window so small: what counts less does not count at all
)

// Watched gives a provider that watches its requests.
func Watched(p llm.Provider, w Watch) llm.Provider { return &watched{inner: p, w: w} }

type watched struct {
	inner      llm.Provider
	w          Watch
	tight, cut sync.Once
}

// Stream asks, unless the request surely does not fit.
func (p *watched) Stream(ctx context.Context, r llm.Request) llm.Stream {
	sent := llm.EstimateRequest(r)
	if p.w.Tokens > 0 {
		switch {
		case sent*3/4+answerRoom > p.w.Tokens:
			return &refused{err: tooLong(r, sent, p.w.Tokens)}
		case sent > p.w.Tokens*9/10 && p.w.Tight != nil:
			p.tight.Do(func() { p.w.Tight(sent, p.w.Tokens) })
		}
	}
	return &stream{Stream: p.inner.Stream(ctx, r), p: p, sent: sent, comparable: sent >= leastSent && !hasImages(r)}
}

type stream struct {
	llm.Stream
	p          *watched
	sent       int
	comparable bool
}

// Next gives the next event.
func (s *stream) Next() (llm.Event, bool) {
	e, ok := s.Stream.Next()
	if e.Type == llm.EventDone && s.comparable && e.Message != nil && e.Message.Usage != nil && s.p.w.Cut != nil {
		if n := int(e.Message.Usage.Input); n >= leastKept && n < s.sent/2 {
			s.p.cut.Do(func() { s.p.w.Cut(s.sent, n) })
		}
	}
	return e, ok
}

func hasImages(r llm.Request) bool {
	for _, m := range r.Messages {
		for _, b := range m.Content {
			if b.Type == llm.BlockImage {
				return true
			}
		}
	}
	return false
}

// refused is a stream of one error.
type refused struct {
	err  *llm.Error
	over bool
}

// Next gives the error once.
func (s *refused) Next() (llm.Event, bool) {
	if s.over {
		return llm.Event{}, false
	}
	s.over = true
	return llm.Event{Type: llm.EventError, Error: s.err, Message: &llm.Message{Role: llm.RoleAssistant, Error: s.err}}, true
}

// Close ends the stream.
func (s *refused) Close() { s.over = true }

// part matches what goes along with an instruction and can be left out, and its text; called matches its names.
var (
	part   = regex.Lazy(`(?s)<(attached|selection)\b([^>]*)>\n(.*?)\n</(?:attached|selection)>`)
	called = regex.Lazy(` (?:path|name)="([^"]+)"`)
)

// tooLong is the error of a request that does not fit. It names the largest part that can be left out.
func tooLong(r llm.Request, sent, tokens int) *llm.Error {
	_, messages := r.System()
	key, name, largest := "llm.error.tooLong.prompt", "", 0
	seen := 0
	for i, m := range messages {
		text := m.Text()
		if i < len(messages)-1 {
			seen += llm.EstimateTokens(text)
			continue
		}
		for _, found := range part().FindAllStringSubmatch(text, -1) {
			n := llm.EstimateTokens(found[3])
			if n <= largest {
				continue
			}
			largest, key, name = n, "llm.error.tooLong."+found[1], ""
			for _, one := range called().FindAllStringSubmatch(found[2], -1) {
				name = strings.TrimSpace(name + " " + one[1])
			}
		}
	}
	if seen > largest {
		largest, key = seen, "llm.error.tooLong.conversation"
	}
	return llm.NewError(key, "tokens", strconv.Itoa(sent), "window", strconv.Itoa(tokens), "name", name, "part", strconv.Itoa(largest))
}
