package llm

import (
	"context"
	"sync"
)

// Adaptation has the parts that Adapting works with.
type Adaptation struct {
	// Without are features that the endpoint is known to refuse: it is not asked for them.
	Without []Feature
	// Refused is told once of each feature that the endpoint refuses, before it is asked again.
	Refused func(f Feature, why *Error)
	// WithoutTools makes a provider that calls tools out of one that cannot; nil leaves that refusal to the caller.
	WithoutTools func(Provider) Provider
}

// imageLeftOut stands for an image that the endpoint does not take.
const imageLeftOut = "[An image was here. It was left out, because this model cannot see images.]"

// Adapting gives a provider that leaves out what the endpoint refuses, and asks again: streaming, temperature, the effort of
// thinking and its summaries, images, and, where there is a way, tools. A refusal counts only before anything of the answer has come.
func Adapting(p Provider, a Adaptation) Provider {
	out := &adapting{inner: p, a: a, without: map[Feature]bool{}}
	for _, f := range a.Without {
		out.without[f] = true
	}
	return out
}

type adapting struct {
	inner Provider
	a     Adaptation

	mu      sync.Mutex // guards without
	without map[Feature]bool
}

// Stream asks.
func (p *adapting) Stream(ctx context.Context, r Request) Stream {
	s := &adaptStream{p: p, ctx: ctx, r: r}
	s.ask()
	return s
}

func (p *adapting) lacks(f Feature) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.without[f]
}

// refuse notes that a feature is refused; false when that was known.
func (p *adapting) refuse(f Feature, why *Error) bool {
	p.mu.Lock()
	known := p.without[f]
	p.without[f] = true
	p.mu.Unlock()
	if !known && p.a.Refused != nil {
		p.a.Refused(f, why)
	}
	return !known
}

// adaptStream is a question and the questions that come of its refusals.
type adaptStream struct {
	p     *adapting
	ctx   context.Context
	r     Request
	asked []Feature
	inner Stream
	held  []Event // what comes before the answer itself, until that begins
	begun bool
}

// ask sends the request without what is known to be refused.
func (s *adaptStream) ask() {
	r, inner := s.r, s.p.inner
	s.asked = nil
	want := func(f Feature, has bool, drop func()) {
		switch {
		case has && s.p.lacks(f):
			drop()
		case has:
			s.asked = append(s.asked, f)
		}
	}
	want(FeatureStreaming, !r.Whole, func() { r.Whole = true })
	want(FeatureTemperature, r.Temperature != nil, func() { r.Temperature = nil })
	want(FeatureSummaries, r.Reasoning != "" && r.Reasoning != EffortNone, func() { r.NoSummary = true })
	want(EffortFeature(r.Reasoning), r.Reasoning != "", func() { r.Reasoning = "" })
	want(FeatureImages, hasImages(r.Messages), func() { r.Messages = withoutImages(r.Messages) })
	if s.p.a.WithoutTools != nil {
		want(FeatureTools, len(r.Tools) > 0, func() { inner = s.p.a.WithoutTools(inner) })
	}
	s.inner = inner.Stream(s.ctx, r)
}

// Next gives the next event.
func (s *adaptStream) Next() (Event, bool) {
	for !s.begun {
		e, ok := s.inner.Next()
		switch {
		case ok && (e.Type == EventStart || e.Type == EventUsage):
			s.held = append(s.held, e)
		case ok && e.Type == EventError && s.again(e.Error):
			s.held = nil
			s.inner.Close()
			s.ask()
		default:
			s.begun = true
			if ok {
				s.held = append(s.held, e)
			}
		}
	}
	if len(s.held) > 0 {
		e := s.held[0]
		s.held = s.held[1:]
		return e, true
	}
	return s.inner.Next()
}

func (s *adaptStream) again(why *Error) bool {
	f := Refused(why, s.asked...)
	return f != "" && s.ctx.Err() == nil && s.p.refuse(f, why)
}

// Close stops early.
func (s *adaptStream) Close() { s.inner.Close() }

func hasImages(messages []Message) bool {
	for _, m := range messages {
		for _, b := range m.Content {
			if b.Type == BlockImage {
				return true
			}
		}
	}
	return false
}

// withoutImages gives the messages with words in the place of images.
func withoutImages(messages []Message) []Message {
	out := make([]Message, len(messages))
	for i, m := range messages {
		m.Content = append([]Block(nil), m.Content...)
		for j, b := range m.Content {
			if b.Type == BlockImage {
				m.Content[j] = Text(imageLeftOut)
			}
		}
		out[i] = m
	}
	return out
}
