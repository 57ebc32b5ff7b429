// Package ollama speaks Ollama's own API (POST /api/chat), streaming and not: one JSON object a line. Unlike its imitation of
// Chat Completions it can be told how large a window to make: left alone it makes a small one, and cuts off what does not
// fit without a word.
package ollama

import (
	"encoding/json"
	"net/url"
	"strconv"

	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/web"
)

// Name is the name of the dialect.
const Name = "ollama"

// Dialect is Ollama's API. The zero value is ready.
type Dialect struct{}

var _ llm.Dialect = Dialect{}

// Name is the name of the dialect.
func (Dialect) Name() string { return Name }

// Models makes the request for the list of models.
func (Dialect) Models(e llm.Endpoint) web.Request {
	e.Query = ""
	return web.Request{Method: "GET", URL: e.Join("/api/tags"), Header: e.Bearer(false)}
}

// object is a part of a request.
type object = map[string]any

// request has its fields in the order in which the model reads them, the same ones first.
type request struct {
	Model     string   `json:"model"`
	Stream    bool     `json:"stream"`
	KeepAlive any      `json:"keep_alive,omitempty"`
	Think     any      `json:"think,omitempty"`
	Format    any      `json:"format,omitempty"`
	Tools     []object `json:"tools,omitempty"`
	Messages  []object `json:"messages"`
	Options   object   `json:"options"`
}

// Build makes the request. Errors are *llm.Error. Of the endpoint's query num_ctx and keep_alive are taken for the request,
// and the rest is not sent: the API has no query.
func (Dialect) Build(e llm.Endpoint, r llm.Request) (web.Request, error) {
	messages, err := messages(r)
	if err != nil {
		return web.Request{}, err
	}
	set, err := url.ParseQuery(e.Query)
	if err != nil {
		return web.Request{}, llm.NewError("llm.error.invalidRequest", "detail", err.Error())
	}
	body := request{Model: r.Model, Stream: !r.Whole, Messages: messages, Options: options(r, set)}
	if len(r.Tools) > 0 {
		if body.Tools, err = tools(r.Tools); err != nil {
			return web.Request{}, err
		}
	}
	if f := r.Format; f != nil {
		body.Format = "json"
		if len(f.Schema) > 0 {
			body.Format = f.Schema
		}
	}
	switch r.Reasoning {
	case "":
	case llm.EffortNone:
		body.Think = false
	default:
		body.Think = r.Reasoning
	}
	if alive := set.Get("keep_alive"); alive != "" {
		body.KeepAlive = alive
		if n, err := strconv.Atoi(alive); err == nil { // seconds, or -1 for ever
			body.KeepAlive = n
		}
	}
	data, err := llm.Marshal(body)
	if err != nil {
		return web.Request{}, err
	}
	e.Query = ""
	return web.Request{Method: "POST", URL: e.Join("/api/chat"), Header: e.Bearer(!r.Whole), Body: data, Stream: !r.Whole}, nil
}

// options gives the settings that the model is run with.
func options(r llm.Request, set url.Values) object {
	o := object{"num_ctx": window(r)}
	if n, err := strconv.Atoi(set.Get("num_ctx")); err == nil && n > 0 {
		o["num_ctx"] = n
	}
	if r.MaxTokens > 0 {
		o["num_predict"] = r.MaxTokens
	}
	if r.Temperature != nil {
		o["temperature"] = *r.Temperature
	}
	if len(r.Stop) > 0 {
		o["stop"] = r.Stop
	}
	return o
}

// smallest is the smallest window that is asked for, and room what is left in it for an answer, in tokens.
const smallest, room = 16384, 4096

// window is a window that the request and its answer fit into. It grows in doubles: for another window the model is loaded
// anew. More than the model has, Ollama does not make.
func window(r llm.Request) int {
	if r.Window > 0 {
		return r.Window
	}
	// The estimate may be a third too low.
	need := llm.EstimateRequest(r)*4/3 + max(r.MaxTokens, room)
	n := smallest
	for n < need {
		n *= 2
	}
	return n
}

func tools(list []llm.Tool) ([]object, error) {
	out := make([]object, len(list))
	for i, t := range list {
		name, err := llm.WireName(t.Name)
		if err != nil {
			return nil, err
		}
		out[i] = object{"type": "function", "function": object{"name": name, "description": t.Description, "parameters": t.Schema()}}
	}
	return out, nil
}

// messages writes a conversation. Results name their tool: older versions know no ids.
func messages(r llm.Request) ([]object, error) {
	system, rest := r.System()
	prepared, err := llm.Prepare(rest, Name, r.Model)
	if err != nil {
		return nil, err
	}
	out := []object{}
	if system != "" {
		out = append(out, object{"role": "system", "content": system})
	}
	for _, m := range prepared {
		out = append(out, message(m))
	}
	return out, nil
}

func message(m llm.Message) object {
	out := object{"role": m.Role, "content": m.Text() + m.Refusal()}
	if m.Role == llm.RoleToolResult {
		out["role"], out["tool_name"], out["tool_call_id"] = "tool", llm.HistoryName(m.ToolName), m.ToolCallID
	}
	var images []string
	var calls []object
	for _, b := range m.Content {
		switch b.Type {
		case llm.BlockImage:
			images = append(images, b.Data)
		case llm.BlockToolCall:
			calls = append(calls, object{"id": b.ID, "function": object{
				"name": llm.HistoryName(b.Name), "arguments": json.RawMessage(b.ArgumentsText()),
			}})
		}
	}
	if thinking := m.Thinking(); thinking != "" {
		out["thinking"] = thinking
	}
	if images != nil {
		out["images"] = images
	}
	if calls != nil {
		out["tool_calls"] = calls
	}
	return out
}
