package chat

import (
	"context"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/timestamp"
)

// waits tells the person why the turn under way waits before it asks its model
// again, and until when; what it gives tells that the wait is over.
func (room *Chat) waits(m *model, r llm.Retry) func() {
	room.mu.Lock()
	t := room.mu.turn
	room.mu.Unlock()
	if t == nil || t.Over() {
		return nil
	}
	t.tellWait(&protocol.Waiting{
		Text:  protocol.Message{Key: whyWaiting(r.Why), Params: map[string]string{"host": m.host()}},
		Until: timestamp.Milli(room.deps.Now().Add(r.Wait)),
	}, r.Now)
	return func() { t.tellWait(nil, nil) }
}

// whyWaiting gives the key of the words for why a model is asked again later: only
// who asks for a pause is said to have asked for one.
func whyWaiting(why *llm.Error) string {
	switch {
	case why.RetryAfterS > 0:
		return "turn.waiting.asked"
	case why.Code == llm.CodeRateLimit:
		return "turn.waiting.rateLimit"
	case why.Key == "llm.error.overloaded":
		return "turn.waiting.overloaded"
	case why.Code == string(fault.Network):
		return "turn.waiting.network"
	}
	return "turn.waiting.failed"
}

// tellWait notes what a turn waits for, and what ends that; nil for nothing.
func (t *turn) tellWait(w *protocol.Waiting, now func()) {
	view := t.set(func(p *protocol.Turn) { t.hurry, p.Waiting = now, w })
	if !t.Over() {
		t.room.changed(&view)
	}
}

// RetryNow ends the wait of the turn under way before it asks its model again.
// NOT_FOUND says that it does not wait.
func (room *Chat) RetryNow(_ context.Context, p protocol.TurnRef) (protocol.Empty, error) {
	room.mu.Lock()
	t := room.mu.turn
	room.mu.Unlock()
	var now func()
	if t != nil && t.View().ID == p.Turn {
		t.set(func(*protocol.Turn) { now = t.hurry })
	}
	if now == nil {
		return protocol.Empty{}, fault.New(fault.NotFound, "error.turn.notWaiting", nil)
	}
	now()
	return protocol.Empty{}, nil
}
