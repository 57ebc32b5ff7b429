// Package trace records what a run did as OpenTelemetry spans, and writes them
// as OTLP/JSON (docs/design/invocation.md#bundles-and-traces; trace.jsonl of a run folder).
//
//	agent run ─┬─ policy check
//	           ├─ model call
//	           └─ tool call ── policy check
//
// Ids are derived, not drawn: the trace's from the runId, a span's from the
// runId and what it stands for (a tool call's span from its callId). So a span
// is found from a call and a call from a span, and the same run gives the same
// ids. Contents (prompts, arguments, results) stay out of spans unless the
// recorder was made with Contents.
package trace

import (
	"encoding/hex"
	"sync"
	"time"

	"embedded-agent/wasm/internal/digest"
)

// Kind is a span's kind, as OTLP numbers it.
type Kind int

// The kinds in use: work inside this program, and questions to another.
const (
	Internal Kind = 1
	Client   Kind = 3
)

// Attr is one attribute of a span. Value is a string, bool, int, int64, float64
// or []string.
type Attr struct {
	Key   string
	Value any
}

// TraceID gives the trace of a run: 32 hexadecimal digits.
func TraceID(runID string) string {
	sum := digest.Sum256([]byte("trace\x00" + runID))
	return hex.EncodeToString(sum[:16])
}

// SpanID gives the span of a run that stands for something: 16 hexadecimal
// digits. For a tool call, what is its callId.
func SpanID(runID, what string) string {
	sum := digest.Sum256([]byte("span\x00" + runID + "\x00" + what))
	return hex.EncodeToString(sum[:8])
}

// Recorder gathers the spans of one run. Its methods may be called from
// several goroutines. A nil Recorder records nothing.
type Recorder struct {
	runID   string
	version string
	redact  func(string) string

	mu    sync.Mutex // guards ended, and the spans
	ended []*Span
}

// Option changes a new Recorder.
type Option func(*Recorder)

// Redact passes every text of an attribute, and every message, through f.
func Redact(f func(string) string) Option { return func(r *Recorder) { r.redact = f } }

// Version names the program's version in every line.
func Version(v string) Option { return func(r *Recorder) { r.version = v } }

// New makes the recorder of a run.
func New(runID string, opts ...Option) *Recorder {
	r := &Recorder{runID: runID}
	for _, o := range opts {
		o(r)
	}
	return r
}

// Span is one piece of work. A nil Span takes everything and records nothing.
type Span struct {
	r      *Recorder
	id     string
	parent string
	name   string
	kind   Kind
	start  time.Time
	end    time.Time
	attrs  []Attr
	errTyp string
	errMsg string
	over   bool
}

// Start begins a span. What names it within the run (SpanID); parent is nil for
// the root.
func (r *Recorder) Start(parent *Span, what, name string, kind Kind, attrs ...Attr) *Span {
	if r == nil {
		return nil
	}
	s := &Span{r: r, id: SpanID(r.runID, what), name: name, kind: kind, start: time.Now(), attrs: attrs}
	if parent != nil {
		s.parent = parent.id
	}
	return s
}

// Ref stands for a span that was recorded elsewhere, as a parent.
func (r *Recorder) Ref(what string) *Span {
	if r == nil {
		return nil
	}
	return &Span{r: r, id: SpanID(r.runID, what), over: true}
}

// ID gives the span's id, "" of a nil Span.
func (s *Span) ID() string {
	if s == nil {
		return ""
	}
	return s.id
}

// Set adds attributes. It must not be called after End.
func (s *Span) Set(attrs ...Attr) {
	if s == nil {
		return
	}
	s.r.mu.Lock()
	defer s.r.mu.Unlock()
	if !s.over {
		s.attrs = append(s.attrs, attrs...)
	}
}

// Fail marks the span as failed: the type is one of the error codes, the
// message is English.
func (s *Span) Fail(errType, message string) {
	if s == nil {
		return
	}
	s.r.mu.Lock()
	defer s.r.mu.Unlock()
	if !s.over {
		s.errTyp, s.errMsg = errType, message
	}
}

// End ends the span. A second End does nothing.
func (s *Span) End() {
	if s == nil {
		return
	}
	s.r.mu.Lock()
	defer s.r.mu.Unlock()
	if s.over {
		return
	}
	s.over = true
	s.end = time.Now()
	s.r.ended = append(s.r.ended, s)
}

// Add records a span that was timed elsewhere.
func (r *Recorder) Add(s *Span, start, end time.Time) {
	if s == nil {
		return
	}
	s.End()
	r.mu.Lock()
	defer r.mu.Unlock()
	s.start, s.end = start, end
}

// Take gives the spans that have ended since the last Take as one line of
// trace.jsonl (a TracesData, with its line feed); nil when there are none.
func (r *Recorder) Take() []byte {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	spans := r.ended
	r.ended = nil
	r.mu.Unlock()
	if len(spans) == 0 {
		return nil
	}
	return r.line(spans)
}
