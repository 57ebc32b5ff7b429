package history

import (
	"context"
	"slices"
	"time"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/ids"
	"embedded-agent/wasm/internal/protocol"
)

// Clear removes past runs of this device; one that is under way stays.
func (h *History) Clear(ctx context.Context, c protocol.Clear) (protocol.Runs, error) {
	ids, err := h.IDs(ctx)
	if err != nil {
		return protocol.Runs{}, err
	}
	hot, err := h.deps.Needed(ctx)
	if err != nil {
		return protocol.Runs{}, err
	}
	for _, id := range ids {
		if (c.Run != "" && id != c.Run) || slices.Contains(hot, id) {
			continue
		}
		if there, err := h.Elsewhere(ctx, id); err != nil {
			return protocol.Runs{}, err
		} else if there && c.Run != "" {
			return protocol.Runs{}, fault.New(fault.Precondition, "error.run.otherDevice", nil)
		} else if there {
			continue
		}
		if err := h.dropRun(ctx, id); err != nil {
			return protocol.Runs{}, err
		}
	}
	return cleared(ctx, h)
}

// cleared takes what is gone out of the index as well, words and all, and gives the
// runs that are left.
func cleared(ctx context.Context, h *History) (protocol.Runs, error) {
	left, err := names(ctx, h.deps.Store, runsFolder)
	if err != nil {
		return protocol.Runs{}, err
	}
	if err := h.index.keepOnly(ctx, left); err != nil {
		return protocol.Runs{}, err
	}
	return h.List(ctx, protocol.RunsQuery{})
}

func (h *History) dropRun(ctx context.Context, id string) error {
	if err := h.deps.Store.Remove(ctx, Dir(id)); err != nil {
		return err
	}
	h.whose.forget(id)
	h.deps.Dropped(id)
	return nil
}

// Prune keeps the run folders of this device within the limits by number, age and
// bytes; the newest run is always kept.
func (h *History) Prune(ctx context.Context) error {
	c, now := h.deps.Guard.Settings(), h.deps.Now()
	own, err := h.own(ctx)
	if err != nil {
		return err
	}
	hot, err := h.deps.Needed(ctx)
	if err != nil {
		return err
	}
	var bytes int64
	for i, id := range slices.Backward(own) {
		n, err := h.deps.Sizes.Counted(ctx, Dir(id))
		if err != nil {
			return err
		}
		bytes += n
		newest := len(own) - 1 - i
		old := now.Sub(ids.Time(id, now)) > time.Duration(c.KeepDays)*24*time.Hour
		if newest == 0 || slices.Contains(hot, id) || (newest < c.KeepRuns && !old && bytes <= c.KeepBytes) {
			continue
		}
		bytes -= n
		if err := h.dropRun(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// own lists the runs of this device, by time.
func (h *History) own(ctx context.Context) ([]string, error) {
	if err := h.index.fresh(ctx); err != nil { // it knows whose most of them are
		return nil, err
	}
	all, err := h.IDs(ctx)
	if err != nil {
		return nil, err
	}
	var own []string
	for _, id := range all {
		there, err := h.Elsewhere(ctx, id)
		if err != nil {
			return nil, err
		}
		if !there {
			own = append(own, id)
		}
	}
	return own, nil
}
