package llm

import (
	"encoding/json"
	"strings"

	"embedded-agent/wasm/internal/price"
)

// Role says who a message is from.
type Role string

// The roles.
const (
	RoleSystem     Role = "system"
	RoleUser       Role = "user"
	RoleAssistant  Role = "assistant"
	RoleToolResult Role = "toolResult"
)

// BlockType says what a block of a message holds.
type BlockType string

// The block types. An opaque block is an item of the provider's own that is carried back unread (a hosted search, a
// compaction); only the dialect that it came from sends it.
const (
	BlockText     BlockType = "text"
	BlockThinking BlockType = "thinking"
	BlockToolCall BlockType = "toolCall"
	BlockImage    BlockType = "image"
	BlockOpaque   BlockType = "opaque"
)

// Block is one piece of a message. Type says which of the other fields count.
type Block struct {
	Type BlockType `json:"type"`
	// Text is the text of a text block.
	Text string `json:"text,omitempty"`
	// Refusal marks a text block in which the model declines.
	Refusal bool `json:"refusal,omitempty"`
	// Thinking is the readable part of a thinking block; it may be empty.
	Thinking string `json:"thinking,omitempty"`
	// Redacted marks a thinking block that has only a Signature.
	Redacted bool `json:"redacted,omitempty"`
	// Signature is returned to the provider with a block, unread: a signature, encrypted reasoning.
	Signature string `json:"signature,omitempty"`
	// Data is an image, base64 (RFC 4648, padded), and MIMEType its type, such as image/png.
	Data     string `json:"data,omitempty"`
	MIMEType string `json:"mimeType,omitempty"`
	// Raw is an opaque block as the provider sent it, and Kind the provider's name for it.
	Raw  json.RawMessage `json:"raw,omitempty"`
	Kind string          `json:"kind,omitempty"`
	// ToolCall is set in a toolCall block; its fields are flat in the JSON.
	*ToolCall
}

// ToolCall is a tool call that the model asks for.
type ToolCall struct {
	// ID is the provider's name for the call; the result must carry the same. It is unique within a message.
	ID string `json:"id"`
	// Name is the dotted tool name, such as vault.createFile.
	Name string `json:"name"`
	// Arguments is a JSON object. It is nil when what the model sent is not one; RawArguments then has the text.
	Arguments json.RawMessage `json:"arguments,omitempty"`
	// RawArguments is the argument text as it arrived, kept only where it is not a JSON object.
	RawArguments string `json:"rawArguments,omitempty"`
	// Incomplete marks a call that was cut off, by a length stop or by the end of the stream. It must not run.
	Incomplete bool `json:"incomplete,omitempty"`
}

// Executable reports whether the call is whole and its arguments are a JSON object. It is settled when the stream has
// ended: some providers name a length stop after the calls that it cut off. Calls of a message that ended in an error do
// not run, whole or not.
func (c ToolCall) Executable() bool { return !c.Incomplete && c.Arguments != nil && c.Name != "" }

// Text makes a text block.
func Text(text string) Block { return Block{Type: BlockText, Text: text} }

// Image makes an image block from base64 data.
func Image(mimeType, base64 string) Block {
	return Block{Type: BlockImage, MIMEType: mimeType, Data: base64}
}

// ImageOf makes an image block of a data URL with base64 data.
func ImageOf(dataURL string) Block {
	mimeType, data, _ := strings.Cut(strings.TrimPrefix(dataURL, "data:"), ";base64,")
	return Image(mimeType, data)
}

// Call makes a tool call block.
func Call(id, name string, arguments json.RawMessage) Block {
	return Block{Type: BlockToolCall, ToolCall: &ToolCall{ID: id, Name: name, Arguments: arguments}}
}

// Message is one message of a conversation.
type Message struct {
	Role    Role    `json:"role"`
	Content []Block `json:"content"`

	// ToolCallID, ToolName, IsError and Details belong to tool results. Details is not sent to the model.
	ToolCallID string          `json:"toolCallId,omitempty"`
	ToolName   string          `json:"toolName,omitempty"`
	IsError    bool            `json:"isError,omitempty"`
	Details    json.RawMessage `json:"details,omitempty"`

	// Dialect and Model say what an assistant message was asked of: signatures and opaque blocks go back to the same
	// dialect and model only. ResponseModel and ResponseID are what the provider called the answer.
	Dialect       string `json:"dialect,omitempty"`
	Model         string `json:"model,omitempty"`
	ResponseModel string `json:"responseModel,omitempty"`
	ResponseID    string `json:"responseId,omitempty"`

	StopReason StopReason `json:"stopReason,omitempty"`
	// StopDetail is the provider's own word for the stop.
	StopDetail string       `json:"stopDetail,omitempty"`
	Usage      *price.Usage `json:"usage,omitempty"`
	Error      *Error       `json:"error,omitempty"`

	// Timestamp is in milliseconds since 1970. Whoever has a clock sets it.
	Timestamp int64 `json:"timestamp,omitempty"`
}

// SystemMessage makes a system message.
func SystemMessage(text string) Message {
	return Message{Role: RoleSystem, Content: []Block{Text(text)}}
}

// UserMessage makes a user message of text, followed by other blocks such as images.
func UserMessage(text string, more ...Block) Message {
	return Message{Role: RoleUser, Content: append([]Block{Text(text)}, more...)}
}

// AssistantMessage makes an assistant message.
func AssistantMessage(blocks ...Block) Message {
	return Message{Role: RoleAssistant, Content: blocks}
}

// ToolResult makes the answer to a call.
func ToolResult(call ToolCall, isError bool, blocks ...Block) Message {
	return Message{Role: RoleToolResult, ToolCallID: call.ID, ToolName: call.Name, IsError: isError, Content: blocks}
}

// Text is the text of the message, its text blocks joined; refusals are left out.
func (m Message) Text() string {
	var b strings.Builder
	for _, block := range m.Content {
		if block.Type == BlockText && !block.Refusal {
			b.WriteString(block.Text)
		}
	}
	return b.String()
}

// Thinking is the readable reasoning of the message, its blocks joined.
func (m Message) Thinking() string {
	var b strings.Builder
	for _, block := range m.Content {
		b.WriteString(block.Thinking)
	}
	return b.String()
}

// Refusal is the text in which the model declined, or "".
func (m Message) Refusal() string {
	var b strings.Builder
	for _, block := range m.Content {
		if block.Type == BlockText && block.Refusal {
			b.WriteString(block.Text)
		}
	}
	return b.String()
}

// Calls are the tool calls of the message, in source order, incomplete ones included: ask Executable before running one.
func (m Message) Calls() []ToolCall {
	var calls []ToolCall
	for _, block := range m.Content {
		if block.Type == BlockToolCall && block.ToolCall != nil {
			calls = append(calls, *block.ToolCall)
		}
	}
	return calls
}

// StopReason says why a message ended.
type StopReason string

// The stop reasons. Pause asks to be continued by sending the message back unchanged.
const (
	StopStop          StopReason = "stop"
	StopLength        StopReason = "length"
	StopToolUse       StopReason = "toolUse"
	StopRefusal       StopReason = "refusal"
	StopContextWindow StopReason = "contextWindow"
	StopPause         StopReason = "pause"
	StopError         StopReason = "error"
	StopAborted       StopReason = "aborted"
)
