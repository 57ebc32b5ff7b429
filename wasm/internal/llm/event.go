package llm

import (
	"embedded-agent/wasm/internal/price"
)

// EventType says what an event of a stream tells.
type EventType string

// The event types. Done and Error are terminal; a stream has exactly one of them, and it is the last event.
const (
	EventStart         EventType = "start"
	EventTextStart     EventType = "text_start"
	EventTextDelta     EventType = "text_delta"
	EventTextEnd       EventType = "text_end"
	EventThinkingStart EventType = "thinking_start"
	EventThinkingDelta EventType = "thinking_delta"
	EventThinkingEnd   EventType = "thinking_end"
	EventToolCallStart EventType = "toolcall_start"
	EventToolCallDelta EventType = "toolcall_delta"
	EventToolCallEnd   EventType = "toolcall_end"
	EventOpaque        EventType = "opaque"
	EventUsage         EventType = "usage"
	EventDone          EventType = "done"
	EventError         EventType = "error"
)

// Event is one event of a stream.
type Event struct {
	Type EventType `json:"type"`
	// ContentIndex is the index of the block in the message's content; for block events only.
	ContentIndex int `json:"contentIndex"`
	// Delta is the next piece of text, thinking, or argument text.
	Delta string `json:"delta,omitempty"`
	// Block is the whole block in end and opaque events. In start events it has what is known already: the id and name
	// of a call, the refusal mark of a text. The receiver may keep it.
	Block *Block `json:"block,omitempty"`
	// Usage has the provider's counts so far; a later usage event replaces an earlier one.
	Usage *price.Usage `json:"usage,omitempty"`
	// Message is the message: in start its head (dialect, model, ids), in done and error all that arrived.
	Message *Message `json:"message,omitempty"`
	// Error is why a stream failed. A message that holds it says the same.
	Error *Error `json:"error,omitempty"`
}

// Terminal reports whether nothing follows the event.
func (e Event) Terminal() bool { return e.Type == EventDone || e.Type == EventError }

// Call is the call of a toolcall_end event.
func (e Event) Call() (ToolCall, bool) {
	if e.Type != EventToolCallEnd || e.Block == nil || e.Block.ToolCall == nil {
		return ToolCall{}, false
	}
	return *e.Block.ToolCall, true
}

// blockEvents gives the start, delta and end events of a block type.
func blockEvents(t BlockType) (start, delta, end EventType) {
	switch t {
	case BlockThinking:
		return EventThinkingStart, EventThinkingDelta, EventThinkingEnd
	case BlockToolCall:
		return EventToolCallStart, EventToolCallDelta, EventToolCallEnd
	}
	return EventTextStart, EventTextDelta, EventTextEnd
}
