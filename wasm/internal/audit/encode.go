package audit

import (
	"encoding/hex"
	"sort"
	"strconv"

	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/digest"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/tool"
)

// Event is one line of events.jsonl (docs/design/tool-calls.md#events).
type Event struct {
	Type      string
	RunID     string
	Timestamp string
	Level     string
	Message   string
	CallID    string
	StepID    string
	Tool      string
	Payload   map[string]any
}

// encoder writes records by appending: encoding by reflection would cost more
// than the rest of a call.
type encoder struct {
	redact  func(string) string
	scratch []byte
	policy  []byte // encoded once: it is the same all through a run
}

// done ends a record and keeps its memory for the next one: a record is copied
// into its frame before another is begun.
func (e *encoder) done(b []byte) []byte {
	e.scratch = append(b, '}')
	return e.scratch
}

// maxString is the longest string that is kept in the records itself.
const maxString = 512

func (e *encoder) str(b []byte, s string) []byte {
	if e.redact != nil {
		s = e.redact(s)
	}
	return canon.AppendString(b, s)
}

// field writes one of our own words (an id, a time, a tool's name): there is
// nothing in it to redact.
func (e *encoder) field(b []byte, name, value string) []byte {
	if value == "" {
		return b
	}
	return canon.AppendString(key(b, name), value)
}

// text writes words that may come from a note, a model or a provider.
func (e *encoder) text(b []byte, name, value string) []byte {
	if value == "" {
		return b
	}
	return e.str(key(b, name), value)
}

// key starts a member: a comma, unless it is the object's first.
func key(b []byte, name string) []byte {
	if b[len(b)-1] != '{' {
		b = append(b, ',')
	}
	b = append(b, '"')
	b = append(b, name...)
	return append(b, '"', ':')
}

func number(b []byte, name string, n int64) []byte {
	return strconv.AppendInt(key(b, name), n, 10)
}

func truth(b []byte, name string, v bool) []byte {
	return strconv.AppendBool(key(b, name), v)
}

// value writes any JSON value; long strings by their hash and length.
func (e *encoder) value(b []byte, v any) []byte {
	switch v := v.(type) {
	case string:
		if len(v) > maxString {
			b = append(b, `{"$sha256":"`...)
			b = append(b, host.Etag([]byte(v))...)
			b = append(b, `","bytes":`...)
			b = strconv.AppendInt(b, int64(len(v)), 10)
			return append(b, '}')
		}
		return e.str(b, v)
	case map[string]any:
		return e.object(b, v)
	case tool.Args:
		return e.object(b, v)
	case tool.Data:
		return e.object(b, v)
	case []any:
		b = append(b, '[')
		for i, x := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = e.value(b, x)
		}
		return append(b, ']')
	case []string:
		b = append(b, '[')
		for i, x := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = e.value(b, x)
		}
		return append(b, ']')
	}
	out, err := canon.Append(b, v)
	if err != nil {
		return append(b, "null"...) // not JSON: the validator has refused it before
	}
	return out
}

func (e *encoder) object(b []byte, m map[string]any) []byte {
	var arr [16]string
	keys := arr[:0]
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	b = append(b, '{')
	for i, k := range keys {
		if i > 0 {
			b = append(b, ',')
		}
		b = canon.AppendString(b, k)
		b = append(b, ':')
		b = e.value(b, m[k])
	}
	return append(b, '}')
}

func (e *encoder) call(c *tool.Call) []byte {
	b := append(e.scratch[:0], '{')
	b = e.field(b, "callId", c.CallID)
	b = e.field(b, "runId", c.RunID)
	b = e.field(b, "stepId", c.StepID)
	b = e.field(b, "tool", c.Tool)
	b = e.field(b, "version", c.Version)
	b = e.object(key(b, "args"), c.Args)
	b = e.field(b, "argsHash", c.ArgsHash)
	b = number(b, "attempt", int64(c.Attempt))
	if c.TimeoutMs > 0 {
		b = number(b, "timeoutMs", c.TimeoutMs)
	}
	b = e.field(b, "deadlineAt", c.DeadlineAt)
	b = truth(b, "cancellable", c.Cancelable)
	if it := c.Iteration; it != nil {
		b = append(key(b, "iteration"), '{')
		b = number(b, "index", int64(it.Index))
		b = e.str(key(b, "itemName"), it.ItemName)
		b = append(e.value(key(b, "itemValue"), it.ItemValue), '}')
	}
	b = e.field(b, "loopId", c.LoopID)
	b = e.field(b, "createdAt", c.CreatedAt)
	b = e.field(b, "plannerVersion", c.PlannerVersion)
	b = e.field(b, "executorVersion", c.ExecutorVersion)
	b = e.field(b, "toolRegistryVersion", c.ToolRegistryVersion)
	b = e.text(b, "preview", c.Preview)
	b = e.field(b, "riskLevel", string(c.Risk))
	b = e.field(b, "category", c.Category)
	b = append(key(b, "policy"), e.snapshot(&c.Policy)...)
	b = e.field(b, "confirmationId", c.ConfirmationID)
	b = e.field(b, "call_id", c.LogicalID)
	b = number(b, "seq", int64(c.Seq))
	return e.done(b)
}

// snapshot encodes a policy once per run: it is the same in every call.
func (e *encoder) snapshot(p *tool.PolicySnapshot) []byte {
	if e.policy == nil {
		b := append([]byte(nil), '{')
		b = truth(b, "confirmationsRequired", p.ConfirmationsRequired)
		b = append(key(b, "sandbox"), '{')
		b = truth(b, "enabled", p.Sandbox.Enabled)
		b = e.value(key(b, "allowedRoots"), p.Sandbox.AllowedRoots)
		b = append(e.value(key(b, "denyPatterns"), p.Sandbox.DenyPatterns), '}')
		b = append(key(b, "limits"), '{')
		b = number(b, "maxConcurrency", int64(p.Limits.MaxConcurrency))
		b = number(b, "maxAttempts", int64(p.Limits.MaxAttempts))
		b = number(b, "maxBackoffMs", p.Limits.MaxBackoffMs)
		b = number(b, "maxTimeoutMs", p.Limits.MaxTimeoutMs)
		b = number(b, "maxCalls", int64(p.Limits.MaxCalls))
		b = append(number(b, "maxOutputBytes", int64(p.Limits.MaxOutputBytes)), '}', '}')
		e.policy = b
	}
	return e.policy
}

func (e *encoder) result(r *tool.Result) []byte {
	b := append(e.scratch[:0], '{')
	b = e.field(b, "callId", r.CallID)
	b = e.field(b, "runId", r.RunID)
	b = e.field(b, "stepId", r.StepID)
	b = e.field(b, "tool", r.Tool)
	b = e.field(b, "version", r.Version)
	b = number(b, "attempt", int64(r.Attempt))
	b = e.field(b, "status", string(r.Status))
	b = truth(b, "ok", r.OK)
	if r.OK {
		b = key(b, "data")
		from := len(b)
		b = e.object(b, r.Data)
		sum := digest.Sum256(b[from:])
		b = e.field(b, "dataHash", hex.EncodeToString(sum[:]))
	}
	if r.Error != nil {
		b = e.resultError(key(b, "error"), r.Error)
	}
	b = e.field(b, "startedAt", r.StartedAt)
	b = e.field(b, "endedAt", r.EndedAt)
	b = number(b, "durationMs", r.DurationMs)
	if r.Effects != nil {
		b = e.effects(key(b, "effects"), r.Effects)
	}
	b = e.text(b, "userMessage", r.UserMessage)
	b = e.field(b, "call_id", r.LogicalID)
	if r.Cached {
		b = truth(b, "cached", true)
	}
	if r.Truncated {
		b = truth(b, "truncated", true)
	}
	b = e.field(b, "secretScope", r.SecretScope)
	return e.done(b)
}

func (e *encoder) resultError(b []byte, r *tool.ResultError) []byte {
	b = append(b, '{')
	b = e.field(b, "code", string(r.Code))
	b = e.str(key(b, "message"), r.Message)
	if r.Details != nil {
		b = e.object(key(b, "details"), r.Details)
	}
	if r.Retryable {
		b = truth(b, "retryable", true)
	}
	if r.RetryAfterS > 0 {
		b = strconv.AppendFloat(key(b, "retry_after_s"), r.RetryAfterS, 'f', -1, 64)
	}
	b = e.field(b, "key", r.Key)
	if len(r.Params) > 0 {
		m := make(map[string]any, len(r.Params))
		for k, v := range r.Params {
			m[k] = v
		}
		b = e.object(key(b, "params"), m)
	}
	return append(b, '}')
}

func (e *encoder) effects(b []byte, x *tool.Effects) []byte {
	b = append(b, '{')
	b = e.value(key(b, "sideEffectsObserved"), x.Observed)
	list := func(name string, n int, each func(b []byte, i int) []byte) {
		if n == 0 {
			return
		}
		b = append(key(b, name), '[')
		for i := range n {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(each(append(b, '{'), i), '}')
		}
		b = append(b, ']')
	}
	list("created", len(x.Created), func(b []byte, i int) []byte {
		return e.field(e.text(b, "path", x.Created[i].Path), "kind", x.Created[i].Kind)
	})
	list("modified", len(x.Modified), func(b []byte, i int) []byte {
		m := x.Modified[i]
		b = e.field(e.text(b, "path", m.Path), "kind", m.Kind)
		return e.field(e.field(b, "beforeEtag", m.BeforeEtag), "afterEtag", m.AfterEtag)
	})
	list("deleted", len(x.Deleted), func(b []byte, i int) []byte {
		d := x.Deleted[i]
		return truth(e.field(e.text(b, "path", d.Path), "kind", d.Kind), "trashed", d.Trashed)
	})
	list("renamed", len(x.Renamed), func(b []byte, i int) []byte {
		return e.text(e.text(b, "from", x.Renamed[i].From), "to", x.Renamed[i].To)
	})
	return append(b, '}')
}

func (e *encoder) event(ev *Event) []byte {
	b := append(e.scratch[:0], '{')
	b = e.field(b, "type", ev.Type)
	b = e.field(b, "runId", ev.RunID)
	b = e.field(b, "timestamp", ev.Timestamp)
	b = e.field(b, "level", ev.Level)
	b = e.str(key(b, "message"), ev.Message)
	b = e.field(b, "callId", ev.CallID)
	b = e.field(b, "stepId", ev.StepID)
	b = e.field(b, "tool", ev.Tool)
	if ev.Payload != nil {
		b = e.object(key(b, "payload"), ev.Payload)
	}
	return e.done(b)
}
