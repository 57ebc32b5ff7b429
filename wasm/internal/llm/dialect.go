package llm

import (
	"bytes"
	"errors"

	"embedded-agent/wasm/internal/jsontree"
	"embedded-agent/wasm/internal/llm/sse"
	"embedded-agent/wasm/internal/web"
)

// Dialect is the language of an endpoint: a pure transform. It keeps no state between requests.
type Dialect interface {
	// Name is the dialect's name, as it stands in Message.Dialect.
	Name() string
	// Build makes the HTTP request. Its errors are *Error.
	Build(Endpoint, Request) (web.Request, error)
	// Parser makes the reader of the answer to a request; it reports to the builder.
	Parser(Endpoint, Request, *Builder) Parser
	// Models makes the request for the list of models; ParseModels reads its answer.
	Models(Endpoint) web.Request
}

// Parser reads the answer to one request, already cut into events. It reports to its Builder, which ignores what comes
// after the terminal event. Values are valid during the call only.
type Parser interface {
	// Event takes one event of a stream. typ is the type that its data or else its event line names.
	Event(typ string, v jsontree.Value)
	// Done takes the closing mark [DONE].
	Done()
	// Whole takes an answer that came in one piece.
	Whole(v jsontree.Value)
	// EOF tells that the bytes are over; a message that has not ended by then was cut off.
	EOF()
}

// LineParser is a Parser of answers that are one JSON object a line.
type LineParser interface {
	Parser
	Line(v jsontree.Value)
}

// Decoder turns the bytes of an answer into events. It finds out by itself whether the answer is a stream, one JSON text
// or a web page. However the bytes are cut, the events that come out tell the same.
type Decoder struct {
	b      *Builder
	p      Parser
	host   string
	mode   mode
	events sse.Parser
	tree   jsontree.Tree
	whole  []byte
	typ    string
	seen   bool
}

type mode uint8

const (
	modeUnknown mode = iota
	modeStream
	modeWhole
	modePage
)

// NewDecoder joins the parts; host names the endpoint in errors.
func NewDecoder(b *Builder, p Parser, host string) *Decoder {
	b.host = host
	return &Decoder{b: b, p: p, host: host}
}

// Decode makes the decoder of one answer. The events go to emit.
func Decode(d Dialect, e Endpoint, r Request, emit func(Event)) *Decoder {
	b := NewBuilder(Message{Dialect: d.Name(), Model: r.Model}, emit)
	return NewDecoder(b, d.Parser(e, r, b), e.Host())
}

// Push takes the next bytes.
func (d *Decoder) Push(chunk []byte) {
	if d.b.Ended() || len(chunk) == 0 {
		return
	}
	if d.mode == modeUnknown {
		chunk = append(d.whole, chunk...)
		d.whole = nil
		if d.mode = sniff(chunk); d.mode == modeUnknown {
			if len(chunk) < maxBlank {
				d.whole = chunk
				return
			}
			d.mode = modeStream
		}
	}
	switch d.mode {
	case modeStream:
		d.stop(d.events.Push(chunk, d.event))
	case modePage:
		d.b.Fail(NewError("llm.error.html", "host", d.host))
	case modeWhole:
		if len(d.whole)+len(chunk) > MaxMessage {
			d.stop(sse.ErrTooLarge)
			return
		}
		d.whole = append(d.whole, chunk...)
		if p, ok := d.p.(LineParser); ok {
			d.lines(p)
		}
	case modeUnknown:
	}
}

// lines hands on the lines that have come, and keeps the rest.
func (d *Decoder) lines(p LineParser) {
	for !d.b.Ended() {
		line, rest, found := bytes.Cut(d.whole, []byte{'\n'})
		if !found {
			return
		}
		d.whole = rest
		if line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))); len(line) == 0 {
			continue
		}
		if err := d.tree.Parse(line); err != nil {
			d.b.FailWith(err, d.host)
			return
		}
		p.Line(d.tree.Root())
	}
}

// maxBlank is how much empty space an answer may begin with and still turn out to be JSON, in bytes.
const maxBlank = 64 << 10

// sniff tells by the first bytes what the answer is.
func sniff(b []byte) mode {
	b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	b = bytes.TrimLeft(b, " \t\r\n")
	switch {
	case len(b) == 0 || (len(b) < 3 && b[0] == 0xef):
		return modeUnknown
	case b[0] == '{' || b[0] == '[':
		return modeWhole
	case b[0] == '<':
		return modePage
	}
	return modeStream
}

// End tells that the bytes are over.
func (d *Decoder) End() {
	if d.b.Ended() {
		return
	}
	if d.mode == modeWhole {
		d.endWhole()
		return
	}
	d.stop(d.events.End(true, d.lastEvent))
	if !d.seen {
		d.b.Fail(NewError("llm.error.empty", "host", d.host))
	}
	d.p.EOF()
	d.b.Fail(NewError("llm.error.cut", "host", d.host))
}

func (d *Decoder) endWhole() {
	if p, ok := d.p.(LineParser); ok {
		// The last line may have no end. One that is cut is no line.
		if last := bytes.TrimSpace(d.whole); len(last) > 0 && jsontree.Check(last) == nil {
			d.whole = append(last, '\n')
			d.lines(p)
		}
		d.b.Fail(NewError("llm.error.cut", "host", d.host))
		return
	}
	body := bytes.TrimPrefix(d.whole, []byte("\xef\xbb\xbf"))
	if err := d.tree.Parse(body); err != nil {
		var syntax *jsontree.SyntaxError
		if errors.As(err, &syntax) && syntax.Offset >= len(body) {
			d.b.Fail(NewError("llm.error.cut", "host", d.host))
			return
		}
		d.b.FailWith(err, d.host)
		return
	}
	d.p.Whole(d.tree.Root())
	d.b.Fail(NewError("llm.error.shape", "host", d.host, "detail", "the answer does not end"))
}

// Fail ends the stream with a failure from outside, such as a lost connection.
func (d *Decoder) Fail(err error) { d.b.FailWith(err, d.host) }

// Ended reports whether the terminal event is out.
func (d *Decoder) Ended() bool { return d.b.Ended() }

var errEnded = errors.New("ended")

func (d *Decoder) event(e sse.Event) error {
	if len(bytes.TrimSpace(e.Data)) == 0 {
		return nil
	}
	d.seen = true
	if e.IsDone() {
		d.p.Done()
	} else if e.Failed {
		d.b.Fail(failedLine(d.host, e.Data))
	} else if err := d.tree.Parse(e.Data); err != nil {
		return err
	} else {
		d.p.Event(d.typeOf(e), d.tree.Root())
	}
	if d.b.Ended() {
		return errEnded
	}
	return nil
}

// failedLine reads the words of a line "error: …": an error object or plain text.
func failedLine(host string, words []byte) *Error {
	if v, err := jsontree.Parse(words); err == nil && v.Kind() == jsontree.Object {
		return StreamError(host, v)
	}
	return NewError("llm.error.provider", "host", host, "detail", string(words))
}

// typeOf is the type of an event: what its data says, else its event line. The last one is kept, since a stream is many
// events of one type.
func (d *Decoder) typeOf(e sse.Event) string {
	typ := d.tree.Root().Get("type")
	switch {
	case typ.Exists() && typ.Is(d.typ):
	case typ.Exists():
		d.typ = typ.Str()
	case string(e.Type) != d.typ:
		d.typ = string(e.Type)
	}
	return d.typ
}

// lastEvent takes an event that no blank line ended. If it is not JSON the stream was cut inside of it.
func (d *Decoder) lastEvent(e sse.Event) error {
	if !e.IsDone() && !e.Failed && jsontree.Check(e.Data) != nil {
		d.seen = true
		return nil
	}
	return d.event(e)
}

func (d *Decoder) stop(err error) {
	switch {
	case err == nil || errors.Is(err, errEnded):
	case errors.Is(err, sse.ErrTooLarge):
		d.b.Fail(NewError("llm.error.tooLarge", "host", d.host, "detail", err.Error()))
	default:
		d.b.FailWith(err, d.host)
	}
}
