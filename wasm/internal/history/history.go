package history

import (
	"context"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/audit"
	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/protocol"
)

// List gives past runs, newest first (ids sort by time).
func (h *History) List(ctx context.Context, q protocol.RunsQuery) (protocol.Runs, error) {
	out := protocol.Runs{Runs: []protocol.RunSummary{}}
	all, err := linesOf(ctx, h)
	if err != nil {
		return out, err
	}
	if q.Limit <= 0 || q.Limit > 500 {
		q.Limit = 100
	}
	text := strings.ToLower(q.Text)
	for _, sum := range slices.Backward(all) {
		out.Bytes += sum.Bytes
		fits := strings.Contains(strings.ToLower(sum.Goal), text) && (q.Kind == "" || q.Kind == sum.Kind) && (q.Outcome == "" || q.Outcome == sum.Outcome)
		if fits && len(out.Runs) < q.Limit {
			out.Runs = append(out.Runs, sum)
		}
	}
	return out, nil
}

// IDs gives the ids of all runs that have a folder, sorted.
func (h *History) IDs(ctx context.Context) ([]string, error) {
	entries, err := h.deps.Store.List(ctx, runsFolder)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, e := range entries {
		if e.Kind == host.Folder {
			ids = append(ids, e.Path[strings.LastIndexByte(e.Path, '/')+1:])
		}
	}
	slices.Sort(ids)
	return ids, nil
}

// Get opens a past run.
func (h *History) Get(ctx context.Context, p protocol.RunRef) (protocol.RunDetail, error) {
	d, err := h.Read(ctx, p.Run)
	if err != nil {
		return protocol.RunDetail{}, err
	}
	sum, err := h.Summary(ctx, p.Run)
	if err != nil {
		return protocol.RunDetail{}, err
	}
	calls, err := audit.ReadCalls(ctx, h.deps.Store, Dir(p.Run))
	if err != nil {
		return protocol.RunDetail{}, err
	}
	views := make([]protocol.CallView, 0, len(calls))
	for _, c := range calls {
		views = append(views, h.pastCall(c))
	}
	files, rest, err := written(ctx, h.deps.Store, d, p.Run)
	if err != nil {
		return protocol.RunDetail{}, err
	}
	detail := protocol.RunDetail{Summary: sum, Files: canon.List(files), NotWritten: rest, Calls: views, Plan: string(d.Plan)}
	if d.Confirmation != nil {
		detail.LeftOut = d.Confirmation.LeftOut
	}
	return detail, nil
}
