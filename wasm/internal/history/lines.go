package history

import (
	"context"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/protocol"
)

// linesOf gives the lines of all runs that can be read, by time: those of the index,
// and from the runs what it has not.
func linesOf(ctx context.Context, h *History) ([]protocol.RunSummary, error) {
	// Markers first: a run that begins after this has not ended when it is read.
	hot, err := names(ctx, h.deps.Store, HotFolder)
	if err != nil {
		return nil, err
	}
	if err := h.index.fresh(ctx); err != nil {
		return nil, err
	}
	ids, err := h.IDs(ctx)
	if err != nil {
		return nil, err
	}
	r := &reading{h: h, hot: hot, at: make(map[string]int, len(ids))}
	for _, id := range ids {
		if err := r.take(ctx, id); err != nil {
			return nil, err
		}
	}
	h.index.add(ctx, r.found)
	if h.index.stale(len(ids)) {
		// As in add: what is too long only takes longer to read.
		_ = h.index.keepOnly(ctx, r.runs())
	}
	return r.all, nil
}

// reading is one going through the runs.
type reading struct {
	h     *History
	hot   map[string]bool
	all   []protocol.RunSummary
	at    map[string]int // by run that came from the index: where in all
	found []indexed      // what the index lacks
}

func (r *reading) runs() map[string]bool {
	out := make(map[string]bool, len(r.all))
	for i := range r.all {
		out[r.all[i].Run] = true
	}
	return out
}

// take gives a run's line its place.
func (r *reading) take(ctx context.Context, id string) error {
	if line, ok := r.h.index.line(id); ok && !r.hot[id] {
		r.at[id] = len(r.all)
		return r.put(ctx, id, line)
	}
	marks, still := r.h.index.begin(id)
	sum, err := r.h.Summary(ctx, id)
	if err != nil {
		return nil //nolint:nilerr // a folder without a readable run: shown by its bytes only
	}
	if r.hot[id] && sum.Outcome == protocol.OutcomeUnfinished {
		if err := r.stands(ctx, &sum); err != nil {
			return err
		}
	}
	if err := r.put(ctx, id, sum); err != nil {
		return err
	}
	ended := !r.hot[id] && sum.Outcome != protocol.OutcomeUnfinished
	if ended && still && sum.Origin == "" {
		r.found = append(r.found, indexed{r.all[len(r.all)-1], marks})
	}
	return r.about(ctx, sum.Reverts, ended)
}

// put counts a run's bytes and appends its line.
func (r *reading) put(ctx context.Context, id string, sum protocol.RunSummary) error {
	bytes, err := r.h.deps.Sizes.Size(ctx, Dir(id))
	sum.Bytes = bytes
	r.all = append(r.all, sum)
	return err
}

// stands says of a run that did not end whether it still goes on.
func (r *reading) stands(ctx context.Context, sum *protocol.RunSummary) error {
	now, err := r.h.deps.Stands(ctx, sum.Run)
	if err != nil || now == protocol.OutcomeUnfinished {
		return err
	}
	sum.Outcome, sum.Can = now, protocol.Can{}
	sum.Text = protocol.Message{Key: "run." + string(now), Params: map[string]string{"goal": sum.Goal}}
	return nil
}

// about reads again the run that a run has reverted which the index did not know: an
// index that is older than that has the line of a run that was not reverted yet.
func (r *reading) about(ctx context.Context, run string, ended bool) error {
	i, indexedLine := r.at[run]
	if !indexedLine {
		return nil
	}
	delete(r.at, run)
	if ended {
		for _, done := range []bool{false, true} {
			if err := r.h.index.mark(ctx, mark{Run: run, Done: done}); err != nil {
				return err
			}
		}
	}
	marks, still := r.h.index.begin(run)
	sum, err := r.h.Summary(ctx, run)
	if err != nil {
		return err
	}
	if sum.Bytes, err = r.h.deps.Sizes.Recount(ctx, Dir(run)); err != nil {
		return err
	}
	r.all[i] = sum
	if ended && still && sum.Origin == "" && sum.Outcome != protocol.OutcomeUnfinished {
		r.found = append(r.found, indexed{sum, marks})
	}
	return nil
}

// names lists what is in a folder of the store.
func names(ctx context.Context, store host.Store, folder string) (map[string]bool, error) {
	entries, err := store.List(ctx, folder)
	if err != nil {
		return nil, err
	}
	out := make(map[string]bool, len(entries))
	for _, e := range entries {
		out[e.Path[len(folder)+1:]] = true
	}
	return out, nil
}
