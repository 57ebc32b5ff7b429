package chat

import (
	"context"
	"strconv"

	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/price"
	"embedded-agent/wasm/internal/trace"
)

// tracedModel makes a span of every question to a model.
type tracedModel struct {
	llm.Provider
	t    *history.Tracing
	kind string
	n    *int
}

// traced gives a provider whose questions are in a trace; t may be nil.
func traced(t *history.Tracing, p llm.Provider, kind string) llm.Provider {
	if t == nil {
		return p
	}
	return tracedModel{p, t, kind, new(int)}
}

// Stream asks.
func (p tracedModel) Stream(ctx context.Context, r llm.Request) llm.Stream {
	*p.n++
	span := p.t.Rec.StartModel(p.t.Root, "chat/"+strconv.Itoa(*p.n), p.kind, r.Model)
	return &tracedStream{p.Provider.Stream(ctx, r), span}
}

type tracedStream struct {
	llm.Stream
	span *trace.Span
}

// Next gives the next event; the last one ends the span.
func (s *tracedStream) Next() (llm.Event, bool) {
	e, ok := s.Stream.Next()
	if ok && e.Terminal() {
		if m := e.Message; m != nil {
			var u price.Usage
			if m.Usage != nil {
				u = *m.Usage
			}
			s.span.ModelAnswer(m.ResponseModel, m.ResponseID, string(m.StopReason), u.Input, u.Output)
		}
		if e.Error != nil {
			s.span.Fail(e.Error.Code, e.Error.Error())
		}
		s.span.End()
	}
	return e, ok
}

// Close ends the stream.
func (s *tracedStream) Close() {
	s.span.End()
	s.Stream.Close()
}
