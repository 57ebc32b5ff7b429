//go:build !js

package proxy

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"

	"embedded-agent/wasm/internal/llm/sentinel"
)

// response is a response object with every key of Open Responses; what does not apply is null.
type response struct {
	ID                 string            `json:"id"`
	Object             string            `json:"object"`
	CreatedAt          int64             `json:"created_at"`
	CompletedAt        *int64            `json:"completed_at"`
	Status             string            `json:"status"`
	IncompleteDetails  *incomplete       `json:"incomplete_details"`
	Model              string            `json:"model"`
	PreviousResponseID *string           `json:"previous_response_id"`
	Instructions       *string           `json:"instructions"`
	Output             []json.RawMessage `json:"output"`
	Error              *responseError    `json:"error"`
	Tools              []any             `json:"tools"`
	ToolChoice         json.RawMessage   `json:"tool_choice"`
	Truncation         string            `json:"truncation"`
	ParallelToolCalls  bool              `json:"parallel_tool_calls"`
	Text               json.RawMessage   `json:"text"`
	TopP               float64           `json:"top_p"`
	PresencePenalty    float64           `json:"presence_penalty"`
	FrequencyPenalty   float64           `json:"frequency_penalty"`
	TopLogprobs        int               `json:"top_logprobs"`
	Temperature        float64           `json:"temperature"`
	Reasoning          *wireReasoning    `json:"reasoning"`
	Usage              *responseUsage    `json:"usage"`
	MaxOutputTokens    *int              `json:"max_output_tokens"`
	MaxToolCalls       *int              `json:"max_tool_calls"`
	Store              bool              `json:"store"`
	Background         bool              `json:"background"`
	ServiceTier        string            `json:"service_tier"`
	Metadata           map[string]string `json:"metadata"`
	SafetyIdentifier   *string           `json:"safety_identifier"`
	PromptCacheKey     *string           `json:"prompt_cache_key"`
}

type incomplete struct {
	Reason StopReason `json:"reason"`
}

type responseError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

type responseTool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description *string         `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      *bool           `json:"strict"`
}

type responseUsage struct {
	InputTokens  int `json:"input_tokens"`
	InputDetails struct {
		Cached  int `json:"cached_tokens"`
		Written int `json:"cache_write_tokens"`
	} `json:"input_tokens_details"`
	OutputTokens  int `json:"output_tokens"`
	OutputDetails struct {
		Reasoning int `json:"reasoning_tokens"`
	} `json:"output_tokens_details"`
	TotalTokens int `json:"total_tokens"`
}

func newResponse(r *request, model string, now int64) *response {
	w := r.wire
	res := &response{
		ID: newID("resp_"), Object: "response", CreatedAt: now, Status: "in_progress", Model: model,
		PreviousResponseID: w.PreviousResponseID, Instructions: w.Instructions, Output: []json.RawMessage{},
		Tools: []any{}, ToolChoice: r.choice, Truncation: "disabled", ParallelToolCalls: r.calls.parallel,
		Text: json.RawMessage(`{"format":{"type":"text"}}`), TopP: 1, Temperature: 1, Reasoning: &wireReasoning{},
		MaxOutputTokens: w.MaxOutputTokens, MaxToolCalls: w.MaxToolCalls, Store: r.store, ServiceTier: "default",
		Metadata: map[string]string{}, SafetyIdentifier: w.SafetyIdentifier, PromptCacheKey: w.PromptCacheKey,
	}
	for _, t := range r.tools {
		if custom, ok := r.custom[t.Name]; ok {
			res.Tools = append(res.Tools, custom)
			continue
		}
		res.Tools = append(res.Tools, echoTool(t))
	}
	// The description has no word for counts that are not known yet: they are counts of nothing.
	res.setUsage(Usage{})
	if w.Temperature != nil {
		res.Temperature = *w.Temperature
	}
	if w.TopP != nil {
		res.TopP = *w.TopP
	}
	if w.Metadata != nil {
		res.Metadata = w.Metadata
	}
	if w.Reasoning != nil {
		res.Reasoning = w.Reasoning
	}
	if w.Text != nil {
		t := *w.Text
		if !given(t.Format) {
			t.Format = json.RawMessage(`{"type":"text"}`)
		}
		res.Text = mustJSON(t)
	}
	return res
}

func echoTool(t sentinel.Tool) responseTool {
	out := responseTool{Type: "function", Name: t.Name, Parameters: json.RawMessage("null"), Strict: t.Strict}
	if t.Description != "" {
		out.Description = &t.Description
	}
	if len(t.Parameters) > 0 {
		out.Parameters = t.Parameters
	}
	return out
}

func (res *response) setUsage(u Usage) {
	res.Usage = &responseUsage{InputTokens: u.Input, OutputTokens: u.Output, TotalTokens: u.Input + u.Output}
	res.Usage.InputDetails.Cached, res.Usage.InputDetails.Written = u.Cached, u.Written
	res.Usage.OutputDetails.Reasoning = u.Reasoning
}

// messageItem is a message with its one part of text.
type messageItem struct {
	Type    string     `json:"type"`
	ID      string     `json:"id"`
	Status  string     `json:"status"`
	Role    string     `json:"role"`
	Content []textPart `json:"content"`
}

type textPart struct {
	Type        string `json:"type"`
	Annotations []any  `json:"annotations"`
	Logprobs    []any  `json:"logprobs"`
	Text        string `json:"text"`
}

func newTextPart(text string) textPart {
	return textPart{Type: "output_text", Annotations: []any{}, Logprobs: []any{}, Text: text}
}

func newMessageItem(id, status string, parts ...textPart) messageItem {
	if parts == nil {
		parts = []textPart{}
	}
	return messageItem{Type: "message", ID: id, Status: status, Role: "assistant", Content: parts}
}

// functionCallItem is a function call on the wire.
type functionCallItem struct {
	Type      string `json:"type"`
	ID        string `json:"id"`
	CallID    string `json:"call_id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
	Status    string `json:"status"`
}

// toFunctionCallItem is the one place where a function call becomes an item: while it is announced, when it is done, and in
// the response object, streamed or not.
func toFunctionCallItem(id, name, arguments, status string) functionCallItem {
	return functionCallItem{Type: "function_call", ID: id, CallID: id, Name: name, Arguments: arguments, Status: status}
}

func newID(prefix string) string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails (documentation of crypto/rand)
	return prefix + hex.EncodeToString(b[:])
}

// mustJSON encodes one of this package's own types, without escaping what only HTML would need escaped.
func mustJSON(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic("proxy: a type of its own does not encode: " + err.Error())
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
