package llmtest

import (
	"context"
	"fmt"
	"sync"

	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/price"
)

// Turn is one answer of a scripted model.
type Turn struct {
	// Blocks are the model's answer, calls and thinking included. They are streamed in small pieces.
	Blocks []llm.Block
	// Stop is the stop reason; empty stands for stop, or toolUse when there are calls.
	Stop llm.StopReason
	// Usage has the model's counts; zero counts something plausible.
	Usage price.Usage
	// Fail ends the turn with an error after the blocks.
	Fail *llm.Error
	// Events replaces all of the above: they are handed out as they are.
	Events []llm.Event
	// Hold stops the turn before its terminal event until the context of the request ends; the turn then fails as
	// cancelled. Held is closed when that point is reached, if it is set.
	Hold bool
	Held chan struct{}
	// Check looks at the request; its error ends the turn as an error of the script.
	Check func(llm.Request) error
	// Answer makes the turn out of the request, instead of the fields above.
	Answer func(llm.Request) Turn
}

// Say is a turn of text.
func Say(text string) Turn { return Turn{Blocks: []llm.Block{llm.Text(text)}} }

// Call is a turn with one tool call; arguments is JSON.
func Call(id, name, arguments string) Turn {
	return Turn{Blocks: []llm.Block{llm.Call(id, name, []byte(arguments))}}
}

// Reply is a turn of blocks.
func Reply(blocks ...llm.Block) Turn { return Turn{Blocks: blocks} }

// Fail is a turn that fails.
func Fail(err *llm.Error) Turn { return Turn{Fail: err} }

// Provider plays turns in order. A request beyond the last turn is answered with an error. It may be used by several
// goroutines.
type Provider struct {
	// Piece is the number of characters of a delta; 0 stands for 7.
	Piece int

	mu       sync.Mutex // guards what follows
	turns    []Turn
	requests []llm.Request
}

var _ llm.Provider = (*Provider)(nil)

// NewProvider makes a scripted model.
func NewProvider(turns ...Turn) *Provider { return &Provider{turns: turns} }

// Requests are the requests so far, in order.
func (p *Provider) Requests() []llm.Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]llm.Request(nil), p.requests...)
}

// Left is the number of turns that have not been played.
func (p *Provider) Left() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.turns)
}

// Stream plays the next turn.
func (p *Provider) Stream(ctx context.Context, r llm.Request) llm.Stream {
	p.mu.Lock()
	p.requests = append(p.requests, r)
	n := len(p.requests)
	turn := Fail(llm.NewError("llm.error.provider", "host", "the script", "detail", fmt.Sprintf("no turn for request %d", n)))
	if len(p.turns) > 0 {
		turn = p.turns[0]
		p.turns = p.turns[1:]
	}
	piece := p.Piece
	p.mu.Unlock()
	if turn.Answer != nil {
		turn = turn.Answer(r)
	}
	if turn.Check != nil {
		if err := turn.Check(r); err != nil {
			turn = Fail(llm.NewError("llm.error.provider", "host", "the script", "detail", err.Error()))
		}
	}
	return newScripted(ctx, n, r, turn, piece)
}

// scripted is a turn being played.
type scripted struct {
	ctx     context.Context
	cancel  context.CancelFunc
	queue   []llm.Event
	builder *llm.Builder
	turn    Turn
	held    bool
	over    bool
}

func newScripted(ctx context.Context, n int, r llm.Request, turn Turn, piece int) *scripted {
	s := &scripted{turn: turn}
	s.ctx, s.cancel = context.WithCancel(ctx)
	head := llm.Message{Dialect: "script", Model: r.Model}
	s.builder = llm.NewBuilder(head, func(e llm.Event) { s.queue = append(s.queue, e) })
	if turn.Events != nil {
		s.queue = append(s.queue, turn.Events...)
		return s
	}
	s.builder.Start(fmt.Sprintf("response_%d", n), r.Model)
	for _, block := range turn.Blocks {
		Play(s.builder, block, piece)
	}
	return s
}

// Play streams a block through a builder in pieces of some characters (0: 7).
func Play(b *llm.Builder, block llm.Block, piece int) {
	if piece <= 0 {
		piece = 7
	}
	text := block.Text
	switch block.Type {
	case llm.BlockThinking:
		text = block.Thinking
	case llm.BlockOpaque:
		b.Opaque(block.Kind, block.Raw)
		return
	case llm.BlockToolCall:
		text = string(block.Arguments)
		if text == "" {
			text = block.RawArguments
		}
	}
	head := block
	head.Text, head.Thinking = "", ""
	index := b.Open(head)
	for runes := []rune(text); len(runes) > 0; {
		n := min(piece, len(runes))
		b.Delta(index, string(runes[:n]))
		runes = runes[n:]
	}
	if block.ToolCall != nil && block.Incomplete {
		b.CloseCut(index)
	}
	b.Close(index)
}

func (s *scripted) Next() (llm.Event, bool) {
	for !s.over {
		if err := s.ctx.Err(); err != nil && s.turn.Events == nil && !s.builder.Ended() {
			s.builder.FailWith(err, "")
		}
		if len(s.queue) > 0 {
			e := s.queue[0]
			s.queue = s.queue[1:]
			s.over = e.Terminal()
			return e, true
		}
		if s.turn.Events != nil {
			return llm.Event{}, false
		}
		s.finish()
	}
	return llm.Event{}, false
}

func (s *scripted) finish() {
	if s.turn.Hold {
		if s.turn.Held != nil && !s.held {
			close(s.turn.Held)
		}
		s.held = true
		<-s.ctx.Done()
		s.builder.FailWith(s.ctx.Err(), "")
		return
	}
	usage := s.turn.Usage
	if usage == (price.Usage{}) {
		usage = price.Usage{Input: 100, Output: 10}
	}
	s.builder.Usage(usage)
	if s.turn.Fail != nil {
		s.builder.Fail(s.turn.Fail)
		return
	}
	stop := s.turn.Stop
	if stop == "" {
		stop = llm.StopStop
	}
	s.builder.Done(stop, string(stop))
}

// Close ends the turn.
func (s *scripted) Close() { s.cancel() }
