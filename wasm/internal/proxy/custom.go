//go:build !js

package proxy

import (
	"encoding/json"
	"fmt"

	"embedded-agent/wasm/internal/llm/sentinel"
)

// A custom tool takes one text of any kind. The model is told of a function with the one parameter input, since its calls
// are JSON; the client gets the text.

// customSchema is the schema of that function.
const customSchema = `{"type":"object","properties":{"input":{"type":"string"}},"required":["input"],"additionalProperties":false}`

// customTools gives the request's tools with functions in the place of the custom ones, which it keeps.
func (r *request) customTools() ([]json.RawMessage, *wireError) {
	out := make([]json.RawMessage, len(r.wire.Tools))
	for i, raw := range r.wire.Tools {
		out[i] = raw
		var t customTool
		if json.Unmarshal(raw, &t) != nil || t.Type != "custom" {
			continue
		}
		if t.Custom != nil { // the shape of Chat Completions
			t.Name, t.Description, t.Format = t.Custom.Name, t.Custom.Description, t.Custom.Format
		}
		note, err := t.Format.note()
		if err != nil {
			err.Param = fmt.Sprintf("tools[%d].format", i)
			return nil, err
		}
		if t.Description != "" && note != "" {
			note = "\n" + note
		}
		if r.custom == nil {
			r.custom = map[string]json.RawMessage{}
		}
		r.custom[t.Name] = raw
		out[i] = mustJSON(map[string]any{
			"type": "function", "name": t.Name, "description": t.Description + note, "parameters": json.RawMessage(customSchema),
		})
	}
	return out, nil
}

type customTool struct {
	Type        string       `json:"type"`
	Name        string       `json:"name"`
	Description string       `json:"description"`
	Format      customFormat `json:"format"`
	Custom      *struct {
		Name        string       `json:"name"`
		Description string       `json:"description"`
		Format      customFormat `json:"format"`
	} `json:"custom"`
}

// customFormat is the form of a custom tool's text. Both APIs have it, one of them with the grammar in an object.
type customFormat struct {
	Type       string        `json:"type"`
	Syntax     string        `json:"syntax"`
	Definition string        `json:"definition"`
	Grammar    *customFormat `json:"grammar"`
}

// note tells the model of a grammar; the text is not checked against it.
func (f customFormat) note() (string, *wireError) {
	if f.Grammar != nil {
		f.Syntax, f.Definition = f.Grammar.Syntax, f.Grammar.Definition
	}
	switch f.Type {
	case "", "text":
		return "", nil
	case "grammar":
		return fmt.Sprintf("input must follow this grammar (%s):\n%s", f.Syntax, f.Definition), nil
	}
	return "", badRequest("", fmt.Sprintf("A format of type %q is not known.", f.Type))
}

// customArguments are the arguments of the function for a text.
func customArguments(input string) []byte { return mustJSON(map[string]string{"input": input}) }

// customInput is the text in the arguments of such a call. Arguments that are not as they should be are the text themselves.
func customInput(arguments string) string {
	var in struct {
		Input *string `json:"input"`
	}
	if json.Unmarshal([]byte(arguments), &in) != nil || in.Input == nil {
		return arguments
	}
	return *in.Input
}

// customItem is a call of a custom tool on the wire.
type customItem struct {
	Type   string `json:"type"`
	ID     string `json:"id"`
	CallID string `json:"call_id"`
	Name   string `json:"name"`
	Input  string `json:"input"`
	Status string `json:"status"`
}

// customCall adds a call of a custom tool.
func (e *emitter) customCall(id string, c *sentinel.Call) {
	item := customItem{Type: "custom_tool_call", ID: id, CallID: id, Name: c.Name, Status: "in_progress"}
	e.item("response.output_item.added", mustJSON(item))
	input := customInput(c.Arguments)
	place := func(b []byte) []byte { return intField(textField(b, "item_id", id), "output_index", e.index) }
	for _, piece := range pieces(input) {
		e.event("response.custom_tool_call_input.delta", func(b []byte) []byte { return textField(place(b), "delta", piece) })
	}
	e.event("response.custom_tool_call_input.done", func(b []byte) []byte { return textField(place(b), "input", input) })
	item.Input, item.Status = input, "completed"
	e.finish(mustJSON(item))
}
