package modelstep

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

// Succeeded says whether a call has ended well; one that goes on has no end.
func Succeeded(e tool.Envelope) bool { return e.Error == nil && e.Output != nil && e.TEnd != "" }
