// Package sse reads and writes event streams (WHATWG HTML, section "Server-sent events"): UTF-8 lines ended by LF, CR or
// CRLF; a leading byte order mark is skipped; "field: value" lines; comment lines start with a colon; a blank line ends
// an event.
//
// The Parser is fed with bytes as they arrive, cut anywhere; what it reports does not depend on where they were cut. An
// event that lies whole in one chunk is reported without being copied.
package sse

import (
	"bytes"
	"errors"
	"strconv"
)

// Done is the data by which OpenAI-style streams say that nothing follows.
const Done = "[DONE]"

// DefaultMaxEvent is the largest event that a Parser takes unless told otherwise, in bytes.
const DefaultMaxEvent = 16 << 20

// ErrTooLarge reports an event or a line beyond the limit. The parser is of no use afterwards.
var ErrTooLarge = errors.New("the event is larger than the limit")

// Event is one event. Its slices are valid only until the function that they were handed to returns.
type Event struct {
	// Type is the value of the last event field, or empty ("message" in the standard).
	Type []byte
	// Data is the data lines joined by LF.
	Data []byte
	// Failed says that it came in lines "error: …" instead, which the standard has not: some servers have nothing else to
	// say that they fail.
	Failed bool
}

// IsDone reports whether the event is the closing mark of OpenAI-style streams.
func (e Event) IsDone() bool { return string(bytes.TrimSpace(e.Data)) == Done }

// Parser reads one stream. The zero Parser is ready.
type Parser struct {
	// MaxEvent limits one event and one line, in bytes; 0 stands for DefaultMaxEvent.
	MaxEvent int

	line   []byte // the start of a line that has not ended yet
	data   []byte // data lines of the event that has not ended yet
	own    bool   // data is the parser's own memory, not the caller's chunk
	store  []byte // memory for data
	typ    []byte
	has    bool // a data field was seen
	failed bool // an error field was
	skipLF bool
	head   int // bytes of the byte order mark seen; 3 once the start is past
	lastID string
	retry  int
}

// LastID is the value of the last id field.
func (p *Parser) LastID() string { return p.lastID }

// Retry is the reconnection time that the stream asked for, in milliseconds; 0 when it did not.
func (p *Parser) Retry() int { return p.retry }

// Push feeds bytes and calls emit for each event that they complete. An error of emit stops the parser and is returned;
// besides those there is only ErrTooLarge.
func (p *Parser) Push(chunk []byte, emit func(Event) error) error {
	chunk = p.skipMark(chunk)
	for len(chunk) > 0 {
		if p.skipLF {
			p.skipLF = false
			if chunk[0] == '\n' {
				chunk = chunk[1:]
				continue
			}
		}
		end := lineEnd(chunk)
		if end < 0 {
			break
		}
		if len(p.line)+end > p.limit() {
			return ErrTooLarge
		}
		line := chunk[:end]
		if len(p.line) > 0 {
			if err := p.hold(line); err != nil {
				return err
			}
			line = p.line
		}
		p.skipLF = chunk[end] == '\r'
		chunk = chunk[end+1:]
		err := p.take(line, emit)
		p.line = p.line[:0]
		if err != nil {
			return err
		}
	}
	p.keepData()
	return p.hold(chunk)
}

// End tells that the stream is over. The standard drops an event that no blank line ended; endpoints forget that line
// at the end of a stream, so with flush the last event is reported all the same. Its data may be cut off.
func (p *Parser) End(flush bool, emit func(Event) error) error {
	if !flush {
		p.line, p.data, p.typ, p.has = nil, nil, nil, false
		return nil
	}
	if p.head > 0 && p.head < 3 {
		p.line = append([]byte("\xef\xbb\xbf")[:p.head:p.head], p.line...)
	}
	line := p.line
	p.line = nil
	if len(line) > 0 {
		if err := p.take(line, emit); err != nil {
			return err
		}
	}
	return p.take(nil, emit)
}

// skipMark drops a byte order mark at the start of the stream, which may itself be cut.
func (p *Parser) skipMark(chunk []byte) []byte {
	const mark = "\xef\xbb\xbf"
	for p.head < 3 && len(chunk) > 0 {
		if chunk[0] != mark[p.head] {
			p.line = append(p.line, mark[:p.head]...)
			p.head = 3
			return chunk
		}
		p.head++
		chunk = chunk[1:]
	}
	return chunk
}

func lineEnd(b []byte) int {
	lf := bytes.IndexByte(b, '\n')
	head := b
	if lf >= 0 {
		head = b[:lf]
	}
	if cr := bytes.IndexByte(head, '\r'); cr >= 0 {
		return cr
	}
	return lf
}

func (p *Parser) limit() int {
	if p.MaxEvent > 0 {
		return p.MaxEvent
	}
	return DefaultMaxEvent
}

func (p *Parser) hold(b []byte) error {
	if len(p.line)+len(b) > p.limit() {
		return ErrTooLarge
	}
	p.line = append(p.line, b...)
	return nil
}

// keepData copies data that lies in the caller's chunk, which is about to go away.
func (p *Parser) keepData() {
	if p.has && !p.own {
		p.store = append(p.store[:0], p.data...)
		p.data, p.own = p.store, true
	}
}

func (p *Parser) take(line []byte, emit func(Event) error) error {
	if len(line) == 0 {
		return p.dispatch(emit)
	}
	name, value, found := bytes.Cut(line, []byte{':'})
	if found && len(name) == 0 {
		return nil
	}
	if len(value) > 0 && value[0] == ' ' {
		value = value[1:]
	}
	switch string(name) {
	case "data", "error":
		p.failed = p.failed || name[0] == 'e'
		return p.addData(value)
	case "event":
		p.typ = append(p.typ[:0], value...)
	case "id":
		if bytes.IndexByte(value, 0) < 0 {
			p.lastID = string(value)
		}
	case "retry":
		if n, err := strconv.ParseUint(string(value), 10, 31); err == nil {
			p.retry = int(n)
		}
	}
	return nil
}

func (p *Parser) addData(value []byte) error {
	if len(p.data)+len(value)+1 > p.limit() {
		return ErrTooLarge
	}
	switch {
	case p.has:
		p.keepData()
		p.data = append(append(p.data, '\n'), value...)
		p.store = p.data
	case len(p.line) > 0:
		// The line was put together in p.line, which the next line overwrites.
		p.store = append(p.store[:0], value...)
		p.data, p.own = p.store, true
	default:
		p.data, p.own = value, false
	}
	p.has = true
	return nil
}

func (p *Parser) dispatch(emit func(Event) error) error {
	event, has := Event{Type: p.typ, Data: p.data, Failed: p.failed}, p.has
	p.data, p.has, p.own, p.failed = nil, false, false, false
	defer func() { p.typ = p.typ[:0] }()
	if !has {
		return nil
	}
	return emit(event)
}
