package agent

import (
	"encoding/json"
	"maps"
	"slices"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/shorten"
	"embedded-agent/wasm/internal/tool"
)

// The JSON of results that are not data (docs/design/invocation.md#results).
type (
	errorJSON struct {
		Status      string     `json:"status"`
		Tool        string     `json:"tool"`
		Error       string     `json:"error"`
		Code        fault.Code `json:"code"`
		Retryable   bool       `json:"retryable"`
		RetryAfterS float64    `json:"retry_after_s,omitempty"`
	}
	blockedJSON struct {
		Status string     `json:"status"`
		Tool   string     `json:"tool"`
		Reason string     `json:"reason"`
		Code   fault.Code `json:"code"`
	}
	cutJSON struct {
		Truncated   bool              `json:"truncated"`
		Attachments []tool.Attachment `json:"attachments,omitempty"`
	}
)

// content is a result as the model gets it: at least one block. Everything that
// came out of a note is inside a JSON string there, so it cannot pass for a
// result of its own.
func (l *loop) content(r *tool.Result) []llm.Block {
	if !r.OK {
		return []llm.Block{failure(r)}
	}
	data, images := takeImages(r.Data)
	cut := cutJSON{Truncated: r.Truncated, Attachments: r.Attachments}
	text := shorten.JSON(data)
	if len(text) > l.cfg.ResultBytes {
		whole := []byte(text)
		small := shorten.Value(data, l.cfg.ResultBytes)
		text = shorten.JSON(small)
		cut.Truncated = true
		if !r.Truncated {
			cut.Attachments = l.keepWhole(r, whole)
		}
	}
	blocks := []llm.Block{llm.Text(text)}
	if cut.Truncated {
		blocks = append(blocks, llm.Text(shorten.JSON(cut)))
	}
	for _, image := range images {
		blocks = append(blocks, l.fitImage(image))
	}
	return blocks
}

// keepWhole stores what is shortened in the conversation only. The receipt has
// the whole, so a store that fails loses nothing.
func (l *loop) keepWhole(r *tool.Result, whole []byte) []tool.Attachment {
	if l.cfg.Store == nil {
		return nil
	}
	a, err := shorten.Keep(l.ctx, l.cfg.Store, r.CallID, whole)
	if err != nil {
		return nil
	}
	r.Attachments = append(r.Attachments, a)
	return []tool.Attachment{a}
}

func failure(r *tool.Result) llm.Block {
	e := r.Error
	if e == nil { // skipped: left out by the person
		return llm.Text(shorten.JSON(errorJSON{Status: "error", Tool: r.Tool, Error: r.UserMessage, Code: fault.Cancelled}))
	}
	if e.Code == fault.Denied {
		return llm.Text(shorten.JSON(blockedJSON{"blocked", r.Tool, e.Message, e.Code}))
	}
	return llm.Text(shorten.JSON(errorJSON{"error", r.Tool, e.Message, e.Code, e.Retryable, e.RetryAfterS}))
}

// details are kept with a result in the conversation and not sent.
func details(c *tool.Call, r *tool.Result) json.RawMessage {
	return json.RawMessage(shorten.JSON(map[string]any{
		"callId": c.CallID, "call_id": c.LogicalID, "status": r.Status, "cached": r.Cached, "truncated": r.Truncated,
		"secretScope": r.SecretScope, "durationMs": r.DurationMs,
	}))
}

// takeImages takes the images out of a tool's output: objects with "type":
// "image", "mimeType" and base64 "data" become image blocks, and the text keeps
// their number.
func takeImages(d tool.Data) (map[string]any, []llm.Block) {
	var images []llm.Block
	out, _ := pickImages(map[string]any(d), &images).(map[string]any)
	return out, images
}

func pickImages(v any, images *[]llm.Block) any {
	switch v := v.(type) {
	case map[string]any:
		mime, _ := v["mimeType"].(string)
		data, isData := v["data"].(string)
		if v["type"] == "image" && mime != "" && isData {
			*images = append(*images, llm.Image(mime, data))
			return map[string]any{"type": "image", "mimeType": mime, "number": len(*images)}
		}
		return pickFromMap(v, images)
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = pickImages(e, images)
		}
		return out
	case []map[string]any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = pickImages(e, images)
		}
		return out
	}
	return v
}

func pickFromMap(v map[string]any, images *[]llm.Block) map[string]any {
	out := make(map[string]any, len(v))
	for _, k := range slices.Sorted(maps.Keys(v)) { // images are numbered in a fixed order
		out[k] = pickImages(v[k], images)
	}
	return out
}
