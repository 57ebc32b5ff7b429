package llmtest

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"

	"embedded-agent/wasm/internal/web"
)

// Answer is one scripted HTTP answer.
type Answer struct {
	// Status is 200 when 0.
	Status int
	// Header has lower-case names.
	Header map[string]string
	Body   []byte
	// Chunk is the number of bytes of a read; 0 gives the body at once.
	Chunk int
	// Refuse fails the request before an answer begins.
	Refuse error
	// CutAfter breaks the connection after so many bytes of the body, with CutWith (io.ErrUnexpectedEOF when nil). A
	// negative number breaks it before the first byte.
	CutAfter int
	CutWith  error
	// Hang leaves the answer open after the body (or after CutAfter) until the context ends.
	Hang bool
	// Buffered says that the host could not stream the answer (web.Buffered).
	Buffered bool
}

// Transport gives scripted answers in order and keeps the requests. It may be used by several goroutines.
type Transport struct {
	mu       sync.Mutex // guards what follows
	answers  []Answer
	requests []web.Request
	closed   int
}

var _ web.Transport = (*Transport)(nil)

// NewTransport makes a transport out of answers.
func NewTransport(answers ...Answer) *Transport { return &Transport{answers: answers} }

// Requests are the requests so far.
func (t *Transport) Requests() []web.Request {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]web.Request(nil), t.requests...)
}

// Closed is the number of answers that were closed.
func (t *Transport) Closed() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.closed
}

// Do gives the next answer. Beyond the last one it fails.
func (t *Transport) Do(ctx context.Context, r web.Request) (web.Response, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	t.requests = append(t.requests, r)
	if len(t.answers) == 0 {
		return nil, fmt.Errorf("the script has no answer to request %d", len(t.requests))
	}
	a := t.answers[0]
	t.answers = t.answers[1:]
	if a.Refuse != nil {
		return nil, a.Refuse
	}
	return &answering{t: t, a: a}, nil
}

// answering is an answer being read.
type answering struct {
	t      *Transport
	a      Answer
	at     int
	closed bool
}

func (r *answering) Status() int {
	if r.a.Status == 0 {
		return 200
	}
	return r.a.Status
}

// Buffered says whether the answer could not be streamed.
func (r *answering) Buffered() bool { return r.a.Buffered }

func (r *answering) Header(name string) string { return r.a.Header[strings.ToLower(name)] }

func (r *answering) Read(ctx context.Context) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	end := len(r.a.Body)
	if r.a.CutAfter != 0 {
		end = min(end, max(r.a.CutAfter, 0))
	}
	if r.at < end {
		from := r.at
		r.at = end
		if r.a.Chunk > 0 {
			r.at = min(end, from+r.a.Chunk)
		}
		return r.a.Body[from:r.at], nil
	}
	switch {
	case r.a.Hang:
		<-ctx.Done()
		return nil, ctx.Err()
	case r.a.CutAfter != 0 && r.a.CutWith != nil:
		return nil, r.a.CutWith
	case r.a.CutAfter != 0:
		return nil, io.ErrUnexpectedEOF
	}
	return nil, io.EOF
}

func (r *answering) Close() {
	if r.closed {
		return
	}
	r.closed = true
	r.t.mu.Lock()
	defer r.t.mu.Unlock()
	r.t.closed++
}
