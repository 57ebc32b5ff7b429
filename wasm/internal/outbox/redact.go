package outbox

import (
	"embedded-agent/wasm/internal/audit"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/tool"
)

// Problem gives an error as the panel shows it.
func (o *Outbox) Problem(err error) *protocol.Problem {
	if err == nil {
		return nil
	}
	return o.ProblemOf(fault.From(err))
}

// ProblemOf is Problem for an error that is a fault already.
func (o *Outbox) ProblemOf(e *fault.Error) *protocol.Problem {
	if e == nil {
		return nil
	}
	p := &protocol.Problem{
		Code: protocol.ProblemCode(e.Code), Key: e.Key, Detail: o.Redact(e.Detail),
		Retryable: e.Retryable, RetryAfterS: e.RetryAfterS,
	}
	if len(e.Params) > 0 {
		p.Params = make(map[string]string, len(e.Params))
		for k, v := range e.Params {
			p.Params[k] = o.Redact(v)
		}
	}
	return p
}

// Hide sets what is taken out of every text from now on.
func (o *Outbox) Hide(r *audit.Redactor) { o.redactor.Store(r) }

// Redact takes out of a text what is to be hidden.
func (o *Outbox) Redact(text string) string {
	r := o.redactor.Load()
	if r == nil || text == "" {
		return text
	}
	return r.Text(text)
}

// Notice tells the person something that belongs to no answer; run names the
// run that it is about, "" for none.
func (o *Outbox) Notice(level protocol.Level, key string, params map[string]string, run string) {
	o.Tell(protocol.Event{Type: protocol.EventNotice, Notice: &protocol.Notice{
		Level: level, Text: protocol.Message{Key: key, Params: params}, Run: run,
	}})
}

// RedactValue redacts every text in a value, and says whether there was any to
// redact. What it changes it copies.
func (o *Outbox) RedactValue(v any) (any, bool) {
	switch v := v.(type) {
	case string:
		text := o.Redact(v)
		return text, text != v
	case map[string]any:
		out, hit := make(map[string]any, len(v)), false
		for k, e := range v {
			x, changed := o.RedactValue(e)
			out[k], hit = x, hit || changed
		}
		return out, hit
	case tool.Data:
		return o.RedactValue(map[string]any(v))
	case []any:
		out, hit := make([]any, len(v)), false
		for i, e := range v {
			x, changed := o.RedactValue(e)
			out[i], hit = x, hit || changed
		}
		return out, hit
	case []string:
		out, hit := make([]string, len(v)), false
		for i, e := range v {
			out[i] = o.Redact(e)
			hit = hit || out[i] != e
		}
		return out, hit
	case []map[string]any:
		out, hit := make([]any, len(v)), false
		for i, e := range v {
			x, changed := o.RedactValue(e)
			out[i], hit = x, hit || changed
		}
		return out, hit
	}
	return v, false
}
