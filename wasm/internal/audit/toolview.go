package audit

import (
	"context"
	"encoding/json"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/tool"
)

// ToolEvent is an event of a call as an agent tells it
// (docs/design/invocation.md#events). It is another view of the step.* events: started is start, progress is update,
// finished or failed is end, under the same callId.
type ToolEvent struct {
	Type       string            `json:"type"`
	ToolCallID string            `json:"toolCallId"`
	ToolName   string            `json:"toolName"`
	Timestamp  string            `json:"timestamp"`
	Args       tool.Args         `json:"args,omitempty"`   // of a start
	Update     map[string]any    `json:"update,omitempty"` // of an update: done, total
	Result     tool.Data         `json:"result,omitempty"` // of an end
	Error      *tool.ResultError `json:"error,omitempty"`
	IsError    bool              `json:"isError"`
}

// toolEvents maps the types of step events to those of the other view.
var toolEvents = map[string]string{
	"step.started":  "tool_execution_start",
	"step.progress": "tool_execution_update",
	"step.finished": "tool_execution_end",
	"step.failed":   "tool_execution_end",
}

// ToolEvents gives a run's events in this view, in order: those of its calls.
// What concerns a step or the run as a whole is not in it. Records that were
// changed are CONFLICT.
func ToolEvents(ctx context.Context, store host.Store, dir string) ([]ToolEvent, error) {
	pairs, err := ReadCalls(ctx, store, dir)
	if err != nil {
		return nil, err
	}
	byID := make(map[string]Pair, len(pairs))
	for _, p := range pairs {
		byID[p.Call.CallID] = p
	}
	events, err := lines(ctx, store, dir, EventsFile)
	if err != nil {
		return nil, err
	}
	var out []ToolEvent
	for _, line := range events {
		var e struct {
			Type, CallID, Tool, Timestamp string
			Payload                       map[string]any
		}
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, corrupt(err)
		}
		kind, p := toolEvents[e.Type], byID[e.CallID]
		if kind == "" || p.Call == nil {
			continue
		}
		x := ToolEvent{Type: kind, ToolCallID: e.CallID, ToolName: e.Tool, Timestamp: e.Timestamp}
		switch {
		case e.Type == "step.started":
			x.Args = p.Call.Args
		case e.Type == "step.progress":
			x.Update = e.Payload
		case p.Result != nil:
			x.Result, x.Error, x.IsError = p.Result.Data, p.Result.Error, p.Result.Error != nil
		}
		out = append(out, x)
	}
	return out, nil
}
