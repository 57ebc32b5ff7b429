package anthropic

import (
	"encoding/json"
	"strings"

	"embedded-agent/wasm/internal/llm"
)

// maxID is the longest tool use id that is sent; the API takes letters, digits, hyphens and underscores.
const maxID = 64

// messages writes a conversation. Neighbours of one role become one message, because all results of a turn must stand in
// the message that follows it.
func messages(prepared []llm.Message) []message {
	ids := llm.FitIDs(prepared, llm.PlainID(maxID))
	out := []message{}
	for _, m := range prepared {
		role, blocks := "user", []any(nil)
		switch m.Role {
		case llm.RoleAssistant:
			role, blocks = "assistant", assistant(m, ids)
		case llm.RoleToolResult:
			blocks = []any{result(m, ids)}
		default:
			blocks = content(m.Content)
		}
		if len(blocks) == 0 {
			continue
		}
		if n := len(out); n > 0 && out[n-1].Role == role {
			out[n-1].Content = append(out[n-1].Content, blocks...)
			continue
		}
		out = append(out, message{Role: role, Content: blocks})
	}
	return out
}

// content writes text and images. Text of nothing but space is refused, so it is left out.
func content(blocks []llm.Block) []any {
	out := []any{}
	for _, block := range blocks {
		switch {
		case block.Type == llm.BlockText && strings.TrimSpace(block.Text) != "":
			out = append(out, map[string]any{"type": "text", "text": block.Text})
		case block.Type == llm.BlockImage:
			source := map[string]any{"type": "base64", "media_type": block.MIMEType, "data": block.Data}
			out = append(out, map[string]any{"type": "image", "source": source})
		}
	}
	return out
}

func result(m llm.Message, ids llm.IDs) map[string]any {
	block := map[string]any{"type": "tool_result", "tool_use_id": ids.Wire(m.ToolCallID), "content": content(m.Content)}
	if m.IsError {
		block["is_error"] = true
	}
	return block
}

func assistant(m llm.Message, ids llm.IDs) []any {
	out := []any{}
	for _, block := range m.Content {
		switch block.Type {
		case llm.BlockText:
			if strings.TrimSpace(block.Text) == "" {
				continue
			}
			text := map[string]any{"type": "text", "text": block.Text}
			if block.Signature != "" {
				text["citations"] = json.RawMessage(block.Signature)
			}
			out = append(out, text)
		case llm.BlockThinking:
			if block.Redacted {
				out = append(out, map[string]any{"type": "redacted_thinking", "data": block.Signature})
				continue
			}
			out = append(out, map[string]any{"type": "thinking", "thinking": block.Thinking, "signature": block.Signature})
		case llm.BlockToolCall:
			out = append(out, map[string]any{
				"type": "tool_use", "id": ids.Wire(block.ID), "name": llm.HistoryName(block.Name),
				"input": json.RawMessage(block.ArgumentsText()),
			})
		case llm.BlockOpaque:
			out = append(out, block.Raw)
		}
	}
	return out
}
