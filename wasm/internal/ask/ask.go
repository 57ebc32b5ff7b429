// Package ask keeps the questions that wait for a person's answer.
package ask

import (
	"context"
	"sync"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/ids"
	"embedded-agent/wasm/internal/outbox"
	"embedded-agent/wasm/internal/protocol"
)

// Questions are those that are open. The zero value is of no use; see New.
type Questions struct {
	out *outbox.Outbox

	mu   sync.Mutex // guards open
	open map[string]*question
}

// question is one that waits for its answer. The first answer wins.
type question struct {
	protocol.Question
	answer chan protocol.Answer
}

// New gives a desk without questions. It tells when one opens and closes.
func New(out *outbox.Outbox) *Questions {
	return &Questions{out: out, open: map[string]*question{}}
}

// Ask shows a question, which gets an id of its own, and waits for the answer, or
// for ctx to end.
func (a *Questions) Ask(ctx context.Context, q protocol.Question) (protocol.Answer, error) {
	q.ID = ids.New()
	w := &question{Question: q, answer: make(chan protocol.Answer, 1)}
	a.mu.Lock()
	a.open[q.ID] = w
	a.mu.Unlock()
	a.out.Tell(protocol.Event{Type: protocol.EventQuestionOpened, Question: &q})
	defer func() {
		a.mu.Lock()
		delete(a.open, q.ID)
		a.mu.Unlock()
		a.out.Tell(protocol.Event{Type: protocol.EventQuestionClosed, Question: &q})
	}()
	select {
	case answer := <-w.answer:
		return answer, nil
	case <-ctx.Done():
		return protocol.Answer{}, fault.From(ctx.Err())
	}
}

// Answer answers a question by its id: the method answer. A question that is not
// open any more is NOT_FOUND.
func (a *Questions) Answer(_ context.Context, given protocol.Answer) (protocol.Empty, error) {
	a.mu.Lock()
	q := a.open[given.ID]
	a.mu.Unlock()
	if q == nil {
		return protocol.Empty{}, fault.New(fault.NotFound, "error.question.gone", nil)
	}
	select {
	case q.answer <- given:
	default: // answered already
	}
	return protocol.Empty{}, nil
}

// Open lists the questions that wait, never nil.
func (a *Questions) Open() []protocol.Question {
	a.mu.Lock()
	defer a.mu.Unlock()
	out := []protocol.Question{}
	for _, q := range a.open {
		out = append(out, q.Question)
	}
	return out
}
