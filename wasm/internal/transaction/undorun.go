package transaction

import (
	"context"
	"strconv"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/journal"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/runner"
)

// beginUndo carries out a reviewed undo that a person has approved. It returns
// when it has begun.
func (t *Transactions) beginUndo(se *Review, automatic bool) error {
	free, err := t.aloneNext()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(t.deps.Life)
	u := se.Undo
	planned := u.done.writes(u.of.kind)
	x := &Run{t: t, Review: se, kind: u.of.kind, automatic: automatic, gate: &runner.Gate{}, cancel: cancel, ctx: ctx, began: t.deps.Now()}
	x.rs = protocol.RunState{
		Run: se.ID, Kind: x.kind, State: "running", Total: len(planned), Goal: se.plan.Goal,
		Text: protocol.Message{Key: "run.running", Params: map[string]string{"n": "0", "total": strconv.Itoa(len(planned))}},
		Can:  protocol.Can{Cancel: true},
	}
	if err := t.takeReview(se, x); err != nil {
		cancel()
		free()
		return err
	}
	go x.undo(planned, free)
	return nil
}

// undo makes the writes, and ends the run that they belong to.
func (x *Run) undo(planned []journal.Planned, free func()) {
	defer x.cancel()
	s, u := x.t, x.Review.Undo
	sum, err := s.undoAs(x.ctx, x.Review.ID, x.Review, planned)
	ctx := context.WithoutCancel(x.ctx)
	if err == nil {
		s.endUndone(ctx, x.Review.ID, u)
	}
	free() // before it is over: what is asked for then is done
	x.mu.Lock()
	x.rs.State, x.rs.Outcome, x.rs.Text, x.rs.Done = "finished", sum.Outcome, sum.Text, sum.Calls
	x.rs.Can = protocol.Can{Revert: sum.Can.Revert}
	if err != nil {
		x.rs.Problem = s.deps.Out.Problem(err)
		x.rs.Failed = len(planned) - sum.Calls
		if x.rs.Outcome == "" || x.rs.Outcome == history.OutcomeOK {
			x.rs.Outcome = history.OutcomeFailed
		}
		x.rs.Text = protocol.Message{Key: "run." + x.rs.Outcome, Params: map[string]string{"goal": x.rs.Goal, "n": strconv.Itoa(sum.Calls), "total": strconv.Itoa(len(planned))}}
	} else {
		x.rs.Summary = doneLines(x.Review.View.Files)
	}
	x.mu.Unlock()
	x.tell()
	s.LookAgain(ctx)
	if err := s.deps.History.Prune(ctx); err != nil {
		s.deps.Out.Notice("warn", "notice.notPruned", nil, "")
	}
	x.letGo()
}

// undoAs makes planned writes as a run of its own, and gives its line for the
// history.
func (t *Transactions) undoAs(ctx context.Context, id string, se *Review, planned []journal.Planned) (protocol.RunSummary, error) {
	u := se.Undo
	d := &history.Run{
		Version: "1", RunID: id, Kind: u.of.kind, Goal: se.plan.Goal, Now: t.deps.Now(), Calls: len(planned), Files: se.View.Files,
		Policy: t.deps.Guard.Policy().Snapshot(), Registry: t.deps.Registry.Version(),
	}
	h := journal.Header{Approval: se.View.Approval}
	text := protocol.Message{Key: "run.reverted", Params: map[string]string{"n": strconv.Itoa(len(d.Files)), "goal": d.Goal}}
	if u.of.kind == KindRevert {
		d.Reverts, h.Reverts, d.Only = u.of.run, u.of.run, u.of.path
	} else {
		d.Continues, h.Finishes = u.of.run, u.of.run
		text = protocol.Message{Key: "run.finishedAfterCrash", Params: map[string]string{"goal": d.Goal}}
	}
	err := t.writeRun(ctx, d, h, planned, text, t.undoable(u.done.ours))
	sum, missing := t.deps.History.Summary(context.WithoutCancel(ctx), id)
	if missing != nil {
		return protocol.RunSummary{Run: id, Outcome: history.OutcomeFailed}, err
	}
	return sum, err
}

// endUndone marks a run as what it is after a reviewed undo. One that is not
// taken back whole stays where it was. One that was finished is over, as one of
// our own is: what was refused or left out of it has been decided about.
func (t *Transactions) endUndone(ctx context.Context, by string, u *pastUndo) {
	whole := u.of.path == "" && len(u.done.report.Conflicts)+len(u.done.refused)+len(u.done.dropped) == 0
	if u.of.kind != KindFinish && !whole {
		return
	}
	if u.done.log.Hot() {
		outcome := history.OutcomeCancelled
		if u.of.kind == KindFinish {
			outcome = history.OutcomePartial
			if err := journal.RecordSettled(ctx, t.deps.Host.Store, history.Dir(u.of.run), u.done.log); err != nil {
				t.deps.Out.Notice("warn", "notice.historyNotKept", nil, u.of.run)
				return
			}
		}
		if err := t.settleAs(ctx, u.of.run, u.done.log, outcome, by); err != nil {
			t.deps.Out.Notice("warn", "notice.historyNotKept", nil, u.of.run)
		}
	}
	if err := t.leaveAround(ctx, u.of.run); err != nil {
		t.deps.Out.Notice("warn", "notice.historyNotKept", nil, u.of.run)
	}
	if u.of.kind == KindRevert {
		out := emptyReverted()
		out.Run = by
		t.afterRevert(ctx, protocol.Revert{Run: u.of.run}, &out)
	}
}

// takeReview makes a run of the open review.
func (t *Transactions) takeReview(se *Review, x *Run) error {
	t.mu.Lock()
	if t.run != nil && !t.run.over() {
		t.mu.Unlock()
		return fault.New(fault.Precondition, "error.busy", nil)
	}
	if t.review != se { // closed or changed meanwhile
		t.mu.Unlock()
		return fault.New(fault.Conflict, "error.review.changed", nil)
	}
	t.run, t.review = x, nil
	t.mu.Unlock()
	t.deps.Settled(se.ID, true)
	t.deps.Out.Tell(protocol.Event{Type: protocol.EventReviewClosed, RunID: se.ID})
	x.tell()
	return nil
}
