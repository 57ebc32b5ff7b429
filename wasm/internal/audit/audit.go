// Package audit keeps the run folder: what was asked, called, answered and
// told, so that a run can be reconstructed, verified and replayed
// (docs/design/store.md).
//
//	run.json       the plan, the policy and the approval, written before the first call
//	calls.jsonl    every ToolCall, before it is dispatched
//	results.jsonl  every ToolResult
//	events.jsonl   every ExecutionEvent
//	journal.jsonl, blobs/, end.json   package journal
//
// The lines are framed and chained by package record. Everything is redacted
// before it is encoded, except what the journal needs to restore notes. Strings
// over 512 bytes are kept by their hash and length; of written files the
// journal has the bytes under the same hash.
package audit

import (
	"context"
	"sync"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/record"
	"embedded-agent/wasm/internal/tool"
)

// The files of a run folder that this package writes.
const (
	RunFile     = "run.json"
	CallsFile   = "calls.jsonl"
	ResultsFile = "results.jsonl"
	EventsFile  = "events.jsonl"
)

// The files beside them that a run's end covers by their hash: its spans
// (package trace) and its conversations with a model (package agent).
const (
	TraceFile  = "trace.jsonl"
	BundleFile = "bundle.json"
)

// flushAt is how many bytes of records are gathered before they are appended:
// one append a call would cost more than the call.
const flushAt = 192 << 10

// Log writes one run's records. Its methods may be called from several
// goroutines; a failed append is reported by Flush.
type Log struct {
	store host.Store
	dir   string
	enc   encoder

	mu      sync.Mutex // guards what follows
	files   [3]file
	size    int
	writing bool
	idle    *sync.Cond
	err     error
	appends int
	doc     string // the etag of run.json
}

type file struct {
	name  string
	chain *record.Chain
	buf   []byte
}

const (
	calls = iota
	results
	events
)

// New starts the records of a run in dir. Redact (which may be nil) is applied
// to every string.
func New(store host.Store, dir string, redact func(string) string) *Log {
	l := &Log{store: store, dir: dir, enc: encoder{redact: redact}}
	l.idle = sync.NewCond(&l.mu)
	for i, name := range []string{CallsFile, ResultsFile, EventsFile} {
		l.files[i] = file{name: name, chain: record.New(name)}
	}
	return l
}

// WriteRun writes run.json. It is never rewritten: a torn rewrite would lose
// the plan.
func (l *Log) WriteRun(ctx context.Context, doc []byte) error {
	if err := l.store.Write(ctx, l.dir+"/"+RunFile, doc); err != nil {
		return fault.Store(err)
	}
	if err := host.Flush(ctx, l.store, l.dir+"/"+RunFile); err != nil {
		return fault.Store(err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.doc = host.Etag(doc)
	return nil
}

// Call records a call.
func (l *Log) Call(c *tool.Call) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.put(calls, l.enc.call(c))
}

// Result records a result.
func (l *Log) Result(_ *tool.Call, r *tool.Result) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.put(results, l.enc.result(r))
}

// Event records an event.
func (l *Log) Event(e *Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.put(events, l.enc.event(e))
}

// put frames a record; the lock is held.
func (l *Log) put(f int, rec []byte) {
	file := &l.files[f]
	before := len(file.buf)
	if file.buf == nil {
		file.buf = make([]byte, 0, flushAt/2)
	}
	file.buf = file.chain.Append(file.buf, rec)
	l.size += len(file.buf) - before
	if l.size >= flushAt && !l.writing && l.err == nil {
		l.writing = true
		go l.flush(context.Background())
	}
}

// flush appends what has gathered, in the background.
func (l *Log) flush(ctx context.Context) {
	for {
		l.mu.Lock()
		var out [3][]byte
		for i := range l.files {
			out[i], l.files[i].buf = l.files[i].buf, nil
		}
		l.size = 0
		l.mu.Unlock()
		err := l.write(ctx, out)
		l.mu.Lock()
		if err != nil && l.err == nil {
			l.err = err
		}
		if l.size < flushAt || l.err != nil {
			l.writing = false
			l.idle.Broadcast()
			l.mu.Unlock()
			return
		}
		l.mu.Unlock()
	}
}

func (l *Log) write(ctx context.Context, out [3][]byte) error {
	for i, data := range out {
		if len(data) == 0 {
			continue
		}
		l.appends++
		if err := l.store.Append(ctx, l.dir+"/"+l.files[i].name, data); err != nil {
			return fault.Store(err)
		}
	}
	return nil
}

// Flush makes every record so far durable.
func (l *Log) Flush(ctx context.Context) error {
	l.mu.Lock()
	for l.writing {
		l.idle.Wait()
	}
	l.writing = true
	l.mu.Unlock()
	l.flush(context.WithoutCancel(ctx))
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// Heads gives the last link of each file's chain, for the end record, and the
// number of records; of run.json the hash of its bytes, as one record. Files
// that hold nothing are left out.
func (l *Log) Heads() (heads map[string]string, counts map[string]int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	heads, counts = map[string]string{}, map[string]int{}
	if l.doc != "" {
		heads[RunFile], counts[RunFile] = l.doc, 1
	}
	for _, f := range l.files {
		if f.chain.Len() == 0 {
			continue
		}
		heads[f.name], counts[f.name] = f.chain.Head(), f.chain.Len()
	}
	return heads, counts
}

// Appends counts the store appends so far.
func (l *Log) Appends() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.appends
}
