// Package gemini speaks Google's Gemini API (POST /models/NAME:generateContent), streaming and not. Signatures of thoughts
// go back with the parts that they came with: newer models refuse a conversation without them.
package gemini

import (
	"encoding/json"
	"strings"

	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/web"
)

// Name is the name of the dialect.
const Name = "gemini"

// Dialect is the Gemini API. The zero value is ready.
type Dialect struct{}

var _ llm.Dialect = Dialect{}

// Name is the name of the dialect.
func (Dialect) Name() string { return Name }

// Models makes the request for the list of models.
func (Dialect) Models(e llm.Endpoint) web.Request {
	return web.Request{Method: "GET", URL: e.Join("/models?pageSize=1000"), Header: headers(e, false)}
}

func headers(e llm.Endpoint, stream bool) map[string]string {
	return e.KeyHeader("x-goog-api-key", stream, nil)
}

// object is a part of a request.
type object = map[string]any

// request has its fields in the order in which the model reads them, the same ones first.
type request struct {
	Config     object   `json:"generationConfig"`
	Tools      []object `json:"tools,omitempty"`
	ToolConfig object   `json:"toolConfig,omitempty"`
	System     object   `json:"systemInstruction,omitempty"`
	Contents   []object `json:"contents"`
}

// Build makes the request. Errors are *llm.Error.
func (Dialect) Build(e llm.Endpoint, r llm.Request) (web.Request, error) {
	system, rest := r.System()
	prepared, err := llm.Prepare(rest, Name, r.Model)
	if err != nil {
		return web.Request{}, err
	}
	body := request{Contents: contents(prepared), Config: config(r)}
	if system != "" {
		body.System = object{"parts": []object{{"text": system}}}
	}
	if len(r.Tools) > 0 {
		if err := setTools(&body, r); err != nil {
			return web.Request{}, err
		}
	}
	data, err := llm.Marshal(body)
	if err != nil {
		return web.Request{}, err
	}
	path := "/models/" + strings.TrimPrefix(r.Model, "models/") + ":generateContent"
	if !r.Whole {
		path = strings.Replace(path, ":generate", ":streamGenerate", 1) + "?alt=sse"
	}
	return web.Request{Method: "POST", URL: e.Join(path), Header: headers(e, !r.Whole), Body: data, Stream: !r.Whole}, nil
}

// config says how to answer.
func config(r llm.Request) object {
	c := object{}
	if r.MaxTokens > 0 {
		c["maxOutputTokens"] = r.MaxTokens
	}
	if r.Temperature != nil {
		c["temperature"] = *r.Temperature
	}
	if len(r.Stop) > 0 {
		c["stopSequences"] = r.Stop
	}
	if f := r.Format; f != nil {
		c["responseMimeType"] = "application/json"
		if len(f.Schema) > 0 {
			c["responseJsonSchema"] = f.Schema
		}
	}
	if r.Reasoning != "" {
		c["thinkingConfig"] = thinking(r)
	}
	return c
}

// budgets is how many tokens each effort may think for, where thinking is measured in tokens.
var budgets = map[llm.Effort]int{llm.EffortMinimal: 512, llm.EffortLow: 1024, llm.EffortMedium: 8192, llm.EffortHigh: 24576}

// thinking asks for an effort: in tokens of the models that count them, by its name of the later ones. Off is no tokens for
// all of them.
func thinking(r llm.Request) object {
	if r.Reasoning == llm.EffortNone {
		return object{"thinkingBudget": 0}
	}
	c := object{"includeThoughts": !r.NoSummary}
	if strings.Contains(r.Model, "gemini-2.") {
		c["thinkingBudget"] = budgets[r.Reasoning]
	} else {
		c["thinkingLevel"] = r.Reasoning
	}
	return c
}

func setTools(body *request, r llm.Request) error {
	list := make([]object, len(r.Tools))
	for i, t := range r.Tools {
		name, err := llm.WireName(t.Name)
		if err != nil {
			return err
		}
		list[i] = object{"name": name, "description": t.Description, "parametersJsonSchema": t.Schema()}
	}
	body.Tools = []object{{"functionDeclarations": list}}
	mode := map[llm.ToolMode]string{llm.ToolAuto: "AUTO", llm.ToolNone: "NONE", llm.ToolRequired: "ANY", llm.ToolOne: "ANY"}[r.ToolChoice.Mode]
	if mode == "" {
		return nil
	}
	calling := object{"mode": mode}
	if r.ToolChoice.Mode == llm.ToolOne {
		name, err := llm.WireName(r.ToolChoice.Name)
		if err != nil {
			return err
		}
		calling["allowedFunctionNames"] = []string{name}
	}
	body.ToolConfig = object{"functionCallingConfig": calling}
	return nil
}

// contents writes a conversation. Neighbours of one role become one entry: the results of a turn must stand in one.
func contents(prepared []llm.Message) []object {
	out := []object{}
	for _, m := range prepared {
		role := "user"
		if m.Role == llm.RoleAssistant {
			role = "model"
		}
		parts := partsOf(m)
		if n := len(out); n > 0 && out[n-1]["role"] == role {
			out[n-1]["parts"] = append(out[n-1]["parts"].([]object), parts...)
			continue
		}
		out = append(out, object{"role": role, "parts": parts})
	}
	return out
}

func partsOf(m llm.Message) []object {
	var parts []object
	result := m.Role == llm.RoleToolResult
	if result {
		parts = append(parts, object{"functionResponse": object{
			"name": llm.HistoryName(m.ToolName), "response": object{"output": m.Text()},
		}})
	}
	for _, b := range m.Content {
		var part object
		switch {
		case b.Type == llm.BlockText && !result:
			part = object{"text": b.Text}
		case b.Type == llm.BlockImage:
			part = object{"inlineData": object{"mimeType": b.MIMEType, "data": b.Data}}
		case b.Type == llm.BlockToolCall:
			part = object{"functionCall": object{
				"name": llm.HistoryName(b.Name), "args": json.RawMessage(b.ArgumentsText()),
			}}
		default: // thoughts are for the person; what the model wants back of them is in the signatures
			continue
		}
		if b.Signature != "" {
			part["thoughtSignature"] = b.Signature
		}
		parts = append(parts, part)
	}
	return parts
}
