package agent

import (
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/modelstep"
	"embedded-agent/wasm/internal/tool"
)

// EventType says what an event of the loop tells.
type EventType string

// The event types. AgentEnd is the last, exactly once. A call has exactly one
// start and one end; starts come in source order, ends in order of completion.
const (
	AgentStart     EventType = "agent_start"
	TurnStart      EventType = "turn_start"
	MessageUpdate  EventType = "message_update"
	MessageEnd     EventType = "message_end"
	ToolStart      EventType = "tool_execution_start"
	ToolUpdate     EventType = "tool_execution_update"
	ToolEnd        EventType = "tool_execution_end"
	TurnEnd        EventType = "turn_end"
	AgentEnd       EventType = "agent_end"
	MessagesJoined EventType = "messages_joined"
)

// Event is one event of the loop (docs/design/invocation.md#events). Type says
// which parts of it are set.
type Event struct {
	Type EventType `json:"type"`
	Turn int       `json:"turn"`

	// LLM is an event of the model's stream, in a message_update.
	LLM *llm.Event `json:"llm,omitempty"`
	// Messages are those that joined the conversation, or the one that ended.
	Messages []llm.Message `json:"messages,omitempty"`

	CallEvent
	// Content has the blocks that an update or an end shows.
	Content []llm.Block `json:"content,omitempty"`
	CallProgress
	CallEnd

	RunEnd
}

// CallEvent says which call a tool event is about.
type CallEvent struct {
	// ToolCallID is the provider's id of a call. CallID and LogicalID are its
	// callId and call_id (docs/design/tool-calls.md#identity); CallID is also the
	// one of the step.* events.
	ToolCallID string         `json:"toolCallId,omitempty"`
	CallID     string         `json:"callId,omitempty"`
	LogicalID  string         `json:"call_id,omitempty"`
	Tool       string         `json:"toolName,omitempty"`
	Args       map[string]any `json:"args,omitempty"`
	// Call is the call as it was made: for whoever shows it.
	Call *tool.Call `json:"-"`
}

// CallProgress is how far a call is, in a tool_execution_update.
type CallProgress struct {
	Done  int `json:"done,omitempty"`
	Total int `json:"total,omitempty"`
	Found int `json:"found,omitempty"`
}

// CallEnd is how a call ended, in a tool_execution_end.
type CallEnd struct {
	IsError  bool           `json:"isError,omitempty"`
	Envelope *tool.Envelope `json:"envelope,omitempty"`
	// Status and SecretScope are the result's.
	Status      tool.Status `json:"status,omitempty"`
	SecretScope string      `json:"secretScope,omitempty"`
	// Made is the result, whole: for whoever shows it.
	Made *tool.Result `json:"-"`
}

// RunEnd is how the loop ended, in an agent_end.
type RunEnd struct {
	Stop    Stop               `json:"stop,omitempty"`
	Problem *fault.Error       `json:"problem,omitempty"`
	Outputs *modelstep.Outputs `json:"outputs,omitempty"`
}

// emit tells an event; one at a time.
func (l *loop) emit(e Event) {
	if l.cfg.On == nil {
		return
	}
	l.telling.Lock()
	defer l.telling.Unlock()
	e.Turn = l.turn()
	l.cfg.On(e)
}
