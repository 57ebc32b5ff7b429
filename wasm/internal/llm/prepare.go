package llm

import (
	"bytes"
	"encoding/json"
)

// missingResult is told to the model for a call that has no result: every provider refuses a conversation without one.
const missingResult = `{"status":"error","error":"The call was not carried out."}`

// Prepare makes a conversation fit to be sent to a model of a dialect; it changes nothing in place. Signatures and
// opaque blocks of another dialect or model are left out, and thinking with them; a message without content goes; a call
// without a result gets one that says so; results come in the order of their calls. A result without a call is an error.
func Prepare(messages []Message, dialect, model string) ([]Message, error) {
	var out []Message
	for i := 0; i < len(messages); i++ {
		m := messages[i]
		if m.Role == RoleToolResult {
			return nil, NewError("llm.error.invalidRequest", "detail", "a tool result has no call: "+m.ToolCallID)
		}
		if m.Role != RoleAssistant {
			out = append(out, m)
			continue
		}
		last := i
		for last+1 < len(messages) && messages[last+1].Role == RoleToolResult {
			last++
		}
		m.Content = ownBlocks(m, m.Dialect == dialect, m.Dialect == dialect && m.Model == model)
		results, err := orderResults(m.Calls(), messages[i+1:last+1])
		if err != nil {
			return nil, err
		}
		i = last
		if len(m.Content) > 0 {
			out = append(append(out, m), results...)
		}
	}
	return out, nil
}

// ownBlocks leaves out what only the endpoint that made the message understands.
func ownBlocks(m Message, sameDialect, sameModel bool) []Block {
	var blocks []Block
	for _, block := range m.Content {
		switch {
		case block.Type == BlockOpaque && !sameDialect:
		case block.Type == BlockThinking && (!sameModel || block.Signature == ""):
		case block.Type == BlockText && block.Text == "":
		case !sameModel && block.Signature != "":
			block.Signature = ""
			blocks = append(blocks, block)
		default:
			blocks = append(blocks, block)
		}
	}
	// Reasoning that nothing follows is refused.
	for len(blocks) > 0 && blocks[len(blocks)-1].Type == BlockThinking {
		blocks = blocks[:len(blocks)-1]
	}
	return blocks
}

func orderResults(calls []ToolCall, given []Message) ([]Message, error) {
	used := make([]bool, len(given))
	results := make([]Message, 0, len(calls))
	for _, call := range calls {
		found := false
		for i, r := range given {
			if !used[i] && r.ToolCallID == call.ID {
				results = append(results, r)
				used[i], found = true, true
				break
			}
		}
		if !found {
			results = append(results, ToolResult(call, true, Text(missingResult)))
		}
	}
	for i, r := range given {
		if !used[i] {
			return nil, NewError("llm.error.invalidRequest", "detail", "a tool result has no call: "+r.ToolCallID)
		}
	}
	return results, nil
}

// ArgumentsText is the argument text of a call for a conversation that goes on: always a JSON object.
func (c ToolCall) ArgumentsText() string {
	if c.Arguments == nil {
		return "{}"
	}
	return string(c.Arguments)
}

// EmptySchema is the schema of a tool without parameters.
const EmptySchema = `{"type":"object","properties":{},"additionalProperties":false}`

// Schema is the tool's parameter schema, never empty.
func (t Tool) Schema() json.RawMessage {
	if len(bytes.TrimSpace(t.Parameters)) == 0 {
		return json.RawMessage(EmptySchema)
	}
	return t.Parameters
}

// Marshal is JSON as endpoints get it: without the escapes that encoding/json makes for web pages.
func Marshal(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, NewError("llm.error.invalidRequest", "detail", err.Error())
	}
	return bytes.TrimRight(buf.Bytes(), "\n"), nil
}
