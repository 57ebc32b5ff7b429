package undo

import (
	"context"
	"strconv"
	"strings"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/journal"
	"embedded-agent/wasm/internal/protocol"
)

// undoCall begins the name of each write of a revert. The places in the journal
// follow of the writes that it reverts.
const undoCall = "revert"

// undoCallOf names a write of a revert.
func undoCallOf(entries []int) string {
	var b strings.Builder
	b.WriteString(undoCall)
	for _, i := range entries {
		b.WriteString(" " + strconv.Itoa(i))
	}
	return b.String()
}

// undone gives the writes of a run, by their place in its journal, that were
// reverted and not brought back since. Where a run went on with another one after
// a crash, a revert of either counts for the other.
func (s *settler) undone(ctx context.Context, id string, l *journal.Log) (map[int]bool, error) {
	out, err := s.revertedOf(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := s.revertedAfter(ctx, id, l, out); err != nil {
		return nil, err
	}
	return out, s.revertedBefore(ctx, l, out)
}

// revertedOf gives what reverts of this very run have reverted.
func (s *settler) revertedOf(ctx context.Context, id string) (map[int]bool, error) {
	out := map[int]bool{}
	err := s.later(ctx, id, func(sum protocol.RunSummary) error {
		if sum.Reverts != id || sum.RevertedBy != "" {
			return nil
		}
		by, err := s.ours(ctx, sum.Run)
		if err != nil || by == nil {
			return err
		}
		brought, err := s.undone(ctx, sum.Run, by)
		if err != nil {
			return err
		}
		takenBack(by, brought, out)
		return nil
	})
	return out, err
}

// revertedAfter notes what was reverted of the runs that went on with a run.
func (s *settler) revertedAfter(ctx context.Context, id string, l *journal.Log, out map[int]bool) error {
	return s.wentOn(ctx, id, func(sum protocol.RunSummary, by *journal.Log) error {
		back, err := s.revertedOf(ctx, sum.Run)
		if err != nil {
			return err
		}
		if err := s.revertedAfter(ctx, sum.Run, by, back); err != nil {
			return err
		}
		for k, i := range l.Places(by) {
			out[i] = out[i] || back[k]
		}
		return nil
	})
}

// wentOn calls f with each run of this device that went on with a run.
func (s *settler) wentOn(ctx context.Context, id string, f func(protocol.RunSummary, *journal.Log) error) error {
	return s.later(ctx, id, func(sum protocol.RunSummary) error {
		if sum.Kind != KindFinish {
			return nil
		}
		by, err := s.ours(ctx, sum.Run)
		if err != nil || by == nil || by.Finishes != id {
			return err
		}
		return f(sum, by)
	})
}

// revertedBefore notes what was reverted with the run that this one went on with.
func (s *settler) revertedBefore(ctx context.Context, l *journal.Log, out map[int]bool) error {
	if l.Finishes == "" {
		return nil
	}
	root, err := s.ours(ctx, l.Finishes)
	if err != nil || root == nil {
		return err
	}
	back, err := s.revertedOf(ctx, l.Finishes)
	if err != nil {
		return err
	}
	if err := s.revertedBefore(ctx, root, back); err != nil {
		return err
	}
	for k, i := range root.Places(l) {
		out[k] = out[k] || back[i]
	}
	return nil
}

// ours reads a journal that this device wrote; nil where there is none: the
// records of a stranger say nothing of what was done.
func (s *settler) ours(ctx context.Context, id string) (*journal.Log, error) {
	l, err := journal.Load(ctx, s.deps.Host.Store, history.Dir(id))
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	} else if err != nil || !l.Ours() {
		return nil, err
	}
	return l, nil
}

// takenBack notes which writes a revert has restored. Brought are those of its
// own that were reverted in turn.
func takenBack(l *journal.Log, brought, out map[int]bool) {
	whole := map[string]bool{} // some writes may take several to be reverted
	for i := range l.Entries {
		e := &l.Entries[i]
		made := e.Outcome == journal.Done && !brought[i]
		if was, seen := whole[e.Call]; seen {
			made = made && was
		}
		whole[e.Call] = made
	}
	for call, done := range whole {
		places, ok := strings.CutPrefix(call, undoCall+" ")
		if !ok || !done {
			continue
		}
		for place := range strings.FieldsSeq(places) {
			if n, err := strconv.Atoi(place); err == nil {
				out[n] = true
			}
		}
	}
}
