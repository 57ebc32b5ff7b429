package agent

import (
	"embedded-agent/wasm/internal/tool"
)

// Outputs is the stable contract of an agent (docs/design/invocation.md#outputs). All five are
// always present: LastTool is null when no tool succeeded. Order is the order
// in which the calls began; denied calls are in it, with their error.
type Outputs struct {
	Response  string                   `json:"response"`
	ToolsByID map[string]tool.Envelope `json:"tools_by_id"`
	ToolOrder []string                 `json:"tool_order"`
	LastTool  *tool.Envelope           `json:"last_tool"`
	TracesURL string                   `json:"traces_url"`
}

// outputsOf reads the outputs out of a state. The response is the text of the
// last answer.
func outputsOf(s State, tracesURL string) Outputs {
	out := Outputs{
		ToolsByID: make(map[string]tool.Envelope, len(s.Calls)), ToolOrder: append([]string{}, s.Order...),
		TracesURL: tracesURL,
	}
	for id, e := range s.Calls {
		out.ToolsByID[id] = e
	}
	for _, id := range s.Order {
		if e, ok := s.Calls[id]; ok && succeeded(e) {
			out.LastTool = &e
		}
	}
	for i := len(s.Messages) - 1; i >= 0; i-- {
		if s.Messages[i].Role == "assistant" {
			out.Response = s.Messages[i].Text()
			break
		}
	}
	return out
}

// succeeded says whether a call has ended well; one that goes on has no end.
func succeeded(e tool.Envelope) bool { return e.Error == nil && e.Output != nil && e.TEnd != "" }
