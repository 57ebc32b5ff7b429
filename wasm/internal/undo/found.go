package undo

import (
	"context"
	"slices"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/journal"
	"embedded-agent/wasm/internal/protocol"
)

// found has the runs that a crash has left: those that did not end, and the findings about them.
type found struct {
	deps    *Deps
	settler *settler
}

// FindHot finds what a crash has left, and the last run that can be reverted.
func (f *found) FindHot(ctx context.Context) error {
	cards, err := f.cards(ctx)
	if err != nil {
		return err
	}
	var found []protocol.RunSummary
	for _, c := range cards {
		found = append(found, c.sum)
		if c.sum.Stands == protocol.StandsLive {
			f.deps.Runs.WatchElsewhere()
		}
	}
	last, err := f.findLast(ctx)
	if err != nil {
		return err
	}
	f.deps.Transactions.SetFound(found, last)
	return nil
}

// LookAgain finds runs that did not end, and tells.
func (f *found) LookAgain(ctx context.Context) {
	if err := f.FindHot(ctx); err != nil {
		return // the store fails; the next start looks again
	}
	f.deps.Tell(ctx)
}

// findLast finds the newest run that can be reverted.
func (f *found) findLast(ctx context.Context) (*protocol.RunSummary, error) {
	ids, err := f.deps.History.IDs(ctx)
	if err != nil {
		return nil, err
	}
	for n, id := range slices.Backward(ids) {
		if len(ids)-n > 20 {
			break
		}
		sum, err := f.deps.History.Summary(ctx, id)
		if err == nil && sum.Kind == protocol.KindRun && sum.Can.Revert && sum.Origin == "" && sum.RevertedBy == "" && sum.Outcome != protocol.OutcomeUnfinished {
			return &sum, nil
		}
	}
	return nil, nil
}

// unfinished says whether a hot run is one that a person must decide about. One
// that had ended but for its marker, or had not begun to write, is settled here.
func (f *found) unfinished(ctx context.Context, id string) (*journal.Log, error) {
	l, err := journal.Load(ctx, f.deps.Host.Store, history.Dir(id))
	switch {
	case fault.Is(err, fault.NotFound):
		return nil, f.deps.Runs.End(ctx, id)
	case err != nil:
		return nil, err
	case !l.Hot():
		return nil, f.deps.Runs.End(ctx, id)
	case len(l.Entries) == 0 && !l.Ours():
		return nil, f.deps.Runs.End(ctx, id)
	case len(l.Entries) == 0 && len(l.Acts) == 0:
		return nil, f.settler.settleAs(ctx, id, l, protocol.OutcomeCancelled, "")
	}
	if l.Ours() {
		if settled, err := f.settleDeeds(ctx, id, l); settled || err != nil {
			return nil, err
		}
	}
	return l, nil
}

// settleDeeds ends what a crash has left of a conversation's deeds: whatever had
// begun counts as done.
func (f *found) settleDeeds(ctx context.Context, id string, l *journal.Log) (bool, error) {
	d, err := f.document(ctx, id)
	if fault.Is(err, fault.NotFound) || err == nil && d.Kind != protocol.KindAgent {
		return false, nil
	} else if err != nil {
		return false, err
	}
	return true, f.settler.settleAs(ctx, id, l, protocol.OutcomePartial, "")
}

// leave ends a run that did not end, with what it has done.
func (f *found) leave(ctx context.Context, id string) error {
	l, err := journal.Load(ctx, f.deps.Host.Store, history.Dir(id))
	if err != nil || !l.Hot() {
		return err
	}
	if !l.Ours() {
		return f.deps.Runs.End(ctx, id)
	}
	return f.settler.settleAs(ctx, id, l, protocol.OutcomePartial, "")
}

// Needed lists the runs that did not end, and those that they are about.
func (f *found) Needed(ctx context.Context) ([]string, error) {
	ids, err := f.deps.Runs.IDs(ctx)
	if err != nil {
		return nil, err
	}
	out := slices.Clone(ids)
	for _, id := range ids {
		way, err := f.about(ctx, id)
		if fault.Is(err, fault.NotFound) || fault.Is(err, fault.Conflict) {
			continue // it died while it wrote down what it was
		} else if err != nil {
			return nil, err
		}
		for _, d := range way {
			out = append(out, d.RunID)
		}
	}
	return out, nil
}
