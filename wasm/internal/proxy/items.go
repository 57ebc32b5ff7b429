//go:build !js

package proxy

import (
	"encoding/json"
	"fmt"
	"strings"

	"embedded-agent/wasm/internal/llm/sentinel"
)

// wireItem is any item of the input; which fields count follows from its type.
type wireItem struct {
	Type      string          `json:"type"`
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	ID        string          `json:"id"`
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Output    json.RawMessage `json:"output"`
	Input     string          `json:"input"`
}

type wirePart struct {
	Type     string          `json:"type"`
	Text     string          `json:"text"`
	Refusal  string          `json:"refusal"`
	ImageURL json.RawMessage `json:"image_url"`
	Detail   string          `json:"detail"`
}

// decodeConversation puts the conversation together: that of the previous response, then the input.
func (r *request) decodeConversation(earlier lookup, checkImage func(string) error) *wireError {
	if id := r.wire.PreviousResponseID; id != nil && *id != "" {
		e, ok := earlier.find(*id)
		if !ok {
			return &wireError{
				Status: 400, Code: "previous_response_not_found", Param: "previous_response_id",
				Message: "The previous response is not known: it was not stored, or was removed to make room. Send the whole conversation as input.",
			}
		}
		r.items, r.wireItems = append(r.items, e.items...), append(r.wireItems, e.wire...)
	}
	if !given(r.wire.Input) {
		return badRequest("input", "input is missing.")
	}
	var text string
	if json.Unmarshal(r.wire.Input, &text) == nil {
		r.items = append(r.items, sentinel.Item{Kind: sentinel.ItemMessage, Role: sentinel.RoleUser, Parts: []sentinel.Part{{Text: text}}})
		r.wireItems = append(r.wireItems, mustJSON(map[string]any{"role": "user", "content": text}))
		return nil
	}
	var raw []json.RawMessage
	if json.Unmarshal(r.wire.Input, &raw) != nil {
		return badRequest("input", "input must be a string or a list of items.")
	}
	for i, one := range raw {
		var w wireItem
		if json.Unmarshal(one, &w) != nil {
			return badRequest(fmt.Sprintf("input[%d]", i), "An item must be an object.")
		}
		known := len(r.items)
		if err := r.addItem(w, earlier, checkImage); err != nil {
			err.Param = fmt.Sprintf("input[%d]", i)
			return err
		}
		if len(r.wireItems) < len(r.items) && known < len(r.items) {
			r.wireItems = append(r.wireItems, one)
		}
	}
	if len(r.items) == 0 {
		return badRequest("input", "input contains nothing to answer.")
	}
	return nil
}

// addItem adds one item. Reasoning of an earlier answer is left out: it is nothing that a backend of text could use.
func (r *request) addItem(w wireItem, earlier lookup, checkImage func(string) error) *wireError {
	if w.Type == "" && w.Role != "" {
		w.Type = "message"
	}
	switch w.Type {
	case "message":
		return r.addMessage(w, checkImage)
	case "custom_tool_call":
		w.Arguments = mustJSON(string(customArguments(w.Input)))
		return r.addCall(w)
	case "function_call":
		return r.addCall(w)
	case "function_call_output", "custom_tool_call_output":
		r.counts.outputs++
		return r.addOutput(w, checkImage)
	case "item_reference":
		it, wire, ok := earlier.item(w.ID, r.items)
		if !ok {
			return badRequest("", "The referenced item is not known: it was not stored, or was removed to make room. Send the item itself, as clients do with store: false.")
		}
		if it.Kind == sentinel.ItemCall {
			r.counts.echoed++
		}
		r.items, r.wireItems = append(r.items, it), append(r.wireItems, wire)
	case "reasoning":
	default:
		return badRequest("", fmt.Sprintf("Items of type %q are not supported here.", w.Type))
	}
	return nil
}

// addCall adds a call that the client sends back.
func (r *request) addCall(w wireItem) *wireError {
	r.counts.echoed++
	arguments, ok := stringOrJSON(w.Arguments)
	if !ok {
		return badRequest("", "arguments of a function_call must be a string.")
	}
	id := w.ID
	if id == "" {
		id = w.CallID
	}
	r.items = append(r.items, sentinel.Item{Kind: sentinel.ItemCall, ID: id, CallID: w.CallID, Name: w.Name, Arguments: arguments})
	return nil
}

// stringOrJSON reads a string; anything else is taken as it stands.
func stringOrJSON(raw json.RawMessage) (string, bool) {
	if !given(raw) {
		return "", true
	}
	var s string
	if raw[0] == '"' {
		return s, json.Unmarshal(raw, &s) == nil
	}
	return string(raw), raw[0] == '{'
}

func (r *request) addMessage(w wireItem, checkImage func(string) error) *wireError {
	role := sentinel.Role(w.Role)
	switch role {
	case sentinel.RoleUser, sentinel.RoleAssistant, sentinel.RoleSystem, sentinel.RoleDeveloper:
	default:
		return badRequest("", fmt.Sprintf("The role %q is not known.", w.Role))
	}
	parts, err := decodeParts(w.Content, checkImage)
	if err != nil {
		return err
	}
	r.items = append(r.items, sentinel.Item{Kind: sentinel.ItemMessage, Role: role, Parts: parts})
	return nil
}

// addOutput adds the result of a call, also of one that was never seen: the client knows what it called.
func (r *request) addOutput(w wireItem, checkImage func(string) error) *wireError {
	if w.CallID == "" {
		return badRequest("", "A result needs the call_id of its call.")
	}
	it := sentinel.Item{Kind: sentinel.ItemOutput, CallID: w.CallID}
	parts, err := decodeParts(w.Output, checkImage)
	if err != nil {
		return err
	}
	var text strings.Builder
	for _, p := range parts {
		if p.ImageURL != "" {
			it.Parts = append(it.Parts, p)
			continue
		}
		text.WriteString(p.Text)
	}
	it.Output = text.String()
	r.items = append(r.items, it)
	return nil
}

// decodeParts reads content: a text, or a list of texts and images.
func decodeParts(raw json.RawMessage, checkImage func(string) error) ([]sentinel.Part, *wireError) {
	if !given(raw) {
		return []sentinel.Part{{}}, nil
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return []sentinel.Part{{Text: text}}, nil
	}
	var wire []wirePart
	if json.Unmarshal(raw, &wire) != nil {
		return nil, badRequest("", "content must be a string or a list of parts.")
	}
	parts := make([]sentinel.Part, 0, len(wire))
	for _, w := range wire {
		switch w.Type {
		case "input_text", "output_text", "text":
			parts = append(parts, sentinel.Part{Text: w.Text})
		case "refusal":
			parts = append(parts, sentinel.Part{Text: w.Refusal})
		case "input_image":
			url, err := imageURL(w.ImageURL)
			if err == nil {
				err = checkImage(url)
			}
			if err != nil {
				return nil, &wireError{Status: 400, Code: "invalid_image", Message: err.Error()}
			}
			parts = append(parts, sentinel.Part{ImageURL: url, Detail: w.Detail})
		default:
			return nil, badRequest("", fmt.Sprintf("Content of type %q is not supported here, only text and images.", w.Type))
		}
	}
	return parts, nil
}

// imageURL reads the URL in either form: a string, or the object of Chat Completions.
func imageURL(raw json.RawMessage) (string, error) {
	var s string
	if json.Unmarshal(raw, &s) == nil && s != "" {
		return s, nil
	}
	var o struct {
		URL string `json:"url"`
	}
	if json.Unmarshal(raw, &o) == nil && o.URL != "" {
		return o.URL, nil
	}
	return "", badRequest("", "An input_image needs an image_url; uploaded files are not supported here.")
}
