package agent

import (
	"context"
	"strings"
	"sync"

	"embedded-agent/plugin/i18n"
	"embedded-agent/wasm/internal/llm"
)

// background is the calls that go on while the conversation does (invocation
// protocol §5.3, §11).
type background struct {
	mu    sync.Mutex
	n     int
	ended []*slot
	wake  chan struct{}
}

func (b *background) add() {
	b.mu.Lock()
	b.n++
	b.mu.Unlock()
}

// end notes that a call has come to its end; it is told with the next turn.
func (b *background) end(s *slot) {
	b.mu.Lock()
	b.n--
	b.ended = append(b.ended, s)
	b.mu.Unlock()
	select {
	case b.wake <- struct{}{}:
	default: // it is awake already
	}
}

func (b *background) running() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.n
}

// waiting says whether an end has not been told yet.
func (b *background) waiting() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.ended) > 0
}

// takeMessages gives the ends that were not told yet, in source order, as one
// message. A call can have one result only, and the pending one was it; so the
// end comes as a message of its own, which says what it is.
func (b *background) takeMessages() []llm.Message {
	b.mu.Lock()
	ended := b.ended
	b.ended = nil
	b.mu.Unlock()
	if len(ended) == 0 {
		return nil
	}
	sortSlots(ended)
	var text strings.Builder
	text.WriteString(i18n.English("agent.background.ended", nil))
	var images []llm.Block
	for _, s := range ended {
		text.WriteString("\n\n" + s.asked.ID + " " + s.ident.Tool + ":")
		for _, block := range s.ended {
			if block.Type == llm.BlockImage {
				images = append(images, block)
			} else {
				text.WriteString("\n" + block.Text)
			}
		}
	}
	return []llm.Message{llm.UserMessage(text.String(), images...)}
}

// endBackground stops what still goes on when the loop is over, and waits until
// each has its result.
func (l *loop) endBackground(cancel context.CancelFunc) {
	cancel()
	for l.bg.running() > 0 {
		<-l.bg.wake
	}
}

func sortSlots(slots []*slot) {
	for i := range slots {
		for j := i; j > 0 && slots[j].ident.Seq < slots[j-1].ident.Seq; j-- {
			slots[j], slots[j-1] = slots[j-1], slots[j]
		}
	}
}
