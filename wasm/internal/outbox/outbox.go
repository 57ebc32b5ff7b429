// Package outbox is how the core tells the panel: events in their order, and
// texts without what is to be hidden in them.
package outbox

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"embedded-agent/wasm/internal/audit"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/timestamp"
)

// Outbox hands events to the app's side in order. Those of calls and of progress are
// gathered for a moment, since a run makes thousands: a call that has begun and
// ended meanwhile is told once, and only the newest progress is told. So are the
// pieces of an answer, which come word by word: those of a moment are one event.
type Outbox struct {
	emit     func(protocol.Event)
	redactor atomic.Pointer[audit.Redactor]
	now      func() time.Time
	life     context.Context

	mu        sync.Mutex // guards what follows; emit is called under it
	calls     []func() *protocol.ExecutionEvent
	at        map[string]int // callId -> place in calls
	run       *protocol.Event
	pieces    []*piece
	streaming string // the turn whose first piece is told
	waiting   bool
}

// piece is text that streamed in, of one kind and turn.
type piece struct {
	kind protocol.EventType
	turn string
	text strings.Builder
}

// gather is how long events are gathered.
const gather = 60 * time.Millisecond

// maxGathered bounds what is gathered before it is told at once.
const maxGathered = 500

// New gives an outbox that hands events to emit, which must not block. Now is the
// clock of their times; what has gathered is told when life ends.
func New(life context.Context, emit func(protocol.Event), now func() time.Time) *Outbox {
	return &Outbox{emit: emit, now: now, life: life, at: map[string]int{}}
}

// Tell hands over an event now, after all that has gathered.
func (o *Outbox) Tell(e protocol.Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.flush()
	e.At = timestamp.Milli(o.now())
	o.emit(e)
}

// GatherProgress keeps how far something is for the next moment: the newest is told.
func (o *Outbox) GatherProgress(e *protocol.ExecutionEvent) {
	o.GatherExec("progress:"+e.StepID+":"+e.CallID, func() *protocol.ExecutionEvent { return e })
}

// GatherExec keeps a call's event for the next moment. It is made only when it
// is told: of a call that begins and ends within a moment, once.
func (o *Outbox) GatherExec(call string, event func() *protocol.ExecutionEvent) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if i, ok := o.at[call]; ok {
		o.calls[i] = event
	} else {
		o.at[call] = len(o.calls)
		o.calls = append(o.calls, event)
	}
	if len(o.calls) >= maxGathered {
		o.flush()
		return
	}
	o.later()
}

// GatherRun keeps a run's progress for the next moment.
func (o *Outbox) GatherRun(r protocol.RunState) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.run = &protocol.Event{Type: protocol.EventRunState, At: timestamp.Milli(o.now()), Run: &r}
	o.later()
}

// GatherText keeps a piece of an answer for the next moment. The first piece is
// told at once: that is what a person waits for.
func (o *Outbox) GatherText(kind protocol.EventType, turn, text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.streaming != turn {
		o.streaming = turn
		o.flush()
		o.emit(textEvent(timestamp.Milli(o.now()), kind, turn, text))
		return
	}
	last := len(o.pieces) - 1
	if last < 0 || o.pieces[last].kind != kind || o.pieces[last].turn != turn {
		o.pieces = append(o.pieces, &piece{kind: kind, turn: turn})
		last++
	}
	o.pieces[last].text.WriteString(text)
	o.later()
}

func textEvent(at string, kind protocol.EventType, turn, text string) protocol.Event {
	return protocol.Event{Type: kind, At: at, Delta: &protocol.Delta{Turn: turn, Text: text}}
}

// later sees to it that what is gathered is told soon. The lock is held.
func (o *Outbox) later() {
	if o.waiting {
		return
	}
	o.waiting = true
	go func() {
		t := time.NewTimer(gather)
		defer t.Stop()
		select {
		case <-t.C:
		case <-o.life.Done():
		}
		o.mu.Lock()
		defer o.mu.Unlock()
		o.waiting = false
		o.flush()
	}()
}

// flush tells what has gathered. The lock is held.
func (o *Outbox) flush() {
	for _, event := range o.calls {
		x := event()
		o.emit(protocol.Event{Type: protocol.EventExec, At: x.Timestamp, Exec: x})
	}
	clear(o.calls) // else they hold on to their runs, which are large
	o.calls = o.calls[:0]
	clear(o.at)
	for _, p := range o.pieces {
		o.emit(textEvent(timestamp.Milli(o.now()), p.kind, p.turn, p.text.String()))
	}
	o.pieces = nil
	if o.run != nil {
		o.emit(*o.run)
		o.run = nil
	}
}
