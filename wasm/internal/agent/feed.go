package agent

import (
	"context"

	"embedded-agent/i18n"
	"embedded-agent/wasm/internal/llm"
)

// feed is where messages come from that join the conversation between turns.
type feed interface {
	// joined takes what waits; person says whether any of it is the person's.
	joined() (ms []llm.Message, person bool)
	// more says, after an answer without calls, whether another turn is due. It
	// may wait for one.
	more(ctx context.Context) bool
}

// liveFeed is the person (Input, Inbox).
type liveFeed struct {
	l     *loop
	first []llm.Message
}

func (f *liveFeed) joined() ([]llm.Message, bool) {
	person := append(f.first, f.l.cfg.Inbox.steering()...)
	f.first = nil
	out := person
	if len(out) == 0 && f.l.halted() {
		// Most providers refuse a conversation that ends with an answer.
		out = []llm.Message{llm.UserMessage(i18n.English("agent.continue", nil))}
	}
	for i := range out {
		out[i] = f.l.fitImages(out[i])
	}
	return out, len(person) > 0
}

// halted says whether the conversation ends with an answer that asks for
// nothing: one that was stopped, and is to go on.
func (l *loop) halted() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.state.Messages) == 0 {
		return false
	}
	last := l.state.Messages[len(l.state.Messages)-1]
	return last.Role == llm.RoleAssistant && last.StopReason != llm.StopPause
}

// more: a steering message, then a queued message.
func (f *liveFeed) more(context.Context) bool {
	return f.l.cfg.Inbox.steered() || f.l.cfg.Inbox.promote()
}
