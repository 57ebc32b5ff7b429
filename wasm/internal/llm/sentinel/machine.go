package sentinel

import "strings"

const (
	// OpenTag opens a block and CloseTag closes it; both are matched to the byte.
	OpenTag  = "<tool_call>"
	CloseTag = "</tool_call>"

	// DefaultMaxBlock is the largest block in bytes, markers not counted: room for ten million bytes of arguments, escaped.
	DefaultMaxBlock = 32 << 20

	// maxHeldSpace bounds the white space that is held after a call until it is known whether another call follows.
	maxHeldSpace = 64 << 10
)

// EventKind says what an Event is.
type EventKind uint8

// The kinds of events.
const (
	EventText   EventKind = iota // Text is visible text
	EventCall                    // Call is a complete, checked call
	EventSpace                   // white space alone between two calls, dropped
	EventFailed                  // Err says why the stream failed in strict mode; nothing follows
)

// Event is one finding. Start and End are the half-open range of input bytes that it accounts for; the ranges of all events
// follow each other without a gap, and, unless the stream failed, cover the whole input.
type Event struct {
	Kind       EventKind
	Text       string
	Call       *Call
	Err        *CallError
	Start, End int64
}

// Options configure a Machine.
type Options struct {
	// Off switches the recogniser off (tool choice "none", or no tools): everything is text.
	Off bool
	// MaxBlock is the largest block in bytes; 0 means DefaultMaxBlock. A longer one is text (strict: a failure).
	MaxBlock int
}

// Stats counts what a Machine has seen.
type Stats struct {
	Input    int64 // bytes fed
	Text     int64 // bytes that came out as text
	Calls    int   // calls found
	Repaired int   // calls whose block had to be repaired
	Repairs  int   // repairs made, several per call possible
	Dropped  int64 // bytes of white space dropped between calls
	Rejected int   // blocks that hold no call and became text
	Warnings int   // calls that were let through although they do not fit their schema
}

type state uint8

const (
	stateText state = iota
	stateOpening
	statePeek // the marker is whole and a backquote stands before it: one more byte decides
	stateBody
	stateFailed
)

// Machine finds calls in a stream of text. Feed it chunks of any size, then Close it. It is not safe for concurrent use.
type Machine struct {
	reg  *Registry
	opts Options
	emit func(Event)

	state   state
	matched int  // bytes of the marker matched so far: OpenTag while opening, CloseTag in the body
	before  byte // the byte in front of the marker being opened
	last    byte // the last byte of the input so far
	inStr   bool
	escaped bool
	buf     []byte // the body of the open block

	afterCall bool   // only white space has come since the last call
	held      []byte // that white space

	pos   int64 // input bytes accounted for by events
	stats Stats
}

// New makes a machine for the tools of reg that hands its findings to emit, in order.
func New(reg *Registry, opts Options, emit func(Event)) *Machine {
	if opts.MaxBlock <= 0 {
		opts.MaxBlock = DefaultMaxBlock
	}
	return &Machine{reg: reg, opts: opts, emit: emit}
}

// Stats returns the counts so far.
func (m *Machine) Stats() Stats { return m.stats }

// Feed takes the next chunk of the stream. Text is handed on as soon as it cannot be part of a marker.
func (m *Machine) Feed(s string) {
	if len(s) == 0 {
		return
	}
	m.stats.Input += int64(len(s))
	if m.opts.Off {
		m.text(s)
		return
	}
	i, from := 0, 0 // s[from:i] is text that was not handed on yet
	for i < len(s) {
		switch m.state {
		case stateText:
			j := strings.IndexByte(s[i:], '<')
			if j < 0 {
				i = len(s)
				continue
			}
			i += j
			m.before = m.last
			if i > 0 {
				m.before = s[i-1]
			}
			m.matched, m.state = 1, stateOpening
			i++
		case stateOpening:
			i, from = m.opening(s, i, from)
		case statePeek:
			i, from = m.peek(s, i, from)
		case stateBody:
			i = m.body(s, i)
			from = i
		case stateFailed:
			return
		}
	}
	switch m.state {
	case stateText:
		m.text(s[from:])
	case stateOpening, statePeek:
		if end := len(s) - m.matched; end > from {
			m.text(s[from:end])
		}
	case stateBody, stateFailed:
	}
	m.last = s[len(s)-1]
}

// opening matches the rest of the opening marker from s[i]. The marker began at i-m.matched, which is before s when negative.
func (m *Machine) opening(s string, i, from int) (next, newFrom int) {
	for i < len(s) && m.matched < len(OpenTag) && s[i] == OpenTag[m.matched] {
		m.matched++
		i++
	}
	switch {
	case m.matched == len(OpenTag) && m.before == '`':
		m.state = statePeek
	case m.matched == len(OpenTag):
		from = m.open(s, i, from)
	case i < len(s):
		from = m.notOpen(i, from)
	}
	return i, from
}

// peek looks at the byte behind a marker that follows a backquote.
func (m *Machine) peek(s string, i, from int) (next, newFrom int) {
	if s[i] == '`' {
		return i, m.notOpen(i, from)
	}
	return i, m.open(s, i, from)
}

// notOpen gives back the part of a marker that was held from an earlier chunk: it was text after all.
func (m *Machine) notOpen(i, from int) int {
	if carried := m.matched - i; carried > 0 {
		m.text(OpenTag[:carried])
	}
	m.matched, m.state = 0, stateText
	return from
}

// open hands on the text before the marker that ends at s[i] and begins a block.
func (m *Machine) open(s string, i, from int) int {
	if end := i - m.matched; end > from {
		m.text(s[from:end])
	}
	m.matched, m.state = 0, stateBody
	m.inStr, m.escaped = false, false
	m.buf = m.buf[:0]
	return i
}

// body takes bytes of the open block from s[i] and returns the index behind the last one taken.
func (m *Machine) body(s string, i int) int {
	limit := min(len(s), i+m.opts.MaxBlock+len(CloseTag)-len(m.buf))
	end, closed := m.scanBody(s[:limit], i)
	m.buf = append(m.buf, s[i:end]...)
	switch {
	case closed:
		m.decide(string(m.buf[:len(m.buf)-len(CloseTag)]))
	case len(m.buf) >= m.opts.MaxBlock+len(CloseTag):
		m.reject(&CallError{Reason: ReasonTooLong}, OpenTag+string(m.buf))
	default:
		return end
	}
	if m.state == stateBody {
		m.state = stateText
	}
	if cap(m.buf) > 1<<20 {
		m.buf = nil // a rare giant must not pin its memory for the rest of the stream
	}
	return end
}

// scanBody advances over s[i:] until the closing marker is complete or s ends.
func (m *Machine) scanBody(s string, i int) (end int, closed bool) {
	for i < len(s) {
		switch {
		case m.escaped:
			m.escaped = false
			i++
		case m.inStr:
			for i < len(s) && s[i] != '"' && s[i] != '\\' {
				i++
			}
			if i < len(s) {
				m.escaped, m.inStr = s[i] == '\\', s[i] == '\\'
				i++
			}
		case m.matched > 0:
			for i < len(s) && m.matched < len(CloseTag) && s[i] == CloseTag[m.matched] {
				m.matched++
				i++
			}
			if m.matched == len(CloseTag) {
				m.matched = 0
				return i, true
			}
			if i < len(s) {
				m.matched = 0
			}
		default:
			for i < len(s) && s[i] != '"' && s[i] != '<' {
				i++
			}
			if i < len(s) {
				m.inStr = s[i] == '"'
				if !m.inStr {
					m.matched = 1
				}
				i++
			}
		}
	}
	return i, false
}

// decide turns a closed block into a call, into text, or into a failure.
func (m *Machine) decide(block string) {
	call, err := m.reg.decode(block)
	if err != nil {
		m.reject(err, OpenTag+block+CloseTag)
		return
	}
	m.dropHeld()
	m.stats.Calls++
	m.stats.Repairs += len(call.Repairs)
	if len(call.Repairs) > 0 {
		m.stats.Repaired++
	}
	if call.Warning != "" {
		m.stats.Warnings++
	}
	m.send(Event{Kind: EventCall, Call: call}, len(OpenTag)+len(block)+len(CloseTag))
	m.afterCall = true
}

// reject makes text of a block that holds no call, or fails the stream where that is strict.
func (m *Machine) reject(err *CallError, raw string) {
	m.matched = 0
	if m.reg.strictFor(err.Tool) {
		m.releaseHeld()
		m.send(Event{Kind: EventFailed, Err: err}, len(raw))
		m.state = stateFailed
		return
	}
	m.stats.Rejected++
	m.state = stateText
	m.text(raw)
}

// Close ends the stream: what is still held comes out as text, and a block that was never closed fails a strict stream.
func (m *Machine) Close() {
	switch m.state {
	case stateOpening:
		m.text(OpenTag[:m.matched])
	case statePeek:
		m.reject(&CallError{Reason: ReasonUnclosed}, OpenTag)
	case stateBody:
		m.reject(&CallError{Reason: ReasonUnclosed}, OpenTag+string(m.buf))
	case stateText, stateFailed:
	}
	if m.state != stateFailed {
		m.releaseHeld()
		m.state = stateText
	}
	m.matched, m.buf, m.afterCall = 0, nil, false
}

// text hands on visible text; white space behind a call is held until it is known what follows.
func (m *Machine) text(s string) {
	if len(s) == 0 {
		return
	}
	if m.afterCall {
		if len(m.held)+len(s) <= maxHeldSpace && strings.Trim(s, " \t\r\n") == "" {
			m.held = append(m.held, s...)
			return
		}
		s = string(m.held) + s
		m.held, m.afterCall = m.held[:0], false
	}
	m.sendText(s)
}

func (m *Machine) sendText(s string) {
	m.stats.Text += int64(len(s))
	m.send(Event{Kind: EventText, Text: s}, len(s))
}

func (m *Machine) releaseHeld() {
	if len(m.held) > 0 {
		m.sendText(string(m.held))
		m.held = m.held[:0]
	}
}

func (m *Machine) dropHeld() {
	if len(m.held) > 0 {
		n := len(m.held)
		m.stats.Dropped += int64(n)
		m.held = m.held[:0]
		m.send(Event{Kind: EventSpace}, n)
	}
}

func (m *Machine) send(e Event, n int) {
	e.Start, e.End = m.pos, m.pos+int64(n)
	m.pos = e.End
	m.emit(e)
}
