package agent

import (
	"strconv"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/trace"
)

// finish makes of a result what the model, the outputs, the trace and whoever
// watches get. own says that the pipeline has not seen it.
func (s *slot) finish(r *tool.Result, own bool) {
	l := s.l
	call := &s.ident
	if own {
		if l.cfg.Audit != nil {
			l.cfg.Audit.Call(call)
			l.cfg.Audit.Result(call, r)
		}
	} else {
		call = s.call
	}
	s.mu.Lock()
	s.over = true
	s.mu.Unlock()
	content := l.content(r)
	m := llm.ToolResult(s.asked, !r.OK, content...)
	if was, ok := l.cfg.recorded.find(s.asked.ID); ok {
		m, content = was, was.Content
	}
	m.Details = details(call, r)
	envelope := tool.NewEnvelope(call, r)
	envelope.Taken = s.taken
	l.record(s.ident.LogicalID, envelope)
	s.endSpan(r)
	s.message = m
	l.emit(Event{
		Type: ToolEnd, CallEvent: s.event(call), Content: content,
		CallEnd: CallEnd{IsError: !r.OK, Envelope: &envelope, Status: r.Status, SecretScope: r.SecretScope, Made: r},
	})
}

// progress tells how far the call is.
func (s *slot) progress(p tool.Progress) {
	// Held until it is told, so that no update comes after the end.
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return
	}
	text := strconv.Itoa(p.Done)
	if p.Total > 0 {
		text += " / " + strconv.Itoa(p.Total)
	}
	s.moves()
	s.l.emit(Event{
		Type: ToolUpdate, CallEvent: s.event(&s.ident), Content: []llm.Block{llm.Text(text)},
		CallProgress: CallProgress{Done: p.Done, Total: p.Total, Found: p.Found},
	})
}

// event says which call an event is about.
func (s *slot) event(c *tool.Call) CallEvent {
	return CallEvent{ToolCallID: s.asked.ID, CallID: c.CallID, LogicalID: c.LogicalID, Tool: c.Tool, Call: c}
}

// record keeps a receipt. A hook that changed the arguments has changed the
// call_id too; its place in the order stays.
func (l *loop) record(prepared string, e tool.Envelope) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e.CallID == "" {
		e.CallID = prepared
	}
	if e.CallID != prepared {
		delete(l.state.Calls, prepared)
		for i, id := range l.state.Order {
			if id == prepared {
				l.state.Order[i] = e.CallID
			}
		}
	}
	l.state.Calls[e.CallID] = e
}

func (s *slot) endSpan(r *tool.Result) {
	s.span.Set(
		trace.Attr{Key: "embedded_agent.call.cached", Value: r.Cached},
		trace.Attr{Key: "embedded_agent.secret.scope", Value: r.SecretScope})
	if r.Error != nil {
		s.span.Fail(string(r.Error.Code), r.Error.Message)
	} else if !r.OK {
		s.span.Fail(string(fault.Internal), string(r.Status))
	}
	s.span.End()
}
