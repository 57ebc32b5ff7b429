package jsbridge

import (
	"encoding/json"
	"runtime"

	"embedded-agent/wasm/internal/protocol"
)

// told is the events that are ready to cross together, as JSON with commas
// between them.
type told struct {
	payload []byte
	kind    string
	count   int
}

// The method of an envelope that holds a list of events, and how large one may
// become.
const (
	manyEvents   = "events"
	maxEventsLen = 64 << 10
)

// Emit sends an event. Events arrive in the order of their Emits, and in order
// with the responses sent before and after them. Those that are emitted without
// a pause cross in one message: its payload is a list of them, and its id the
// number of the last.
func (c *Conn) Emit(e protocol.Event) {
	payload, err := json.Marshal(e)
	if err != nil { // only numbers that JSON cannot express: a defect of the sender
		panic("jsbridge: event " + string(e.Type) + ": " + err.Error())
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.events++
	t := &c.told
	if t.count > 0 {
		t.payload = append(t.payload, ',')
	} else {
		go c.soon()
	}
	t.payload = append(t.payload, payload...)
	t.count++
	t.kind = string(e.Type)
	if len(t.payload) > maxEventsLen {
		c.flushEvents()
	}
}

// soon sends the events once whatever else is ready to run has had its turn.
func (c *Conn) soon() {
	runtime.Gosched()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.flushEvents()
}

// flushEvents sends what there is of events. The lock is held.
func (c *Conn) flushEvents() {
	t := &c.told
	switch t.count {
	case 0:
		return
	case 1:
		c.port.Send(protocol.Envelope{ID: c.events, Kind: protocol.KindEvent, Method: t.kind, Payload: string(t.payload)})
	default:
		c.port.Send(protocol.Envelope{
			ID: c.events, Kind: protocol.KindEvent, Method: manyEvents, Payload: "[" + string(t.payload) + "]",
		})
	}
	*t = told{payload: t.payload[:0]}
}
