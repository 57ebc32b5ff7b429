package history

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"embedded-agent/wasm/internal/audit"
	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/shorten"
	"embedded-agent/wasm/internal/sorting"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/trace"
	"embedded-agent/wasm/internal/version"
)

// What was traced is kept in the run folder; of a turn that led to no run, in a
// folder of its own with the attachments of its calls.
const (
	TraceFile    = audit.TraceFile
	BundleFile   = audit.BundleFile
	TracesFolder = "traces"
	AttachFolder = "attachments"
	// MaxTraces is how many turns without a run are kept.
	MaxTraces = 50
	// MaxSpans is how many calls of a plan have their span written down. Those of
	// a larger run are made of its calls and results when they are asked for.
	MaxSpans = 100
)

// TracesURL opens a run in the app.
func TracesURL(run string) string { return "obsidian://embedded-agent?run=" + run }

// Tracing records one run, from the instruction to its end: its spans, and the
// conversations with a model that belong to it. A nil tracing records nothing.
type Tracing struct {
	h            *History
	id           string
	conversation string
	Rec          *trace.Recorder
	Root         *trace.Span

	mu      sync.Mutex // guards what follows
	lines   []byte
	bundles []Recording
}

// Recording is a conversation with a model, as it was recorded. It is kept, and
// never read here.
type Recording struct {
	// Step is the plan's step that the model was asked for; AgentStep for a
	// conversation of its own.
	Step string
	// Redacted gives it as JSON, with every text passed through redact.
	Redacted func(ctx context.Context, redact func(string) string) (json.RawMessage, error)
}

// Trace begins the trace of a run.
func (h *History) Trace(id, conversation string) *Tracing {
	rec := trace.New(id, trace.Version(version.Core), trace.Redact(h.deps.Out.Redact))
	return &Tracing{h: h, id: id, conversation: conversation, Rec: rec, Root: rec.StartRun(conversation)}
}

// Recorder gives what spans are recorded with; nil where nothing is traced.
func (t *Tracing) Recorder() *trace.Recorder {
	if t == nil {
		return nil
	}
	return t.Rec
}

// Top gives the span that all others belong to; nil where nothing is traced.
func (t *Tracing) Top() *trace.Span {
	if t == nil {
		return nil
	}
	return t.Root
}

// Keep notes a conversation; of a step that was asked again, the last one.
func (t *Tracing) Keep(r Recording) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if r.Step != AgentStep {
		t.bundles = slices.DeleteFunc(t.bundles, func(o Recording) bool { return o.Step == r.Step })
	}
	t.bundles = append(t.bundles, r)
}

// AgentStep is the step of a conversation's own bundle.
const AgentStep = "agent"

// text gives all spans so far, as lines of OTLP/JSON.
func (t *Tracing) text() []byte {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines = append(t.lines, t.Rec.Take()...)
	return slices.Clone(t.lines)
}

// BundleVersion is the version of bundle.json, and of what an export gives.
const BundleVersion = 1

// bundleDocument is bundle.json: the conversations with a model of one run.
type bundleDocument struct {
	Version      int               `json:"version"`
	Run          string            `json:"run"`
	Conversation string            `json:"conversation,omitempty"`
	Bundles      []json.RawMessage `json:"bundles"`
}

// document gives the conversations as they may be kept; nil when there are none.
func (t *Tracing) document(ctx context.Context) ([]byte, error) {
	t.mu.Lock()
	bundles := slices.Clone(t.bundles)
	t.mu.Unlock()
	if len(bundles) == 0 {
		return nil, nil
	}
	d := bundleDocument{Version: BundleVersion, Run: t.id, Conversation: t.conversation}
	for _, b := range bundles {
		clean, err := b.Redacted(ctx, t.h.deps.Out.Redact)
		if err != nil {
			return nil, err
		}
		d.Bundles = append(d.Bundles, clean)
	}
	return canon.Encode(d)
}

// Write puts the trace and the conversations into a folder of the store, and
// gives the etags of the files.
func (t *Tracing) Write(ctx context.Context, dir string) (map[string]string, error) {
	doc, err := t.document(ctx)
	if err != nil {
		return nil, err
	}
	etags := map[string]string{}
	for file, data := range map[string][]byte{TraceFile: t.text(), BundleFile: doc} {
		if len(data) == 0 {
			continue
		}
		if err := t.h.deps.Store.Write(ctx, dir+"/"+file, data); err != nil {
			_ = t.h.deps.Store.Remove(ctx, dir+"/"+file) // what is torn would not verify
			return etags, err
		}
		etags[file] = host.Etag(data)
	}
	return etags, nil
}

// TurnDir gives the folder of a turn's trace in the store.
func TurnDir(id string) string { return TracesFolder + "/" + id }

// Attach keeps a payload beside a turn's trace (shorten.Store).
func (t *Tracing) Attach(ctx context.Context, name, _ string, data []byte) (string, error) {
	clean := []byte(t.h.deps.Out.Redact(string(data)))
	if err := t.h.deps.Store.Write(ctx, TurnDir(t.id)+"/"+AttachFolder+"/"+name, clean); err != nil {
		return "", err
	}
	return TracesURL(t.id) + "&file=" + name, nil
}

// Store gives where payloads are kept; nil where nothing is traced.
func (t *Tracing) Store() shorten.Store {
	if t == nil {
		return nil
	}
	return t.Attach
}

// KeepTrace writes what a turn left, and makes room.
func (h *History) KeepTrace(ctx context.Context, t *Tracing) error {
	if _, err := t.Write(ctx, TurnDir(t.id)); err != nil {
		return err
	}
	entries, err := h.deps.Store.List(ctx, TracesFolder)
	if err != nil {
		return err
	}
	sorting.Func(entries, func(a, b host.Info) int { return strings.Compare(a.Path, b.Path) })
	for len(entries) > MaxTraces {
		if err := h.deps.Store.Remove(ctx, entries[0].Path); err != nil {
			return err
		}
		entries = entries[1:]
	}
	return nil
}

// CallSpan records a call that has ended as a span of its own.
func CallSpan(rec *trace.Recorder, parent *trace.Span, r *tool.Result) {
	s := rec.StartTool(parent, trace.ToolCall{
		CallID: r.CallID, LogicalID: r.LogicalID, Tool: r.Tool, Version: r.Version, Attempt: r.Attempt, Step: r.StepID,
	})
	s.Set(trace.Attr{Key: "embedded_agent.call.cached", Value: r.Cached}, trace.Attr{Key: "embedded_agent.secret.scope", Value: r.SecretScope})
	if r.Error != nil {
		s.Fail(string(r.Error.Code), r.Error.Message)
	}
	began, err := time.Parse(time.RFC3339, r.StartedAt)
	ended, err2 := time.Parse(time.RFC3339, r.EndedAt)
	if err != nil || err2 != nil {
		return
	}
	rec.Add(s, began, ended)
}

// Adopt moves the attachments of the turn that a run came from into its folder.
func (h *History) Adopt(ctx context.Context, id string) error {
	dir := TurnDir(id)
	entries, err := h.deps.Store.List(ctx, dir+"/"+AttachFolder)
	if err != nil {
		return err
	}
	for _, e := range entries {
		data, err := h.deps.Store.Read(ctx, e.Path)
		if err != nil {
			return err
		}
		if err := h.deps.Store.Write(ctx, Dir(id)+strings.TrimPrefix(e.Path, dir), data); err != nil {
			return err
		}
	}
	return h.deps.Store.Remove(ctx, dir)
}
