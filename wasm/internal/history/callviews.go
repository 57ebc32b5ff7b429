package history

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/audit"
	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/tool"
)

// shown bounds arguments and results in the log's rows, in bytes.
const shown = 1500

// CallView is a call as the run log shows it; r is nil while it runs.
func (h *History) CallView(c *tool.Call, r *tool.Result) *protocol.CallView {
	v := &protocol.CallView{
		CallID: c.CallID, StepID: c.StepID, Tool: c.Tool, Index: -1, Attempt: c.Attempt, Status: "running",
		Args: h.deps.Out.Redact(ShortJSON(c.Args)), Preview: h.deps.Out.Redact(c.Preview), Risk: protocol.Risk(c.Risk),
	}
	if c.Iteration != nil {
		v.Index = c.Iteration.Index
	}
	v.Deed = deedOf(&h.deps, c.Tool, c.Args, nil)
	if r == nil {
		return v
	}
	v.Status, v.DurationMs, v.Cached, v.SecretFrom = protocol.CallStatus(r.Status), r.DurationMs, r.Cached, r.SecretScope
	if r.OK {
		v.Deed = deedOf(&h.deps, c.Tool, c.Args, given(r.Data))
		v.Result, v.Pins = h.deps.Out.Redact(h.shortResult(c.Tool, r.Data)), pinsIn(r.Data)
	}
	if v.Attached = attachedTo(r.Attachments); v.Attached != nil {
		v.Run = c.RunID
	}
	v.Paths = touched(r.Effects)
	if r.Fault != nil {
		v.Problem = h.deps.Out.ProblemOf(r.Fault)
		v.Problem.Tool, v.Problem.Step = c.Tool, c.StepID
	}
	return v
}

// deedOf says in words what a call did: data is nil unless it went well. The tool of an old run
// may be gone.
func deedOf(d *Deps, name string, args tool.Args, data tool.Data) *protocol.Message {
	t, err := d.Registry.Get(name, "")
	if err != nil {
		return nil
	}
	key, params := t.Told(args, data)
	if key == "" {
		return nil
	}
	for name, value := range params {
		params[name] = d.Out.Redact(value)
	}
	return &protocol.Message{Key: key, Params: params}
}

// given tells the output of a call that went well, though it is none, from that of
// one that did not.
func given(d tool.Data) tool.Data {
	if d == nil {
		return tool.Data{}
	}
	return d
}

// shownFound bounds what a search found, such as plugins: it is shown as a list,
// which a part cannot be.
const shownFound = 16 << 10

// shortResult writes what a tool gave for its row. The tool of an old run may be
// gone.
func (h *History) shortResult(name string, d tool.Data) string {
	if e, err := h.deps.Registry.Get(name, ""); err == nil && e.Facts.Finds {
		return shortJSONTo(d, shownFound)
	}
	return ShortJSON(d)
}

// pinsIn gives the names of what an agent's step pinned, in order; none for
// another tool.
func pinsIn(d tool.Data) []string {
	named, _ := d["pins"].(map[string]any)
	return slices.Sorted(maps.Keys(named))
}

// ShortJSON writes a value with its long texts shortened, so that a row stays a
// row whatever a note holds.
func ShortJSON[M ~map[string]any](m M) string { return shortJSONTo(m, shown) }

func shortJSONTo[M ~map[string]any](m M, most int) string {
	b, err := canon.Append(make([]byte, 0, 256), shortValue(map[string]any(m), shown/4))
	if err != nil {
		raw, err := json.Marshal(m)
		if err != nil {
			return ""
		}
		b = raw
	}
	return Shorten(string(b), most)
}

func shortValue(v any, n int) any {
	switch v := v.(type) {
	case string:
		return Shorten(v, n)
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[k] = shortValue(e, n)
		}
		return out
	case []any:
		if len(v) > 20 {
			v = v[:20:20]
		}
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = shortValue(e, n/2)
		}
		return out
	case tool.Data:
		return shortValue(map[string]any(v), n)
	case []map[string]any:
		out := make([]any, 0, min(len(v), 20))
		for _, e := range v[:min(len(v), 20)] {
			out = append(out, shortValue(e, n/2))
		}
		return out
	}
	return v
}

func touched(e *tool.Effects) []string {
	if e == nil {
		return nil
	}
	var out []string
	for _, p := range e.Created {
		out = append(out, p.Path)
	}
	for _, p := range e.Modified {
		out = append(out, p.Path)
	}
	for _, p := range e.Renamed {
		out = append(out, p.To)
	}
	for _, p := range e.Deleted {
		out = append(out, p.Path)
	}
	return out
}

func (h *History) pastCall(c audit.Pair) protocol.CallView {
	v := protocol.CallView{
		CallID: c.Call.CallID, StepID: c.Call.StepID, Tool: c.Call.Tool, Index: -1, Attempt: c.Call.Attempt,
		Status: protocol.CallUnknown, Args: ShortJSON(c.Call.Args), Preview: c.Call.Preview, Risk: protocol.Risk(c.Call.Risk),
	}
	if c.Call.Iteration != nil {
		v.Index = c.Call.Iteration.Index
	}
	v.Deed = deedOf(&h.deps, c.Call.Tool, c.Call.Args, nil)
	if r := c.Result; r != nil {
		if r.OK {
			v.Deed = deedOf(&h.deps, c.Call.Tool, c.Call.Args, given(r.Data))
		}
		v.Status, v.DurationMs, v.Cached, v.SecretFrom = protocol.CallStatus(r.Status), r.DurationMs, r.Cached, r.SecretScope
		v.Result, v.Pins, v.Paths = h.shortResult(c.Call.Tool, r.Data), pinsIn(r.Data), touched(r.Effects)
		if r.Error != nil {
			v.Problem = &protocol.Problem{Code: protocol.ProblemCode(r.Error.Code), Key: r.Error.Key, Params: r.Error.Params, Detail: r.Error.Message}
			if r.Error.Key != "" {
				v.Problem.Detail = ""
			}
		}
	}
	return v
}

// Shorten cuts a text at a character.
func Shorten(t string, n int) string {
	if len(t) <= n {
		return t
	}
	return strings.ToValidUTF8(t[:n], "") + "…"
}
