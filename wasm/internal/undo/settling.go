package undo

import (
	"context"
	"slices"

	"embedded-agent/wasm/internal/audit"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/journal"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/timestamp"
)

// settler finds out what became of the writes of runs, and ends those that did not
// end.
type settler struct {
	deps  *Deps
	rules *rules
}

// settleJournal finds out what became of the writes of a run that did not end,
// and writes it down before anything is done about them: a crash after that
// finds the same. What other runs have made of its writes after a crash counts
// as its own.
func (s *settler) settleJournal(ctx context.Context, id string, l *journal.Log) error {
	if !l.Ours() || !l.Hot() {
		return nil // a stranger's records put nothing right, and what has ended is sealed
	}
	if err := s.adoptRest(ctx, id, l); err != nil {
		return err
	}
	if err := l.Settle(ctx, s.rules.undoable(true)); err != nil {
		return err
	}
	return journal.RecordSettled(ctx, s.deps.Host.Store, history.Dir(id), l)
}

// cameLate looks once more, when a run that did not end was decided about: a write
// of it that has landed meanwhile is written down, and a revert includes it.
func (s *settler) cameLate(ctx context.Context, id string, l *journal.Log) (bool, error) {
	if err := s.deps.Runs.Quiet(ctx); err != nil {
		return false, err
	}
	late, err := l.Late(ctx, s.deps.Host.Vault)
	if err != nil || !late {
		return false, err
	}
	return true, journal.RecordSettled(ctx, s.deps.Host.Store, history.Dir(id), l)
}

// adoptRest adds to a run what the runs have made that went on with it.
func (s *settler) adoptRest(ctx context.Context, id string, l *journal.Log) error {
	return s.later(ctx, id, func(sum protocol.RunSummary) error {
		if sum.Kind != KindFinish {
			return nil
		}
		by, err := journal.Load(ctx, s.deps.Host.Store, history.Dir(sum.Run))
		switch {
		case fault.Is(err, fault.NotFound):
			return nil
		case err != nil:
			return err
		case by.Finishes != id || !by.Ours():
			return nil
		case by.Hot():
			if err := s.settleJournal(ctx, sum.Run, by); err != nil {
				return err
			}
		}
		l.Adopt(by)
		return nil
	})
}

// later calls f with each run that began after another one, newest first. A
// folder without a readable run is left out.
func (s *settler) later(ctx context.Context, id string, f func(protocol.RunSummary) error) error {
	ids, err := s.deps.History.IDs(ctx)
	if err != nil {
		return err
	}
	for _, next := range slices.Backward(ids) {
		if next <= id { // ids sort by time
			break
		}
		sum, err := s.deps.History.Summary(ctx, next)
		if err != nil {
			continue
		}
		if err := f(sum); err != nil {
			return err
		}
	}
	return nil
}

// settleAs ends a run that a crash had left: its files are sealed as they are,
// but for what was torn, and it gets its line for the history. The journal is
// nil where it cannot be read.
func (s *settler) settleAs(ctx context.Context, id string, l *journal.Log, outcome protocol.RunOutcome, by string) error {
	dir := history.Dir(id)
	end := journal.End{Outcome: outcome, At: timestamp.Milli(s.deps.Now()), By: by}
	var err error
	end.Heads, end.Counts, end.Torn, err = audit.Seal(ctx, s.deps.Host.Store, dir, append(audit.Files(), journal.Files()...)...)
	if err != nil {
		return err
	}
	d, err := s.deps.History.Read(ctx, id)
	if err != nil { // it died while it wrote down what it was
		if err := journal.WriteEnd(ctx, s.deps.Host.Store, dir, end); err != nil {
			return err
		}
		return s.deps.Runs.End(ctx, id)
	}
	sum := history.SummaryOf(d)
	sum.EndedAt, sum.Outcome, sum.Files, sum.Can = end.At, outcome, 0, protocol.Can{}
	if l != nil {
		sum.Files = len(l.Touched())
		for _, e := range l.Entries {
			if e.Outcome == journal.Done {
				end.Done++
			}
		}
		sum.Can.Revert = end.Done > 0 && outcome != protocol.OutcomeCancelled
		sum.Can.Rest = d.Kind == "run" && outcome == protocol.OutcomePartial
	}
	if sum.Calls, err = s.callsMade(ctx, id); err != nil {
		return err
	}
	sum.Text = history.TextOf(outcome, d, sum.Calls)
	if outcome == protocol.OutcomeCancelled {
		sum.RevertedBy = by
	}
	return s.deps.Transactions.EndRun(ctx, end, &sum)
}

// callsMade counts the calls of a run that went well, as far as it was recorded.
func (s *settler) callsMade(ctx context.Context, id string) (int, error) {
	pairs, err := audit.ReadCalls(ctx, s.deps.Host.Store, history.Dir(id))
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
