//go:build !js

package proxy

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"embedded-agent/wasm/internal/llm/sentinel"
)

// wireRequest is the body of POST /v1/responses. Fields that are only given back stay as they came.
type wireRequest struct {
	Model              *string           `json:"model"`
	Input              json.RawMessage   `json:"input"`
	Instructions       *string           `json:"instructions"`
	Tools              []json.RawMessage `json:"tools"`
	ToolChoice         json.RawMessage   `json:"tool_choice"`
	ParallelToolCalls  *bool             `json:"parallel_tool_calls"`
	PreviousResponseID *string           `json:"previous_response_id"`
	Store              *bool             `json:"store"`
	Stream             *bool             `json:"stream"`
	Background         *bool             `json:"background"`
	Conversation       json.RawMessage   `json:"conversation"`
	Prompt             json.RawMessage   `json:"prompt"`
	Temperature        *float64          `json:"temperature"`
	TopP               *float64          `json:"top_p"`
	MaxOutputTokens    *int              `json:"max_output_tokens"`
	MaxToolCalls       *int              `json:"max_tool_calls"`
	Metadata           map[string]string `json:"metadata"`
	Reasoning          *wireReasoning    `json:"reasoning"`
	Text               *wireText         `json:"text"`
	Truncation         *string           `json:"truncation"`
	SafetyIdentifier   *string           `json:"safety_identifier"`
	PromptCacheKey     *string           `json:"prompt_cache_key"`
}

type wireReasoning struct {
	Effort  *string `json:"effort"`
	Summary *string `json:"summary"`
}

type wireText struct {
	Format    json.RawMessage `json:"format,omitempty"`
	Verbosity *string         `json:"verbosity,omitempty"`
}

// request is a request that has been understood.
type request struct {
	wire   wireRequest
	stream bool
	store  bool
	tools  []sentinel.Tool
	reg    *sentinel.Registry
	mode   sentinel.ChoiceMode
	calls  struct {
		parallel bool
		max      int // 0 for no limit
	}
	items []sentinel.Item // the whole conversation, that of the previous response first
	// wireItems are the items as the client knows them, one for each of items.
	wireItems []json.RawMessage
	custom    map[string]json.RawMessage    // the tools of type custom, as they came
	chat      *chatOptions                  // nil for a request of the Responses API
	next      int                           // the number of the first call's id
	counts    struct{ echoed, outputs int } // calls and results among the input
	format    string                        // what the answer's text must look like, "" for anything
	choice    json.RawMessage               // tool_choice as it is given back
}

// lookup finds what an earlier response left behind.
type lookup interface {
	find(responseID string) (*stored, bool)
	item(id string, before []sentinel.Item) (sentinel.Item, json.RawMessage, bool)
}

// decodeRequest reads a request. body is known to be well-formed JSON.
func decodeRequest(body []byte, earlier lookup, checkImage func(string) error) (*request, *wireError) {
	r := &request{}
	if err := json.Unmarshal(body, &r.wire); err != nil {
		var te *json.UnmarshalTypeError
		if errors.As(err, &te) {
			return nil, badRequest(te.Field, fmt.Sprintf("%q has the wrong type: a %s is not expected there.", te.Field, te.Value))
		}
		return nil, badRequest("", "The body is not a JSON object.")
	}
	w := &r.wire
	r.stream, r.store = isTrue(w.Stream), w.Store == nil || *w.Store
	r.calls.parallel = w.ParallelToolCalls == nil || *w.ParallelToolCalls
	if err := r.refuseUnsupported(); err != nil {
		return nil, err
	}
	if err := r.decodeTools(); err != nil {
		return nil, err
	}
	if err := r.decodeFormat(); err != nil {
		return nil, err
	}
	if err := r.decodeConversation(earlier, checkImage); err != nil {
		return nil, err
	}
	r.next = sentinel.HighestID(r.items) + 1
	return r, nil
}

func isTrue(b *bool) bool { return b != nil && *b }

func given(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

func (r *request) refuseUnsupported() *wireError {
	w := &r.wire
	switch {
	case isTrue(w.Background):
		return badRequest("background", "background is not supported here. Leave it out and read the stream.")
	case given(w.Conversation):
		return badRequest("conversation", "conversation is not supported here. Use previous_response_id, or send the items.")
	case given(w.Prompt):
		return badRequest("prompt", "prompt templates are not supported here. Send instructions and input.")
	case w.MaxOutputTokens != nil && *w.MaxOutputTokens < 1:
		return badRequest("max_output_tokens", "max_output_tokens must be at least 1.")
	case w.MaxToolCalls != nil && *w.MaxToolCalls < 1:
		return badRequest("max_tool_calls", "max_tool_calls must be at least 1.")
	}
	if w.MaxToolCalls != nil {
		r.calls.max = *w.MaxToolCalls
	}
	if !r.calls.parallel {
		r.calls.max = 1
	}
	return nil
}

func (r *request) decodeTools() *wireError {
	raw, refused := r.customTools()
	if refused != nil {
		return refused
	}
	tools, err := sentinel.DecodeTools(raw)
	if err != nil {
		return toolError(err)
	}
	r.tools = tools
	allow, choiceErr := r.decodeChoice()
	if choiceErr != nil {
		return choiceErr
	}
	if r.reg, err = sentinel.NewRegistry(tools, allow); err != nil {
		return toolError(err)
	}
	return nil
}

func toolError(err error) *wireError {
	e := badRequest("tools", err.Error()+".")
	var te *sentinel.ToolError
	if errors.As(err, &te) {
		e.Param = fmt.Sprintf("tools[%d]", te.Index)
	}
	return e
}

// decodeChoice reads tool_choice and returns the tools that it lets through, nil for all.
func (r *request) decodeChoice() (map[string]bool, *wireError) {
	r.mode, r.choice = sentinel.ChoiceAuto, json.RawMessage(`"auto"`)
	if given(r.wire.ToolChoice) {
		r.choice = r.wire.ToolChoice
	}
	var word string
	if json.Unmarshal(r.choice, &word) == nil {
		return nil, r.setMode(word)
	}
	var c struct {
		Type     string                 `json:"type"`
		Name     string                 `json:"name"`
		Function *struct{ Name string } `json:"function"`
		Custom   *struct{ Name string } `json:"custom"`
		Mode     string                 `json:"mode"`
		Tools    []struct {
			Type string `json:"type"`
			Name string `json:"name"`
		} `json:"tools"`
	}
	if json.Unmarshal(r.choice, &c) != nil {
		return nil, badRequest("tool_choice", "tool_choice must be none, auto, required, or an object that names a function.")
	}
	allow := map[string]bool{}
	switch c.Type {
	case "function", "custom":
		if c.Name == "" && c.Function != nil {
			c.Name = c.Function.Name
		}
		if c.Name == "" && c.Custom != nil {
			c.Name = c.Custom.Name
		}
		r.mode, allow[c.Name] = sentinel.ChoiceRequired, true
	case "allowed_tools":
		if err := r.setMode(c.Mode); err != nil {
			return nil, err
		}
		for _, t := range c.Tools {
			allow[t.Name] = true
		}
	default:
		return nil, badRequest("tool_choice", fmt.Sprintf("tool_choice of type %q is not supported here, only functions.", c.Type))
	}
	for name := range allow {
		if !r.hasTool(name) {
			return nil, badRequest("tool_choice", fmt.Sprintf("tool_choice names %q, which is not among the tools.", name))
		}
	}
	return allow, nil
}

func (r *request) setMode(word string) *wireError {
	switch m := sentinel.ChoiceMode(word); m {
	case sentinel.ChoiceAuto, sentinel.ChoiceNone:
		r.mode = m
	case sentinel.ChoiceRequired:
		if len(r.tools) == 0 {
			return badRequest("tool_choice", "tool_choice is required, but there are no tools.")
		}
		r.mode = m
	default:
		return badRequest("tool_choice", fmt.Sprintf("tool_choice %q is not known: none, auto, required, or an object that names a function.", word))
	}
	return nil
}

func (r *request) hasTool(name string) bool {
	for _, t := range r.tools {
		if t.Name == name {
			return true
		}
	}
	return false
}

// decodeFormat turns text.format into a sentence for the model: a backend that only talks knows no other way.
func (r *request) decodeFormat() *wireError {
	if r.wire.Text == nil || !given(r.wire.Text.Format) {
		return nil
	}
	var f struct {
		Type   string          `json:"type"`
		Schema json.RawMessage `json:"schema"`
	}
	if json.Unmarshal(r.wire.Text.Format, &f) != nil {
		return badRequest("text.format", "text.format must be an object with a type.")
	}
	switch f.Type {
	case "text":
	case "json_object":
		r.format = "Where you answer in text, the text must be one JSON object and nothing else, without a Markdown fence."
	case "json_schema":
		r.format = "Where you answer in text, the text must be one JSON value that conforms to the following JSON Schema, and nothing else, without a Markdown fence.\n" + string(f.Schema)
	default:
		return badRequest("text.format", fmt.Sprintf("text.format of type %q is not known.", f.Type))
	}
	return nil
}

// instructions is everything the model is told that is not part of the conversation, and the conversation without what was
// moved there: system and developer messages at its beginning.
func (r *request) instructions() (string, []sentinel.Item, error) {
	var parts []string
	if r.wire.Instructions != nil && *r.wire.Instructions != "" {
		parts = append(parts, sentinel.Escape(*r.wire.Instructions))
	}
	items := r.items
	for len(items) > 1 && items[0].Kind == sentinel.ItemMessage && (items[0].Role == sentinel.RoleSystem || items[0].Role == sentinel.RoleDeveloper) && textOnly(items[0]) {
		parts = append(parts, sentinel.Escape(itemText(items[0])))
		items = items[1:]
	}
	if r.format != "" {
		parts = append(parts, sentinel.Escape(r.format))
	}
	manifest, err := sentinel.Manifest(r.reg, r.mode, r.calls.max != 1)
	if err != nil {
		return "", nil, err
	}
	if manifest == "" && (len(items) > 1 || sentinel.Escape(itemText(items[0])) != itemText(items[0])) {
		manifest = sentinel.RecordNote
	}
	if manifest != "" {
		parts = append(parts, manifest)
	}
	return strings.Join(parts, "\n\n"), items, nil
}

func textOnly(it sentinel.Item) bool {
	for _, p := range it.Parts {
		if p.ImageURL != "" {
			return false
		}
	}
	return true
}

func itemText(it sentinel.Item) string {
	var b strings.Builder
	for _, p := range it.Parts {
		b.WriteString(p.Text)
	}
	return b.String()
}
