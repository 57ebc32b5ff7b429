package agent

import (
	"sync"

	"embedded-agent/wasm/internal/llm"
)

// Inbox brings the person's messages to a loop that works. It may be used by
// several goroutines; one loop reads it.
type Inbox struct {
	mu      sync.Mutex // guards what follows
	steer   []llm.Message
	queue   []llm.Message
	onSteer func()
}

// NewInbox makes an empty inbox.
func NewInbox() *Inbox { return &Inbox{} }

// Steer gives a message to the next turn at once: running tools are aborted,
// finished results are kept.
func (b *Inbox) Steer(m llm.Message) {
	b.mu.Lock()
	b.steer = append(b.steer, m)
	abort := b.onSteer
	b.mu.Unlock()
	if abort != nil {
		abort()
	}
}

// Queue keeps a message for when the present work is done.
func (b *Inbox) Queue(m llm.Message) {
	b.mu.Lock()
	b.queue = append(b.queue, m)
	b.mu.Unlock()
}

// Left takes what has not been read: messages that came after the loop's end.
func (b *Inbox) Left() []llm.Message {
	b.mu.Lock()
	defer b.mu.Unlock()
	left := append(b.steer, b.queue...)
	b.steer, b.queue = nil, nil
	return left
}

// watch has abort called when a steering message comes, or at once when one is
// there. The returned function ends that.
func (b *Inbox) watch(abort func()) (stop func()) {
	if b == nil {
		return func() {}
	}
	b.mu.Lock()
	b.onSteer = abort
	waiting := len(b.steer) > 0
	b.mu.Unlock()
	if waiting {
		abort()
	}
	return func() {
		b.mu.Lock()
		b.onSteer = nil
		b.mu.Unlock()
	}
}

// steering takes the steering messages.
func (b *Inbox) steering() []llm.Message {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	out := b.steer
	b.steer = nil
	return out
}

// steered says whether a steering message waits.
func (b *Inbox) steered() bool {
	if b == nil {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.steer) > 0
}

// promote makes the oldest queued message a steering one; false when there is
// none.
func (b *Inbox) promote() bool {
	if b == nil {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.queue) == 0 {
		return false
	}
	b.steer = append(b.steer, b.queue[0])
	b.queue = b.queue[1:]
	return true
}
