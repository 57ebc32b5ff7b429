package undo

import (
	"context"
	"slices"
	"strconv"

	"embedded-agent/wasm/internal/audit"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/ids"
	"embedded-agent/wasm/internal/journal"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/timestamp"
)

// FindHot finds what a crash has left, and the last run that can be reverted.
func (b *Undo) FindHot(ctx context.Context) error {
	cards, err := b.cards(ctx)
	if err != nil {
		return err
	}
	var found []protocol.RunSummary
	for _, c := range cards {
		found = append(found, c.sum)
		if c.sum.Stands == protocol.StandsLive {
			b.deps.Runs.WatchElsewhere()
		}
	}
	last, err := b.findLast(ctx)
	if err != nil {
		return err
	}
	b.deps.Transactions.SetFound(found, last)
	return nil
}

// unfinished says whether a hot run is one that a person must decide about. One
// that had ended but for its marker, or had not begun to write, is settled here.
func (b *Undo) unfinished(ctx context.Context, id string) (*journal.Log, error) {
	l, err := journal.Load(ctx, b.deps.Host.Store, history.Dir(id))
	switch {
	case fault.Is(err, fault.NotFound):
		return nil, b.deps.Runs.End(ctx, id)
	case err != nil:
		return nil, err
	case !l.Hot():
		return nil, b.deps.Runs.End(ctx, id)
	case len(l.Entries) == 0 && !l.Ours():
		return nil, b.deps.Runs.End(ctx, id)
	case len(l.Entries) == 0 && len(l.Acts) == 0:
		return nil, b.settleAs(ctx, id, l, history.OutcomeCancelled, "")
	}
	if l.Ours() {
		if settled, err := b.settleDeeds(ctx, id, l); settled || err != nil {
			return nil, err
		}
	}
	return l, nil
}

// LookAgain finds runs that did not end, and tells.
func (b *Undo) LookAgain(ctx context.Context) {
	if err := b.FindHot(ctx); err != nil {
		return // the store fails; the next start looks again
	}
	b.deps.Tell(ctx)
}

// findLast finds the newest run that can be taken back.
func (b *Undo) findLast(ctx context.Context) (*protocol.RunSummary, error) {
	ids, err := b.deps.History.IDs(ctx)
	if err != nil {
		return nil, err
	}
	for n, id := range slices.Backward(ids) {
		if len(ids)-n > 20 {
			break
		}
		sum, err := b.deps.History.Summary(ctx, id)
		if err == nil && sum.Kind == protocol.KindRun && sum.Can.Revert && sum.Origin == "" && sum.RevertedBy == "" && sum.Outcome != protocol.OutcomeUnfinished {
			return &sum, nil
		}
	}
	return nil, nil
}

// settleAs ends a run that a crash had left: its files are sealed as they are,
// but for what was torn, and it gets its line for the history. The journal is
// nil where it cannot be read.
func (b *Undo) settleAs(ctx context.Context, id string, l *journal.Log, outcome, by string) error {
	dir := history.Dir(id)
	end := journal.End{Outcome: outcome, At: timestamp.Milli(b.deps.Now()), By: by}
	var err error
	end.Heads, end.Counts, end.Torn, err = audit.Seal(ctx, b.deps.Host.Store, dir, append(audit.Files(), journal.File, journal.SettledFile)...)
	if err != nil {
		return err
	}
	d, err := b.deps.History.Read(ctx, id)
	if err != nil { // it died while it wrote down what it was
		if err := journal.WriteEnd(ctx, b.deps.Host.Store, dir, end); err != nil {
			return err
		}
		return b.deps.Runs.End(ctx, id)
	}
	sum := history.SummaryOf(d)
	sum.EndedAt, sum.Outcome, sum.Files, sum.Can = end.At, protocol.RunOutcome(outcome), 0, protocol.Can{}
	if l != nil {
		sum.Files = len(l.Touched())
		for _, e := range l.Entries {
			if e.Outcome == journal.Done {
				end.Done++
			}
		}
		sum.Can.Revert = end.Done > 0 && outcome != history.OutcomeCancelled
		sum.Can.Rest = d.Kind == "run" && outcome == history.OutcomePartial
	}
	if sum.Calls, err = b.callsMade(ctx, id); err != nil {
		return err
	}
	sum.Text = history.TextOf(outcome, d, sum.Calls)
	if outcome == history.OutcomeCancelled {
		sum.RevertedBy = by
	}
	return b.deps.Transactions.EndRun(ctx, end, &sum)
}

// callsMade counts the calls of a run that went well, as far as it was recorded.
func (b *Undo) callsMade(ctx context.Context, id string) (int, error) {
	pairs, err := audit.ReadCalls(ctx, b.deps.Host.Store, history.Dir(id))
	if fault.Is(err, fault.Conflict) {
		return 0, nil // the records were changed; verify says so
	}
	n := 0
	for _, p := range pairs {
		if p.Result != nil && p.Result.OK {
			n++
		}
	}
	return n, err
}

func emptyReverted() protocol.Reverted {
	return protocol.Reverted{Restored: []string{}, Merged: []string{}, Kept: []string{}, Gone: []string{}, Conflicts: []protocol.Conflict{}, NotUndone: []protocol.Message{}}
}

// keep leaves what was done; a half-written file is still put right.
func (b *Undo) keep(ctx context.Context, id string) (protocol.Reverted, error) {
	out := emptyReverted()
	_, l, err := b.deps.History.Past(ctx, id)
	if err != nil {
		return out, err
	}
	if !l.Ours() {
		// Nothing of what it says is done, and nothing is written into its folder:
		// it is only not offered any more.
		return out, b.deps.Runs.End(ctx, id)
	}
	if err := b.settleJournal(ctx, id, l); err != nil {
		return out, err
	}
	if _, err := b.cameLate(ctx, id, l); err != nil {
		return out, err
	}
	return out, b.settleAs(ctx, id, l, history.OutcomePartial, "")
}

// finishRun makes the writes that were approved and recorded, and are not there
// yet. What the journal does not hold any more was never reached: it is told.
func (b *Undo) finishRun(ctx context.Context, id string) (protocol.Reverted, error) {
	out := emptyReverted()
	doc, l, err := b.deps.History.Past(ctx, id)
	if err != nil {
		return out, err
	}
	of := undoOf{run: id, kind: KindFinish}
	if !l.Ours() {
		return b.reviewUndo(ctx, of)
	}
	if err := b.settleJournal(ctx, id, l); err != nil {
		return out, err
	}
	rest, err := l.Rest(ctx)
	if err != nil {
		return out, err
	}
	var refused []journal.Refused
	rest = slices.DeleteFunc(rest, func(p journal.Planned) bool {
		err := b.checkUndo(ctx, true, p.Op)
		if err != nil {
			refused = append(refused, journal.Refused{Path: p.Op.Path, Err: err})
		}
		return err != nil
	})
	next := ids.New()
	if len(rest) > 0 {
		out.Run = next
		if err := b.carryOn(ctx, next, doc, l, rest); err != nil {
			out.Problem = b.deps.Out.Problem(err)
			return out, nil
		}
		if err := b.settleJournal(ctx, id, l); err != nil {
			return out, err
		}
	}
	if _, err := b.cameLate(ctx, id, l); err != nil {
		return out, err
	}
	if n := unknown(l); n > 0 {
		out.NotUndone = append(out.NotUndone, protocol.Message{Key: "recovery.changed", Params: map[string]string{"n": strconv.Itoa(n)}})
	}
	out.NotUndone = append(append(out.NotUndone, refusedMessages(b, refused)...), notUndone(of, &undoing{log: l})...)
	return out, b.settleAs(ctx, id, l, history.OutcomePartial, out.Run)
}

// unknown counts the files of which nobody can say whether the run's last write
// to them was made: somebody has changed them since.
func unknown(l *journal.Log) int {
	paths := map[string]bool{}
	for i := range l.Entries {
		if e := &l.Entries[i]; e.Outcome == journal.Unknown {
			paths[e.Path] = true
		}
	}
	return len(paths)
}

// carryOn makes the rest of a run as a run of its own.
func (b *Undo) carryOn(ctx context.Context, id string, doc *history.Run, l *journal.Log, rest []journal.Planned) error {
	d := *doc
	d.RunID, d.Kind, d.Continues, d.Plan, d.Now, d.Calls = id, KindFinish, doc.RunID, nil, b.deps.Now(), len(rest)
	return b.writeRun(ctx, &d, journal.Header{Approval: l.Approval, Finishes: l.Run}, rest, protocol.Message{
		Key: "run.finishedAfterCrash", Params: map[string]string{"goal": doc.Goal},
	}, b.undoable(true))
}

// settleDeeds ends what a crash has left of a conversation's deeds: whatever had
// begun counts as done.
func (b *Undo) settleDeeds(ctx context.Context, id string, l *journal.Log) (bool, error) {
	d, err := b.deps.History.Read(ctx, id)
	if fault.Is(err, fault.NotFound) || err == nil && d.Kind != protocol.KindAgent {
		return false, nil
	} else if err != nil {
		return false, err
	}
	return true, b.settleAs(ctx, id, l, history.OutcomePartial, "")
}
