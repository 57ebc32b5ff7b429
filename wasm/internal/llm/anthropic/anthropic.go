// Package anthropic speaks the Anthropic Messages API (POST /messages), streaming and not.
package anthropic

import (
	"encoding/json"
	"slices"

	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/web"
)

// Name is the name of the dialect.
const Name = "anthropic"

// version is the version of the API that requests ask for; later ones refuse a temperature.
const version = "2023-06-01"

// defaultMax is the output limit where the request has none: the API insists on one, and every current model takes this.
const defaultMax = 8192

// Dialect is the Messages API. The zero value is ready.
type Dialect struct{}

var _ llm.Dialect = Dialect{}

// Name is the name of the dialect.
func (Dialect) Name() string { return Name }

// Models makes the request for the list of models.
func (Dialect) Models(e llm.Endpoint) web.Request {
	return web.Request{Method: "GET", URL: e.Join("/models?limit=1000"), Header: headers(e, false)}
}

// headers adds what the API wants, and the word without which it refuses to be called from a page.
func headers(e llm.Endpoint, stream bool) map[string]string {
	return e.KeyHeader("x-api-key", stream, map[string]string{
		"anthropic-version":                         version,
		"anthropic-dangerous-direct-browser-access": "true",
	})
}

// request has its fields in the order in which the model reads them, the same ones first.
type request struct {
	Model        string           `json:"model"`
	MaxTokens    int              `json:"max_tokens"`
	Temperature  *float64         `json:"temperature,omitempty"`
	Stop         []string         `json:"stop_sequences,omitempty"`
	Thinking     *thinking        `json:"thinking,omitempty"`
	OutputConfig *outputConfig    `json:"output_config,omitempty"`
	Stream       bool             `json:"stream"`
	Tools        []tool           `json:"tools,omitempty"`
	ToolChoice   *toolChoice      `json:"tool_choice,omitempty"`
	System       []map[string]any `json:"system,omitempty"`
	Messages     []message        `json:"messages"`
}

type message struct {
	Role    string `json:"role"`
	Content []any  `json:"content"`
}

type tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"input_schema"`
}

type toolChoice struct {
	Type            string `json:"type"`
	Name            string `json:"name,omitempty"`
	DisableParallel bool   `json:"disable_parallel_tool_use,omitempty"`
}

type thinking struct {
	Type   string `json:"type"`
	Budget int    `json:"budget_tokens,omitempty"`
}

type outputConfig struct {
	Format *format `json:"format,omitempty"`
	Effort string  `json:"effort,omitempty"`
}

type format struct {
	Type   string          `json:"type"`
	Schema json.RawMessage `json:"schema"`
}

// Build makes the request. Errors are *llm.Error.
func (Dialect) Build(e llm.Endpoint, r llm.Request) (web.Request, error) {
	system, rest := r.System()
	prepared, err := llm.Prepare(rest, Name, r.Model)
	if err != nil {
		return web.Request{}, err
	}
	body := request{
		Model: r.Model, MaxTokens: r.MaxTokens, Temperature: r.Temperature, Stop: r.Stop, Stream: !r.Whole,
		Messages: messages(prepared),
	}
	if body.MaxTokens == 0 {
		body.MaxTokens = defaultMax
	}
	if system != "" {
		body.System = []map[string]any{{"type": "text", "text": system}}
	}
	if body.Tools, err = tools(r.Tools); err != nil {
		return web.Request{}, err
	}
	if body.ToolChoice, err = choice(r); err != nil {
		return web.Request{}, err
	}
	if err := setFormat(&body, r.Format); err != nil {
		return web.Request{}, err
	}
	setThinking(&body, r)
	if r.CacheKey != "" {
		markCache(&body)
	}
	data, err := llm.Marshal(body)
	if err != nil {
		return web.Request{}, err
	}
	return web.Request{
		Method: "POST", URL: e.Join("/messages"), Header: headers(e, !r.Whole), Body: data, Stream: !r.Whole,
	}, nil
}

func tools(list []llm.Tool) ([]tool, error) {
	out := make([]tool, 0, len(list))
	for _, t := range list {
		name, err := llm.WireName(t.Name)
		if err != nil {
			return nil, err
		}
		out = append(out, tool{Name: name, Description: t.Description, InputSchema: t.Schema()})
	}
	return out, nil
}

func choice(r llm.Request) (*toolChoice, error) {
	single := r.Parallel != nil && !*r.Parallel
	if len(r.Tools) == 0 || (r.ToolChoice.Mode == "" && !single) {
		return nil, nil
	}
	c := &toolChoice{Type: "auto", DisableParallel: single}
	switch r.ToolChoice.Mode {
	case llm.ToolNone:
		return &toolChoice{Type: "none"}, nil
	case llm.ToolRequired:
		c.Type = "any"
	case llm.ToolOne:
		name, err := llm.WireName(r.ToolChoice.Name)
		if err != nil {
			return nil, err
		}
		c.Type, c.Name = "tool", name
	case llm.ToolAuto:
	}
	return c, nil
}

func setFormat(body *request, f *llm.Format) error {
	if f == nil {
		return nil
	}
	schema, ok := llm.StrictSchemaWithoutBounds(f.Schema)
	if !ok {
		return llm.NewError("llm.error.noPlainJSON")
	}
	body.OutputConfig = &outputConfig{Format: &format{Type: "json_schema", Schema: schema}}
	return nil
}

// markCache marks the ends of what the next request will begin with: of the system text, with the tools before it, of
// all so far, and of what the request before this one ended with, since a long answer in between may hide it.
func markCache(body *request) {
	mark := map[string]string{"type": "ephemeral"}
	if len(body.System) > 0 {
		body.System[0]["cache_control"] = mark
	}
	const most = 2
	marked := 0
	for _, m := range slices.Backward(body.Messages) {
		if m.Role != "user" {
			continue
		}
		if block, ok := m.Content[len(m.Content)-1].(map[string]any); ok {
			block["cache_control"] = mark
		}
		if marked++; marked == most {
			return
		}
	}
}
