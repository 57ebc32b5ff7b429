package chat

import (
	"context"
	"strings"

	"embedded-agent/i18n"
	"embedded-agent/wasm/internal/agent"
	"embedded-agent/wasm/internal/conversation"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/planner"
	"embedded-agent/wasm/internal/protocol"
)

// input is the conversation so far and what the person says now.
func (w *agentTurn) input(ctx context.Context) (agent.Input, error) {
	seq, asked := w.in.Numbers()
	in := agent.Input{State: agent.State{Messages: recent(w.in.Turns), Seq: seq, Turn: asked}}
	var notes []string
	if w.discarded() {
		notes = append(notes, i18n.English("agent.discarded", nil))
	}
	if w.lost {
		notes = append(notes, i18n.English("agent.lost", nil))
	}
	if w.p.Continue {
		if len(notes) > 0 {
			in.Messages = []llm.Message{llm.UserMessage(strings.Join(append(notes, i18n.English("agent.continue", nil)), "\n"))}
		}
		return in, nil
	}
	m, err := w.message(ctx, w.p)
	if err != nil {
		return in, err
	}
	if len(notes) > 0 {
		m.Content = append([]llm.Block{llm.Text(strings.Join(notes, "\n"))}, m.Content...)
	}
	in.Messages = []llm.Message{m}
	return in, nil
}

// discarded says whether the person refused what was staged since the last turn.
func (w *agentTurn) discarded() bool {
	w.room.Conversations.mu.Lock()
	defer w.room.Conversations.mu.Unlock()
	return w.in.discarded
}

// message is the person's words with what surrounds them.
func (w *agentTurn) message(ctx context.Context, p protocol.Send) (llm.Message, error) {
	c, err := w.room.attachments.context(ctx, p, w.m.Note)
	if err != nil {
		return llm.Message{}, err
	}
	images, err := w.room.attachments.images(ctx, w.m, p)
	return llm.UserMessage(planner.UserText(&c), images...), err
}

// maxConversationBytes bounds how much of a conversation goes along with a request. What
// is older is left out a turn at a time.
const maxConversationBytes = 400 << 10

func recent(turns []*conversation.Turn) []llm.Message {
	from, size := len(turns), 0
	for from > 0 {
		for _, m := range turns[from-1].Messages {
			for _, b := range m.Content {
				size += len(b.Text) + len(b.Thinking)
				if b.ToolCall != nil {
					size += len(b.Arguments)
				}
			}
		}
		if size > maxConversationBytes && from < len(turns) {
			break
		}
		from--
	}
	var out []llm.Message
	for _, t := range turns[from:] {
		out = append(out, t.Messages...)
	}
	return out
}

// said gives the person's own words in the conversation, without what came along.
func (w *agentTurn) said() string {
	words := []string{w.p.Text}
	for _, t := range w.in.Turns {
		words = append(words, t.Shown.Text)
	}
	view := w.t.View()
	return strings.Join(append(append(words, view.Steered...), view.Queued...), "\n")
}

// goal gives the person's request: of a turn that goes on, the one that it began with.
func (w *agentTurn) goal() string {
	if text := strings.TrimSpace(w.p.Text); text != "" {
		return w.p.Text
	}
	for i := len(w.in.Turns) - 1; i >= 0; i-- {
		if text := w.in.Turns[i].Shown.Text; strings.TrimSpace(text) != "" {
			return text
		}
	}
	return w.in.Title
}
