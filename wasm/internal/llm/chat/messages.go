package chat

import (
	"encoding/json"
	"strings"

	"embedded-agent/wasm/internal/llm"
)

// carried is the content of a thinking block's signature: how the endpoint wants its reasoning back.
type carried struct {
	// Field is the name of the field that the text came in: reasoning_content, reasoning, or content for a part of it.
	Field string `json:"field,omitempty"`
	// Details are the entries of reasoning_details, their pieces put together.
	Details json.RawMessage `json:"details,omitempty"`
}

// maxID is the longest call id that OpenAI takes here.
const maxID = 40

// messages writes a conversation. Images in tool results follow in a user message, since tools may only answer in text.
func messages(q Quirks, r llm.Request) ([]message, error) {
	prepared, err := llm.Prepare(withoutSystem(r), Name, r.Model)
	if err != nil {
		return nil, err
	}
	fits := llm.ShortID(maxID)
	if q.ShortIDs {
		fits = llm.NineLetters
	}
	names := llm.FitIDs(prepared, fits)
	out := []message{}
	if system, _ := r.System(); system != "" {
		out = append(out, message{Role: "system", Content: system})
	}
	loop := lastUser(prepared)
	var images []part
	for i, m := range prepared {
		if m.Role != llm.RoleToolResult && len(images) > 0 {
			out = append(out, imageMessage(images))
			images = nil
		}
		switch m.Role {
		case llm.RoleAssistant:
			if said := assistant(m, names, i > loop); !said.empty() {
				out = append(out, said)
			}
		case llm.RoleToolResult:
			result := message{Role: "tool", Content: resultText(m), ToolCallID: names.Wire(m.ToolCallID)}
			if found := resultImages(m); q.ToolImages && len(found) > 0 {
				result.Content = content(m.Content)
			} else {
				images = append(images, found...)
			}
			out = append(out, result)
		default:
			out = append(out, message{Role: "user", Content: content(m.Content)})
		}
	}
	if len(images) > 0 {
		out = append(out, imageMessage(images))
	}
	return out, nil
}

// imageMessage hands over what tools have found to see.
func imageMessage(images []part) message {
	label := part{Type: "text", Text: "The images of the tool results above:"}
	return message{Role: "user", Content: append([]part{label}, images...)}
}

func withoutSystem(r llm.Request) []llm.Message {
	_, rest := r.System()
	return rest
}

// lastUser is the index of the last user message: what follows it is the tool loop that is still running.
func lastUser(list []llm.Message) int {
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].Role == llm.RoleUser {
			return i
		}
	}
	return -1
}

// content is plain text where text is all there is: some endpoints take nothing else.
func content(blocks []llm.Block) any {
	parts := parts(blocks)
	plain := ""
	for _, p := range parts {
		if p.Type != "text" {
			return parts
		}
		if plain != "" {
			plain += "\n"
		}
		plain += p.Text
	}
	return plain
}

func parts(blocks []llm.Block) []part {
	out := []part{}
	for _, block := range blocks {
		switch block.Type {
		case llm.BlockText:
			out = append(out, part{Type: "text", Text: block.Text})
		case llm.BlockImage:
			url := "data:" + block.MIMEType + ";base64," + block.Data
			out = append(out, part{Type: "image_url", ImageURL: &imageURL{url}})
		}
	}
	return out
}

func resultText(m llm.Message) string {
	text := m.Text()
	if text == "" && len(resultImages(m)) > 0 {
		return "(The image follows.)"
	}
	return text
}

func resultImages(m llm.Message) []part {
	var images []part
	for _, p := range parts(m.Content) {
		if p.Type == "image_url" {
			images = append(images, p)
		}
	}
	return images
}

// assistant writes a message of the model. Its reasoning goes back while the tool loop runs; entries of
// reasoning_details, which may hold signatures, always.
func assistant(m llm.Message, names llm.IDs, running bool) message {
	out := message{Role: "assistant", Refusal: m.Refusal()}
	var thinking []part
	for _, block := range m.Content {
		switch block.Type {
		case llm.BlockThinking:
			thinking = append(thinking, carry(&out, block, running)...)
		case llm.BlockToolCall:
			out.ToolCalls = append(out.ToolCalls, call{
				ID: names.Wire(block.ID), Type: "function",
				Function: callFunction{Name: llm.HistoryName(block.Name), Arguments: block.ArgumentsText()},
				Extra:    json.RawMessage(block.Signature),
			})
		}
	}
	text := m.Text()
	switch {
	case len(thinking) > 0 && text != "":
		out.Content = append(thinking, part{Type: "text", Text: text})
	case len(thinking) > 0:
		out.Content = thinking
	case text != "" || len(out.ToolCalls) == 0:
		out.Content = text
	}
	return out
}

// empty reports whether nothing of a message can be sent here.
func (m message) empty() bool {
	return (m.Content == nil || m.Content == "") && m.Refusal == "" && len(m.ToolCalls) == 0 && m.ReasoningDetails == nil
}

// carry puts the reasoning of a block where the endpoint wants it. Reasoning that is a part of the content is returned.
func carry(out *message, block llm.Block, running bool) []part {
	var c carried
	if json.Unmarshal([]byte(block.Signature), &c) != nil {
		// A signature that is not ours cannot be given back.
		return nil
	}
	if len(c.Details) > 0 {
		out.ReasoningDetails = c.Details
	}
	if !running || block.Thinking == "" {
		return nil
	}
	switch c.Field {
	case "reasoning_content":
		out.ReasoningContent = join(out.ReasoningContent, block.Thinking)
	case "reasoning":
		out.Reasoning = join(out.Reasoning, block.Thinking)
	case "content":
		return []part{{Type: "thinking", Thinking: []part{{Type: "text", Text: block.Thinking}}}}
	}
	return nil
}

func join(a, b string) string { return strings.TrimPrefix(a+"\n\n"+b, "\n\n") }
