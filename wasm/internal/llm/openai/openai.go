// Package openai speaks the OpenAI Responses API (POST /responses), streaming and not, as OpenAI, Azure and the open
// specification of it have it. Requests are stateless: store is false, and the reasoning of a model goes back with the
// conversation in encrypted form.
package openai

import (
	"encoding/json"
	"strings"

	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/web"
)

// Name is the name of the dialect.
const Name = "openai"

// maxID is the longest call id that the API takes.
const maxID = 64

// Dialect is the Responses API. The zero value is ready.
type Dialect struct{}

var _ llm.Dialect = Dialect{}

// Name is the name of the dialect.
func (Dialect) Name() string { return Name }

// Models makes the request for the list of models.
func (Dialect) Models(e llm.Endpoint) web.Request {
	return web.Request{Method: "GET", URL: e.Join("/models"), Header: e.Bearer(false)}
}

// request has its fields in the order in which the model reads them, the same ones first.
type request struct {
	Model        string     `json:"model"`
	Parallel     *bool      `json:"parallel_tool_calls,omitempty"`
	MaxOutput    int        `json:"max_output_tokens,omitempty"`
	Temperature  *float64   `json:"temperature,omitempty"`
	Text         *text      `json:"text,omitempty"`
	Reasoning    *reasoning `json:"reasoning,omitempty"`
	Include      []string   `json:"include,omitempty"`
	CacheKey     string     `json:"prompt_cache_key,omitempty"`
	Store        bool       `json:"store"`
	Stream       bool       `json:"stream"`
	Tools        []function `json:"tools,omitempty"`
	ToolChoice   any        `json:"tool_choice,omitempty"`
	Instructions string     `json:"instructions,omitempty"`
	Input        []any      `json:"input"`
}

type function struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      bool            `json:"strict"`
}

type text struct {
	Format format `json:"format"`
}

type format struct {
	Type   string          `json:"type"`
	Name   string          `json:"name,omitempty"`
	Schema json.RawMessage `json:"schema,omitempty"`
	Strict *bool           `json:"strict,omitempty"`
}

type reasoning struct {
	Effort  llm.Effort `json:"effort"`
	Summary string     `json:"summary,omitempty"`
}

type messageItem struct {
	Type    string     `json:"type"`
	Role    string     `json:"role"`
	Phase   string     `json:"phase,omitempty"`
	Content []partItem `json:"content"`
}

type partItem struct {
	Type     string  `json:"type"`
	Text     *string `json:"text,omitempty"`
	Refusal  string  `json:"refusal,omitempty"`
	ImageURL string  `json:"image_url,omitempty"`
	Detail   string  `json:"detail,omitempty"`
}

type callItem struct {
	Type      string `json:"type"`
	CallID    string `json:"call_id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type outputItem struct {
	Type   string `json:"type"`
	CallID string `json:"call_id"`
	Output any    `json:"output"`
}

// Build makes the request. Errors are *llm.Error.
func (Dialect) Build(e llm.Endpoint, r llm.Request) (web.Request, error) {
	if len(r.Stop) > 0 {
		return web.Request{}, llm.NewError("llm.error.noStopTexts")
	}
	system, rest := r.System()
	messages, err := llm.Prepare(rest, Name, r.Model)
	if err != nil {
		return web.Request{}, err
	}
	body := request{
		Model: r.Model, Instructions: system, Input: []any{}, Parallel: parallel(r), MaxOutput: r.MaxTokens,
		Temperature: r.Temperature, Text: textFormat(r.Format), CacheKey: r.CacheKey, Stream: !r.Whole,
	}
	ids := llm.FitIDs(messages, llm.ShortID(maxID))
	for _, m := range messages {
		body.Input = appendItems(body.Input, m, ids)
	}
	if body.Tools, err = tools(r.Tools); err != nil {
		return web.Request{}, err
	}
	if body.ToolChoice, err = toolChoice(r); err != nil {
		return web.Request{}, err
	}
	if r.Reasoning != "" {
		body.Reasoning = &reasoning{Effort: r.Reasoning}
		if r.Reasoning != llm.EffortNone && !r.NoSummary {
			body.Reasoning.Summary = "auto"
		}
	}
	if thinks(r) {
		body.Include = []string{"reasoning.encrypted_content"}
	}
	data, err := llm.Marshal(body)
	if err != nil {
		return web.Request{}, err
	}
	return web.Request{
		Method: "POST", URL: e.Join("/responses"), Header: e.Bearer(!r.Whole), Body: data, Stream: !r.Whole,
	}, nil
}

// thinks guesses whether the model reasons: asking others for their encrypted reasoning is refused.
func thinks(r llm.Request) bool {
	if r.Reasoning != "" && r.Reasoning != llm.EffortNone {
		return true
	}
	model := strings.ToLower(r.Model[strings.LastIndexByte(r.Model, '/')+1:])
	if strings.Contains(model, "chat") {
		return false
	}
	for _, prefix := range []string{"gpt-5", "gpt-6", "o1", "o3", "o4", "codex", "gpt-oss"} {
		if strings.HasPrefix(model, prefix) {
			return true
		}
	}
	return false
}

func parallel(r llm.Request) *bool {
	if len(r.Tools) == 0 {
		return nil
	}
	return r.Parallel
}

func textFormat(f *llm.Format) *text {
	if f == nil {
		return nil
	}
	if len(f.Schema) == 0 {
		return &text{Format: format{Type: "json_object"}}
	}
	schema, strict := llm.StrictSchema(f.Schema)
	if !strict {
		schema = f.Schema
	}
	return &text{Format: format{Type: "json_schema", Name: llm.HistoryName(f.Name), Schema: schema, Strict: &strict}}
}

func tools(list []llm.Tool) ([]function, error) {
	functions := make([]function, 0, len(list))
	for _, t := range list {
		name, err := llm.WireName(t.Name)
		if err != nil {
			return nil, err
		}
		f := function{Type: "function", Name: name, Description: t.Description, Parameters: t.Schema()}
		if schema, ok := llm.StrictSchema(f.Parameters); ok && t.Strict {
			f.Parameters, f.Strict = schema, true
		}
		functions = append(functions, f)
	}
	return functions, nil
}

func toolChoice(r llm.Request) (any, error) {
	if r.ToolChoice.Mode == "" || len(r.Tools) == 0 {
		return nil, nil
	}
	if r.ToolChoice.Mode != llm.ToolOne {
		return string(r.ToolChoice.Mode), nil
	}
	name, err := llm.WireName(r.ToolChoice.Name)
	return map[string]string{"type": "function", "name": name}, err
}

func appendItems(items []any, m llm.Message, ids llm.IDs) []any {
	switch m.Role {
	case llm.RoleAssistant:
		return appendAssistant(items, m, ids)
	case llm.RoleToolResult:
		return append(items, outputItem{Type: "function_call_output", CallID: ids.Wire(m.ToolCallID), Output: output(m)})
	}
	return append(items, messageItem{Type: "message", Role: "user", Content: inputParts(m.Content)})
}

func inputParts(blocks []llm.Block) []partItem {
	parts := []partItem{}
	for _, block := range blocks {
		switch block.Type {
		case llm.BlockText:
			parts = append(parts, partItem{Type: "input_text", Text: &block.Text})
		case llm.BlockImage:
			parts = append(parts, partItem{
				Type: "input_image", Detail: "auto", ImageURL: "data:" + block.MIMEType + ";base64," + block.Data,
			})
		}
	}
	return parts
}

// output is the content of a tool result: text, or parts when there are images.
func output(m llm.Message) any {
	for _, block := range m.Content {
		if block.Type == llm.BlockImage {
			return inputParts(m.Content)
		}
	}
	return m.Text()
}

func appendAssistant(items []any, m llm.Message, ids llm.IDs) []any {
	for _, block := range m.Content {
		switch block.Type {
		case llm.BlockText:
			part := partItem{Type: "output_text", Text: &block.Text}
			if block.Refusal {
				part = partItem{Type: "refusal", Refusal: block.Text}
			}
			items = append(items, messageItem{
				Type: "message", Role: "assistant", Phase: block.Signature, Content: []partItem{part},
			})
		case llm.BlockToolCall:
			items = append(items, callItem{
				Type: "function_call", CallID: ids.Wire(block.ID), Name: llm.HistoryName(block.Name), Arguments: block.ArgumentsText(),
			})
		case llm.BlockThinking:
			items = append(items, json.RawMessage(block.Signature))
		case llm.BlockOpaque:
			items = append(items, block.Raw)
		}
	}
	return items
}
