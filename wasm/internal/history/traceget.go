package history

import (
	"context"
	"slices"
	"time"

	"embedded-agent/wasm/internal/audit"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/ids"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/sorting"
	"embedded-agent/wasm/internal/trace"
	"embedded-agent/wasm/internal/version"
)

// TraceGet gives a run's trace.
func (h *History) TraceGet(ctx context.Context, p protocol.RunRef) (protocol.Trace, error) {
	lines, err := h.traceLines(ctx, p.Run)
	if err != nil {
		return protocol.Trace{}, err
	}
	entries, err := trace.Read(lines)
	if err != nil {
		return protocol.Trace{}, err
	}
	more, err := h.callsAsSpans(ctx, p.Run, entries)
	if err != nil {
		return protocol.Trace{}, err
	}
	if len(more) > 0 {
		lines = append(lines, more...)
		if entries, err = trace.Read(lines); err != nil {
			return protocol.Trace{}, err
		}
	}
	if len(entries) == 0 {
		return protocol.Trace{}, fault.New(fault.NotFound, "error.run.missing", nil)
	}
	out := protocol.Trace{Spans: spanViews(entries), OTLP: string(lines)}
	if i := slices.IndexFunc(entries, func(e trace.Entry) bool { return e.Conversation != "" }); i >= 0 {
		out.Conversation = entries[i].Conversation
	}
	return out, nil
}

// traceLines finds what was written down of a run's trace.
func (h *History) traceLines(ctx context.Context, run string) ([]byte, error) {
	if err := ids.CheckRun(run); err != nil {
		return nil, err
	}
	if live := h.deps.Live(run); live != nil {
		return live.text(), nil
	}
	for _, dir := range []string{Dir(run), TurnDir(run)} {
		lines, err := h.deps.Store.Read(ctx, dir+"/"+TraceFile)
		if err == nil || !fault.Is(err, fault.NotFound) {
			return lines, err
		}
	}
	return nil, nil
}

// callsAsSpans makes spans of the recorded calls that the trace does not have.
func (h *History) callsAsSpans(ctx context.Context, run string, have []trace.Entry) ([]byte, error) {
	pairs, err := audit.ReadCalls(ctx, h.deps.Store, Dir(run))
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for _, e := range have {
		known[e.CallID] = true
	}
	rec := trace.New(run, trace.Version(version.Core), trace.Redact(h.deps.Out.Redact))
	for _, p := range pairs {
		if p.Result != nil && !known[p.Call.CallID] {
			CallSpan(rec, rec.Ref("plan"), p.Result)
		}
	}
	return rec.Take(), nil
}

func spanViews(entries []trace.Entry) []protocol.Span {
	first := entries[0].Start
	for _, e := range entries {
		if e.Start.Before(first) {
			first = e.Start
		}
	}
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	out := make([]protocol.Span, len(entries))
	for i, e := range entries {
		out[i] = protocol.Span{
			ID: e.ID, Parent: e.Parent, Name: e.Name, Kind: trace.KindOf(e.Name), StartMs: ms(e.Start.Sub(first)),
			DurationMs: ms(e.End.Sub(e.Start)), Status: "ok", CallID: e.CallID,
		}
		if e.ErrorType != "" {
			out[i].Status = e.ErrorType
		}
	}
	sorting.StableFunc(out, func(a, b protocol.Span) int {
		switch {
		case a.StartMs < b.StartMs:
			return -1
		case a.StartMs > b.StartMs:
			return 1
		}
		return 0
	})
	return out
}
