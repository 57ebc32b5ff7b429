// Package shorten bounds what tools give: what is too long is cut, so that it keeps
// its form, and the whole is kept beside the run (docs/design/invocation.md#results).
package shorten

import (
	"context"
	"unicode/utf8"

	"embedded-agent/i18n"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/tool"
)

// Store keeps a payload beside a run and gives the URL under which it is found
// again.
type Store func(ctx context.Context, name, contentType string, data []byte) (url string, err error)

// DefaultMaxOutputBytes bounds a tool's output.
const DefaultMaxOutputBytes = 2 << 20

// Cap gives the pipeline's stage that bounds outputs: what is larger as JSON than max bytes (0: DefaultMaxOutputBytes) is shortened and
// marked, and the whole goes to the store as an attachment.
func Cap(store Store, max int) func(context.Context, *tool.Call, *tool.Result) {
	if max <= 0 {
		max = DefaultMaxOutputBytes
	}
	return func(ctx context.Context, c *tool.Call, r *tool.Result) {
		if !r.OK {
			return
		}
		whole := []byte(JSON(r.Data))
		if len(whole) <= max {
			return
		}
		r.Data = Value(r.Data, max)
		r.Truncated = true
		if store == nil {
			r.UserMessage = lost("there is no store")
			return
		}
		a, err := Keep(ctx, store, c.CallID, whole)
		if err != nil {
			// The call has been made and its result stands; the loss is said.
			r.UserMessage = lost(err.Error())
			return
		}
		r.Attachments = append(r.Attachments, a)
	}
}

func lost(problem string) string {
	return i18n.English("agent.attachment.lost", fault.P{"problem": problem})
}

// Keep puts the whole of a call's output, as JSON, into a store, also when the call
// was stopped, and gives it as an attachment.
func Keep(ctx context.Context, store Store, callID string, whole []byte) (tool.Attachment, error) {
	const kind = "application/json"
	url, err := store(context.WithoutCancel(ctx), callID+".json", kind, whole)
	if err != nil {
		return tool.Attachment{}, err
	}
	return tool.Attachment{Kind: "blob", URL: url, ContentType: kind, Bytes: int64(len(whole))}, nil
}

// Value gives a value of the same form that is at most max bytes as JSON:
// strings are cut at the end and lists to their first elements, as little as
// will do. The value given is not changed.
func Value[M ~map[string]any](v M, max int) map[string]any {
	text, list := max, max
	for text > 0 || list > 0 {
		out, _ := cut(map[string]any(v), text, list).(map[string]any)
		if len(JSON(out)) <= max {
			return out
		}
		text, list = text/2, min(list/2, 4096)
	}
	return map[string]any{}
}

// cut copies a value with strings of at most text bytes and lists of at most
// list elements.
func cut(v any, text, list int) any {
	switch v := v.(type) {
	case string:
		return cutText(v, text)
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[k] = cut(e, text, list)
		}
		return out
	case []any:
		out := make([]any, min(len(v), list))
		for i := range out {
			out[i] = cut(v[i], text, list)
		}
		return out
	case []string:
		out := make([]any, min(len(v), list))
		for i := range out {
			out[i] = cutText(v[i], text)
		}
		return out
	case []map[string]any:
		out := make([]any, min(len(v), list))
		for i := range out {
			out[i] = cut(v[i], text, list)
		}
		return out
	}
	return v
}

// cutText keeps whole characters.
func cutText(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
