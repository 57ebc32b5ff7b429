package agent

import (
	"encoding/json"

	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/shorten"
)

// spanMessage and spanPart are a message as the GenAI conventions have it in
// gen_ai.input.messages and gen_ai.output.messages.
type (
	spanMessage struct {
		Role   string     `json:"role"`
		Parts  []spanPart `json:"parts"`
		Finish string     `json:"finish_reason,omitempty"`
	}
	spanPart struct {
		Type      string          `json:"type"`
		Content   string          `json:"content,omitempty"`
		ID        string          `json:"id,omitempty"`
		Name      string          `json:"name,omitempty"`
		Arguments json.RawMessage `json:"arguments,omitempty"`
		Response  string          `json:"response,omitempty"`
		MIMEType  string          `json:"mime_type,omitempty"`
	}
)

// spanMessages writes messages for a span. The bytes of images stay out.
func spanMessages(ms ...llm.Message) string {
	out := make([]spanMessage, len(ms))
	for i, m := range ms {
		out[i] = spanMessage{Role: string(m.Role), Parts: []spanPart{}, Finish: string(m.StopReason)}
		if m.Role == llm.RoleToolResult {
			out[i].Role = "tool"
		}
		for _, b := range m.Content {
			out[i].Parts = append(out[i].Parts, partOf(m, b))
		}
	}
	return shorten.JSON(out)
}

func partOf(m llm.Message, b llm.Block) spanPart {
	switch b.Type {
	case llm.BlockToolCall:
		return spanPart{Type: "tool_call", ID: b.ID, Name: b.Name, Arguments: json.RawMessage(b.ArgumentsText())}
	case llm.BlockThinking:
		return spanPart{Type: "reasoning", Content: b.Thinking}
	case llm.BlockImage:
		return spanPart{Type: "image", MIMEType: b.MIMEType}
	case llm.BlockText:
		if m.Role == llm.RoleToolResult {
			return spanPart{Type: "tool_call_response", ID: m.ToolCallID, Response: b.Text}
		}
		return spanPart{Type: "text", Content: b.Text}
	}
	return spanPart{Type: string(b.Type)}
}
