//go:build !js

package proxy

import (
	"encoding/json"
	"fmt"
)

// A request of Chat Completions is put into the form of a request of the Responses API, and then read like one: it means the
// same in other words.

// chatOptions say how such a request wants its answer.
type chatOptions struct{ usage bool }

// chatRequest is the body of POST /v1/chat/completions, as far as it has words of its own.
type chatRequest struct {
	Messages      []chatItem      `json:"messages"`
	MaxTokens     json.RawMessage `json:"max_tokens"`
	MaxCompletion json.RawMessage `json:"max_completion_tokens"`
	Effort        json.RawMessage `json:"reasoning_effort"`
	Format        *chatFormat     `json:"response_format"`
	N             *int            `json:"n"`
	Stop          json.RawMessage `json:"stop"`
	Functions     json.RawMessage `json:"functions"`
	Audio         json.RawMessage `json:"audio"`
	StreamOptions *struct {
		Usage bool `json:"include_usage"`
	} `json:"stream_options"`
}

// chatItem is a message.
type chatItem struct {
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	Refusal   string          `json:"refusal"`
	CallID    string          `json:"tool_call_id"`
	ToolCalls []chatCall      `json:"tool_calls"`
}

// chatCall is a call in a message, of a function or of a custom tool.
type chatCall struct {
	ID       string        `json:"id"`
	Type     string        `json:"type"`
	Function *chatFunction `json:"function,omitempty"`
	Custom   *chatCustom   `json:"custom,omitempty"`
}

type chatFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type chatCustom struct {
	Name  string `json:"name"`
	Input string `json:"input"`
}

type chatFormat struct {
	Type   string          `json:"type"`
	Schema json.RawMessage `json:"json_schema"`
}

// kept are the fields that both APIs have.
var kept = []string{
	"model", "tools", "tool_choice", "parallel_tool_calls", "stream", "temperature", "top_p", "metadata", "safety_identifier",
	"prompt_cache_key",
}

// decodeChat reads a request of Chat Completions.
func decodeChat(body []byte, earlier lookup, checkImage func(string) error) (*request, *wireError) {
	var all map[string]json.RawMessage
	var c chatRequest
	if json.Unmarshal(body, &all) != nil {
		return nil, badRequest("", "The body is not a JSON object.")
	}
	if err := json.Unmarshal(body, &c); err != nil {
		return nil, badRequest("messages", "The request is not one of Chat Completions: "+err.Error()+".")
	}
	if err := c.refuse(); err != nil {
		return nil, err
	}
	items, refused := c.items()
	if refused != nil {
		return nil, refused
	}
	wire := map[string]any{"input": items, "store": false}
	for _, name := range kept {
		if given(all[name]) {
			wire[name] = all[name]
		}
	}
	c.limits(wire)
	r, refused := decodeRequest(mustJSON(wire), earlier, checkImage)
	if refused != nil {
		return nil, refused
	}
	r.chat = &chatOptions{usage: c.StreamOptions != nil && c.StreamOptions.Usage}
	return r, nil
}

// refuse refuses what would be left out without a word.
func (c *chatRequest) refuse() *wireError {
	switch {
	case len(c.Messages) == 0:
		return badRequest("messages", "messages is missing.")
	case c.N != nil && *c.N != 1:
		return badRequest("n", "Only one answer at a time is given here. Leave n out.")
	case given(c.Stop) && string(c.Stop) != "[]":
		return badRequest("stop", "stop is not supported here. Leave it out.")
	case given(c.Functions):
		return badRequest("functions", "functions is not supported here. Send tools.")
	case given(c.Audio):
		return badRequest("audio", "audio is not supported here.")
	}
	return nil
}

// limits puts the fields that have other names in the Responses API.
func (c *chatRequest) limits(wire map[string]any) {
	if given(c.MaxTokens) {
		wire["max_output_tokens"] = c.MaxTokens
	}
	if given(c.MaxCompletion) {
		wire["max_output_tokens"] = c.MaxCompletion
	}
	if given(c.Effort) {
		wire["reasoning"] = map[string]any{"effort": c.Effort}
	}
	if c.Format == nil {
		return
	}
	format := map[string]any{"type": c.Format.Type}
	var schema map[string]json.RawMessage
	if json.Unmarshal(c.Format.Schema, &schema) == nil {
		for name, value := range schema {
			format[name] = value
		}
	}
	wire["text"] = map[string]any{"format": format}
}

// items gives the messages as items.
func (c *chatRequest) items() ([]any, *wireError) {
	items := []any{}
	for i, m := range c.Messages {
		content, err := chatContent(m.Content)
		if err != nil {
			err.Param = fmt.Sprintf("messages[%d].content", i)
			return nil, err
		}
		switch m.Role {
		case "tool":
			items = append(items, map[string]any{"type": "function_call_output", "call_id": m.CallID, "output": content})
			continue
		case "assistant":
			items = append(items, m.said(content)...)
			continue
		case "function":
			return nil, badRequest(fmt.Sprintf("messages[%d].role", i), "Messages of the role function are not supported here. Send the result as a message of the role tool.")
		}
		items = append(items, map[string]any{"type": "message", "role": m.Role, "content": content})
	}
	return items, nil
}

// said gives a message of the model: its words, and its calls after them.
func (m chatItem) said(content any) []any {
	var items []any
	if content != nil && content != "" || m.Refusal != "" {
		if content == nil || content == "" {
			content = m.Refusal
		}
		items = append(items, map[string]any{"type": "message", "role": "assistant", "content": content})
	}
	for _, c := range m.ToolCalls {
		if c.Custom != nil {
			items = append(items, map[string]any{"type": "custom_tool_call", "call_id": c.ID, "name": c.Custom.Name, "input": c.Custom.Input})
			continue
		}
		f := c.Function
		if f == nil {
			f = &chatFunction{}
		}
		items = append(items, map[string]any{"type": "function_call", "call_id": c.ID, "name": f.Name, "arguments": f.Arguments})
	}
	return items
}

// chatContent gives the content of a message with its parts named as in the Responses API.
func chatContent(raw json.RawMessage) (any, *wireError) {
	if !given(raw) {
		return nil, nil
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text, nil
	}
	var parts []struct {
		Type     string          `json:"type"`
		Text     string          `json:"text"`
		Refusal  string          `json:"refusal"`
		ImageURL json.RawMessage `json:"image_url"`
	}
	if json.Unmarshal(raw, &parts) != nil {
		return nil, badRequest("", "content must be a string or a list of parts.")
	}
	out := make([]any, len(parts))
	for i, p := range parts {
		switch p.Type {
		case "text":
			out[i] = map[string]any{"type": "input_text", "text": p.Text}
		case "refusal":
			out[i] = map[string]any{"type": "refusal", "refusal": p.Refusal}
		case "image_url":
			var o struct {
				Detail string `json:"detail"`
			}
			_ = json.Unmarshal(p.ImageURL, &o) // a plain address has no detail
			out[i] = map[string]any{"type": "input_image", "image_url": p.ImageURL, "detail": o.Detail}
		default:
			return nil, badRequest("", fmt.Sprintf("Content of type %q is not supported here, only text and images.", p.Type))
		}
	}
	return out, nil
}
