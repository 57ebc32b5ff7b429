package chat

import (
	"context"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/agent"
	"embedded-agent/wasm/internal/headway"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/planner"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/timestamp"
	"embedded-agent/wasm/internal/tool"
)

// watchAgent turns what the loop tells into events of the turn: text as it
// comes, every call (those that were refused too), and what joined.
func (room *Chat) watchAgent(t *turn) func(agent.Event) {
	return func(e agent.Event) {
		switch e.Type {
		case agent.MessageUpdate:
			room.tellDelta(t, e.LLM)
		case agent.ToolStart, agent.ToolUpdate, agent.ToolEnd:
			room.tellCall(e)
		case agent.MessagesJoined:
			room.joined(t, e.Messages)
		}
	}
}

// watchStep shows the calls that a plan's model step makes, as they are made.
func (room *Chat) watchStep(e agent.Event) {
	switch e.Type {
	case agent.ToolStart, agent.ToolUpdate, agent.ToolEnd:
		room.tellCall(e)
	}
}

func (room *Chat) tellDelta(t *turn, e *llm.Event) {
	if e == nil {
		return
	}
	id := t.View().ID
	switch e.Type {
	case llm.EventTextDelta:
		if t.View().Phase != protocol.PhaseStreaming {
			room.phase(t, protocol.PhaseStreaming)
		}
		t.says(e.Delta)
		room.deps.Out.GatherText(protocol.EventTurnText, id, e.Delta)
	case llm.EventThinkingDelta:
		t.reasons(e.Delta)
		room.deps.Out.GatherText(protocol.EventTurnReasoning, id, e.Delta)
	}
}

// tellCall shows a call of a conversation in the run log.
func (room *Chat) tellCall(e agent.Event) {
	if e.Call == nil {
		return
	}
	c, r := *e.Call, e.Made // the call may go on; what is shown is of now
	kind, level, text := "step.started", "info", c.Tool
	switch {
	case r != nil && r.OK:
		kind = "step.finished"
	case r != nil:
		kind, level = "step.failed", "error"
	case e.Type == agent.ToolUpdate:
		kind = "step.progress"
		for _, b := range e.Content {
			text = b.Text
		}
	}
	var far *protocol.StepProgress
	if kind == "step.progress" {
		far = headway.View(true, tool.Progress{Done: e.Done, Total: e.Total, Found: e.Found})
	}
	at := timestamp.Milli(room.deps.Now())
	room.deps.Out.GatherExec(c.CallID, func() *protocol.ExecutionEvent {
		return &protocol.ExecutionEvent{
			Type: kind, RunID: c.RunID, Timestamp: at, Level: protocol.Level(level), Message: room.deps.Out.Redact(text),
			CallID: c.CallID, StepID: c.StepID, Tool: c.Tool, Call: room.deps.History.CallView(&c, r), Progress: far,
		}
	})
}

// joined moves messages that were queued to those that have joined the turn.
func (room *Chat) joined(t *turn, ms []llm.Message) {
	moved := false
	view := t.set(func(t *protocol.Turn) {
		for _, m := range ms {
			text := m.Text()
			at := slices.IndexFunc(t.Queued, func(q string) bool { return m.Role == llm.RoleUser && strings.Contains(text, q) })
			if at >= 0 {
				t.Steered = append(slices.Clone(t.Steered), t.Queued[at])
				t.Queued = slices.Delete(slices.Clone(t.Queued), at, at+1)
				moved = true
			}
		}
	})
	if moved {
		room.changed(&view)
	}
}

// steer hands a message to an agent at work in the conversation; false when none
// is.
func (room *Chat) steer(ctx context.Context, p protocol.Send) (protocol.Accepted, bool) {
	text := spoken(p.Text)
	if len(p.Attached) > 0 {
		if c, err := room.attachments.context(ctx, p, func(m protocol.Message) { room.deps.Out.Notice("warn", m.Key, m.Params, "") }); err == nil {
			text = planner.UserText(&c)
		}
	}
	view := room.Conversations.steer(p, text)
	if view == nil {
		return protocol.Accepted{}, false
	}
	room.changed(view)
	return protocol.Accepted{Turn: view.ID}, true
}

// spoken marks what the person says while an agent works as what it is to do.
func spoken(text string) string { return "<instruction>\n" + text + "\n</instruction>" }

// WordsOf gives back what the person said.
func WordsOf(m llm.Message) string {
	text := m.Text()
	if _, after, ok := strings.Cut(text, "<instruction>\n"); ok {
		text, _, _ = strings.Cut(after, "\n</instruction>")
	}
	return text
}
