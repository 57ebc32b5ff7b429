// Package chat speaks Chat Completions (POST /chat/completions), streaming and not: OpenAI's own and everybody's
// compatible endpoint, such as Ollama, LM Studio, llama.cpp, vLLM, OpenRouter, Groq, Mistral and DeepSeek. Requests avoid
// what an endpoint is known to refuse (Quirks); answers are read leniently wherever endpoints are known to differ.
package chat

import (
	"encoding/json"

	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/web"
)

// Name is the name of the dialect.
const Name = "chat"

// Dialect is Chat Completions. The zero value is ready.
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
	Model          string          `json:"model"`
	Parallel       *bool           `json:"parallel_tool_calls,omitempty"`
	MaxTokens      int             `json:"max_tokens,omitempty"`
	MaxCompletion  int             `json:"max_completion_tokens,omitempty"`
	Temperature    *float64        `json:"temperature,omitempty"`
	ResponseFormat *responseFormat `json:"response_format,omitempty"`
	Effort         llm.Effort      `json:"reasoning_effort,omitempty"`
	Reasoning      *effort         `json:"reasoning,omitempty"`
	Stop           []string        `json:"stop,omitempty"`
	CacheKey       string          `json:"prompt_cache_key,omitempty"`
	Stream         bool            `json:"stream"`
	StreamOptions  *streamOptions  `json:"stream_options,omitempty"`
	Tools          []tool          `json:"tools,omitempty"`
	ToolChoice     any             `json:"tool_choice,omitempty"`
	Messages       []message       `json:"messages"`
}

type effort struct {
	Effort llm.Effort `json:"effort"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

type tool struct {
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type function struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      bool            `json:"strict,omitempty"`
}

type responseFormat struct {
	Type   string  `json:"type"`
	Schema *schema `json:"json_schema,omitempty"`
}

type schema struct {
	Name   string          `json:"name"`
	Schema json.RawMessage `json:"schema"`
	Strict bool            `json:"strict"`
}

type message struct {
	Role             string          `json:"role"`
	Content          any             `json:"content"`
	Refusal          string          `json:"refusal,omitempty"`
	ReasoningContent string          `json:"reasoning_content,omitempty"`
	Reasoning        string          `json:"reasoning,omitempty"`
	ReasoningDetails json.RawMessage `json:"reasoning_details,omitempty"`
	ToolCalls        []call          `json:"tool_calls,omitempty"`
	ToolCallID       string          `json:"tool_call_id,omitempty"`
}

type call struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function callFunction `json:"function"`
	// Extra is an addition of Google's endpoint to a call, which it insists on getting back.
	Extra json.RawMessage `json:"extra_content,omitempty"`
}

type callFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type part struct {
	Type         string     `json:"type"`
	CacheControl *cacheMark `json:"cache_control,omitempty"`
	Text         string     `json:"text,omitempty"`
	ImageURL     *imageURL  `json:"image_url,omitempty"`
	Thinking     []part     `json:"thinking,omitempty"`
}

type imageURL struct {
	URL string `json:"url"`
}

// Build makes the request. Errors are *llm.Error.
func (Dialect) Build(e llm.Endpoint, r llm.Request) (web.Request, error) {
	q := QuirksOf(e)
	body := request{
		Model: r.Model, Temperature: r.Temperature, Stop: r.Stop, Stream: !r.Whole,
		ResponseFormat: format(q, r.Format),
	}
	var err error
	if body.Messages, err = messages(q, r); err != nil {
		return web.Request{}, err
	}
	if body.Tools, err = tools(q, r.Tools); err != nil {
		return web.Request{}, err
	}
	if body.ToolChoice, err = toolChoice(q, r); err != nil {
		return web.Request{}, err
	}
	if len(r.Tools) > 0 && !q.NoParallel {
		body.Parallel = r.Parallel
	}
	if q.MaxTokens == "max_completion_tokens" {
		body.MaxCompletion = r.MaxTokens
	} else {
		body.MaxTokens = r.MaxTokens
	}
	if q.CacheKey {
		body.CacheKey = r.CacheKey
	}
	if r.CacheKey != "" && marksCache(q, r.Model) {
		markCache(body.Messages)
	}
	if err := setEffort(&body, q, r.Reasoning); err != nil {
		return web.Request{}, err
	}
	if body.Stream && !q.NoStreamOptions {
		body.StreamOptions = &streamOptions{IncludeUsage: true}
	}
	data, err := llm.Marshal(body)
	if err != nil {
		return web.Request{}, err
	}
	return web.Request{
		Method: "POST", URL: e.Join("/chat/completions"), Header: e.Bearer(!r.Whole), Body: data, Stream: !r.Whole,
	}, nil
}

// setEffort asks for an effort. For an endpoint that has no field for it, it is an error in the words of a refusal.
func setEffort(body *request, q Quirks, wanted llm.Effort) error {
	switch {
	case wanted == "":
	case q.Effort == EffortField:
		body.Effort = wanted
	case q.Effort == EffortObject:
		body.Reasoning = &effort{wanted}
	default:
		return llm.NewError("llm.error.request", "detail", "reasoning effort is not supported")
	}
	return nil
}

func format(q Quirks, f *llm.Format) *responseFormat {
	if f == nil {
		return nil
	}
	wanted := f.Schema
	if len(wanted) == 0 {
		if !q.SchemaOnly {
			return &responseFormat{Type: "json_object"}
		}
		wanted = json.RawMessage(`{"type":"object"}`)
	}
	s := &schema{Name: llm.HistoryName(f.Name), Schema: wanted}
	// Endpoints that are not OpenAI enforce the schema as it is, or refuse it when it is called strict.
	if strict, ok := llm.StrictSchema(wanted); ok && q.Strict {
		s.Schema, s.Strict = strict, true
	}
	return &responseFormat{Type: "json_schema", Schema: s}
}

func tools(q Quirks, list []llm.Tool) ([]tool, error) {
	out := make([]tool, 0, len(list))
	for _, t := range list {
		name, err := llm.WireName(t.Name)
		if err != nil {
			return nil, err
		}
		f := function{Name: name, Description: t.Description, Parameters: t.Schema()}
		if s, ok := strict(q, t); ok {
			f.Parameters, f.Strict = s, true
		}
		out = append(out, tool{Type: "function", Function: f})
	}
	return out, nil
}

// strict gives the schema that a strict function is sent with; false for a function that is not strict.
func strict(q Quirks, t llm.Tool) (json.RawMessage, bool) {
	if !q.Strict || !t.Strict {
		return nil, false
	}
	return llm.StrictSchema(t.Schema())
}

func toolChoice(q Quirks, r llm.Request) (any, error) {
	switch {
	case r.ToolChoice.Mode == "" || len(r.Tools) == 0:
		return nil, nil
	case r.ToolChoice.Mode == llm.ToolRequired && q.AnyForRequired:
		return "any", nil
	case r.ToolChoice.Mode != llm.ToolOne:
		return string(r.ToolChoice.Mode), nil
	}
	name, err := llm.WireName(r.ToolChoice.Name)
	return map[string]any{"type": "function", "function": map[string]string{"name": name}}, err
}
