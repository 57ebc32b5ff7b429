package server

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"embedded-agent/wasm/internal/agent"
	"embedded-agent/wasm/internal/audit"
	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/runner"
	"embedded-agent/wasm/internal/sorting"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/trace"
)

// What was traced is kept in the run folder; of a turn that led to no run, in a
// folder of its own with the attachments of its calls.
const (
	traceFile    = audit.TraceFile
	bundleFile   = audit.BundleFile
	tracesFolder = "traces"
	attachFolder = "attachments"
	// maxTraces is how many turns without a run are kept.
	maxTraces = 50
	// maxSpans is how many calls of a plan have their span written down. Those of
	// a larger run are made of its calls and results when they are asked for.
	maxSpans = 500
)

// tracesURL opens a run in the app.
func tracesURL(run string) string { return "obsidian://embedded-agent?run=" + run }

// tracing records one run, from the instruction to its end: its spans, and the
// conversations with a model that belong to it. A nil tracing records nothing.
type tracing struct {
	s            *Server
	id           string
	conversation string
	rec          *trace.Recorder
	root         *trace.Span

	mu      sync.Mutex
	lines   []byte
	bundles []*agent.Bundle
}

// newTracing begins the trace of a run.
func (s *Server) newTracing(id, conversation string) *tracing {
	rec := trace.New(id, trace.Version(Version), trace.Redact(s.out.Redact))
	return &tracing{s: s, id: id, conversation: conversation, rec: rec, root: rec.StartRun(conversation)}
}

func (t *tracing) recorder() *trace.Recorder {
	if t == nil {
		return nil
	}
	return t.rec
}

func (t *tracing) top() *trace.Span {
	if t == nil {
		return nil
	}
	return t.root
}

// keep notes a conversation; of a step that was asked again, the last one.
func (t *tracing) keep(b *agent.Bundle) {
	if t == nil || b == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if b.StepID != agentStep {
		t.bundles = slices.DeleteFunc(t.bundles, func(o *agent.Bundle) bool { return o.StepID == b.StepID })
	}
	t.bundles = append(t.bundles, b)
}

// agentStep is the step of a conversation's own bundle.
const agentStep = "agent"

// text gives all spans so far, as lines of OTLP/JSON.
func (t *tracing) text() []byte {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines = append(t.lines, t.rec.Take()...)
	return slices.Clone(t.lines)
}

// bundleDocument is bundle.json: the conversations with a model of one run.
type bundleDocument struct {
	Version      int             `json:"version"`
	Run          string          `json:"run"`
	Conversation string          `json:"conversation,omitempty"`
	Bundles      []*agent.Bundle `json:"bundles"`
}

// document gives the conversations as they may be kept; nil when there are none.
func (t *tracing) document(ctx context.Context) ([]byte, error) {
	t.mu.Lock()
	bundles := slices.Clone(t.bundles)
	t.mu.Unlock()
	if len(bundles) == 0 {
		return nil, nil
	}
	d := bundleDocument{Version: 1, Run: t.id, Conversation: t.conversation}
	for _, b := range bundles {
		clean, err := b.Redacted(ctx, t.s.out.Redact, t.s.registry)
		if err != nil {
			return nil, err
		}
		d.Bundles = append(d.Bundles, clean)
	}
	return canon.Encode(d)
}

// write puts the trace and the conversations into a folder of the store, and
// gives the etags of the files.
func (t *tracing) write(ctx context.Context, dir string) (map[string]string, error) {
	doc, err := t.document(ctx)
	if err != nil {
		return nil, err
	}
	etags := map[string]string{}
	for file, data := range map[string][]byte{traceFile: t.text(), bundleFile: doc} {
		if len(data) == 0 {
			continue
		}
		if err := t.s.host.Store.Write(ctx, dir+"/"+file, data); err != nil {
			_ = t.s.host.Store.Remove(ctx, dir+"/"+file) // what is torn would not verify
			return etags, err
		}
		etags[file] = host.Etag(data)
	}
	return etags, nil
}

func turnDir(id string) string { return tracesFolder + "/" + id }

// attach keeps a payload beside a turn's trace (agent.Store).
func (t *tracing) attach(ctx context.Context, name, _ string, data []byte) (string, error) {
	clean := []byte(t.s.out.Redact(string(data)))
	if err := t.s.host.Store.Write(ctx, turnDir(t.id)+"/"+attachFolder+"/"+name, clean); err != nil {
		return "", err
	}
	return tracesURL(t.id) + "&file=" + name, nil
}

// store gives where payloads are kept; nil where nothing is traced.
func (t *tracing) store() agent.Store {
	if t == nil {
		return nil
	}
	return t.attach
}

// keepTrace writes what a turn left, and makes room.
func (s *Server) keepTrace(ctx context.Context, t *tracing) error {
	if _, err := t.write(ctx, turnDir(t.id)); err != nil {
		return err
	}
	entries, err := s.host.Store.List(ctx, tracesFolder)
	if err != nil {
		return err
	}
	sorting.Func(entries, func(a, b host.Info) int { return strings.Compare(a.Path, b.Path) })
	for len(entries) > maxTraces {
		if err := s.host.Store.Remove(ctx, entries[0].Path); err != nil {
			return err
		}
		entries = entries[1:]
	}
	return nil
}

// traced writes what a run that has ended leaves beside its records: the last
// values of its pins, its trace, its conversations.
func (x *execution) traced(ctx context.Context, rep *runner.Report, outcome string) {
	var err error
	if outcome == "ok" {
		err = x.s.pins.Keep(ctx, x.se.pins)
	}
	if t := x.se.trace; t != nil && err == nil && x.log != nil && x.jw != nil {
		x.spans(rep, outcome)
		t.root.End()
		if x.beside, err = t.write(ctx, runDir(x.se.id)); err == nil {
			err = x.s.adopt(ctx, x.se.id)
		}
	}
	if err != nil {
		x.s.out.Notice("warn", "notice.historyNotKept", nil, x.se.id)
	}
}

// spans records the run's own span and those of its calls.
func (x *execution) spans(rep *runner.Report, outcome string) {
	rec := x.se.trace.recorder()
	end := time.Now()
	run := rec.StartPlan(x.se.trace.top(), "", len(x.se.graph.Nodes))
	run.Set(trace.Attr{Key: "embedded_agent.run.outcome", Value: outcome})
	n := 0
	if rep != nil {
		for _, st := range rep.Steps {
			for _, r := range st.Results {
				if r == nil || r.Status == tool.Skipped {
					continue
				}
				if n++; n <= maxSpans {
					callSpan(rec, run, r)
				}
			}
		}
	}
	run.Set(trace.Attr{Key: "embedded_agent.run.calls", Value: n})
	if outcome != "ok" {
		run.Fail(outcome, "The run ended as "+outcome+".")
	}
	rec.Add(run, x.beganAt, end)
}

func callSpan(rec *trace.Recorder, parent *trace.Span, r *tool.Result) {
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

// adopt moves the attachments of the turn that a run came from into its folder.
func (s *Server) adopt(ctx context.Context, id string) error {
	dir := turnDir(id)
	entries, err := s.host.Store.List(ctx, dir+"/"+attachFolder)
	if err != nil {
		return err
	}
	for _, e := range entries {
		data, err := s.host.Store.Read(ctx, e.Path)
		if err != nil {
			return err
		}
		if err := s.host.Store.Write(ctx, runDir(id)+strings.TrimPrefix(e.Path, dir), data); err != nil {
			return err
		}
	}
	return s.host.Store.Remove(ctx, dir)
}
