package server

import (
	"context"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/journal"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/runner"
)

// beginUndo carries out a reviewed undo that a person has approved. It returns
// when it has begun.
func (s *Server) beginUndo(se *session, automatic bool) error {
	free, err := s.aloneNext()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(s.life)
	u := se.undo
	planned := u.done.writes(string(u.of.kind))
	x := &execution{s: s, se: se, kind: u.of.kind, automatic: automatic, gate: &runner.Gate{}, cancel: cancel, ctx: ctx, began: s.now()}
	x.rs = protocol.RunState{
		Run: se.id, Kind: x.kind, State: "running", Total: len(planned), Goal: se.plan.Goal,
		Text: protocol.Message{Key: "run.running", Params: map[string]string{"n": "0", "total": itoa(len(planned))}},
		Can:  protocol.Can{Cancel: true},
	}
	if err := s.takeReview(se, x); err != nil {
		cancel()
		free()
		return err
	}
	go x.undo(planned, free)
	return nil
}

// undo makes the writes, and ends the run that they belong to.
func (x *execution) undo(planned []journal.Planned, free func()) {
	defer x.cancel()
	s, u := x.s, x.se.undo
	sum, err := s.undoAs(x.ctx, x.se.id, x.se, planned)
	ctx := context.WithoutCancel(x.ctx)
	if err == nil {
		s.endUndone(ctx, x.se.id, u)
	}
	free() // before it is over: what is asked for then is done
	x.mu.Lock()
	x.rs.State, x.rs.Outcome, x.rs.Text, x.rs.Done = "finished", sum.Outcome, sum.Text, sum.Calls
	x.rs.Can = protocol.Can{Revert: sum.Can.Revert}
	if err != nil {
		x.rs.Problem = s.problem(err)
		x.rs.Failed = len(planned) - sum.Calls
		if x.rs.Outcome == "" || x.rs.Outcome == outcomeOK {
			x.rs.Outcome = outcomeFailed
		}
		x.rs.Text = protocol.Message{Key: "run." + string(x.rs.Outcome), Params: map[string]string{"goal": x.rs.Goal, "n": itoa(sum.Calls), "total": itoa(len(planned))}}
	} else {
		x.rs.Summary = doneLines(x.se.view.Files)
	}
	x.mu.Unlock()
	x.tell()
	s.lookAgain(ctx)
	if err := s.prune(ctx); err != nil {
		s.notice("warn", "notice.notPruned", nil, "")
	}
	x.letGo()
}

// undoAs makes planned writes as a run of its own, and gives its line for the
// history.
func (s *Server) undoAs(ctx context.Context, id string, se *session, planned []journal.Planned) (protocol.RunSummary, error) {
	u := se.undo
	d := &runDocument{
		Version: "1", RunID: id, Kind: u.of.kind, Goal: se.plan.Goal, Now: s.now(), Calls: len(planned), Files: se.view.Files,
		Policy: s.currentPolicy().Snapshot(), Registry: s.registry.Version(),
	}
	h := journal.Header{Approval: se.view.Approval}
	text := protocol.Message{Key: "run.reverted", Params: map[string]string{"n": itoa(len(d.Files)), "goal": d.Goal}}
	if u.of.kind == kindRevert {
		d.Reverts, h.Reverts, d.Only = u.of.run, u.of.run, u.of.path
	} else {
		d.Continues, h.Finishes = u.of.run, u.of.run
		text = protocol.Message{Key: "run.finishedAfterCrash", Params: map[string]string{"goal": d.Goal}}
	}
	err := s.writeRun(ctx, d, h, planned, text, s.undoable(u.done.ours))
	sum, missing := s.summary(context.WithoutCancel(ctx), id)
	if missing != nil {
		return protocol.RunSummary{Run: id, Outcome: outcomeFailed}, err
	}
	return sum, err
}

// endUndone marks a run as what it is after a reviewed undo. One that is not
// taken back whole stays where it was. One that was finished is over, as one of
// our own is: what was refused or left out of it has been decided about.
func (s *Server) endUndone(ctx context.Context, by string, u *pastUndo) {
	whole := u.of.path == "" && len(u.done.report.Conflicts)+len(u.done.refused)+len(u.done.dropped) == 0
	if u.of.kind != kindFinish && !whole {
		return
	}
	if u.done.log.Hot() {
		outcome := outcomeCancelled
		if u.of.kind == kindFinish {
			outcome = outcomePartial
			if err := journal.RecordSettled(ctx, s.host.Store, runDir(u.of.run), u.done.log); err != nil {
				s.notice("warn", "notice.historyNotKept", nil, u.of.run)
				return
			}
		}
		if err := s.settleAs(ctx, u.of.run, u.done.log, outcome, by); err != nil {
			s.notice("warn", "notice.historyNotKept", nil, u.of.run)
		}
	}
	if err := s.leaveAround(ctx, u.of.run); err != nil {
		s.notice("warn", "notice.historyNotKept", nil, u.of.run)
	}
	if u.of.kind == kindRevert {
		out := emptyReverted()
		out.Run = by
		s.afterRevert(ctx, protocol.Revert{Run: u.of.run}, &out)
	}
}

// takeReview makes a run of the open review.
func (s *Server) takeReview(se *session, x *execution) error {
	s.mu.Lock()
	if s.run != nil && !s.run.over() {
		s.mu.Unlock()
		return fault.New(fault.Precondition, "error.busy", nil)
	}
	if s.review != se { // closed or changed meanwhile
		s.mu.Unlock()
		return fault.New(fault.Conflict, "error.review.changed", nil)
	}
	s.run, s.review = x, nil
	s.mu.Unlock()
	s.settle(se.id, true)
	s.out.tell(protocol.Event{Type: protocol.EventReviewClosed, RunID: se.id})
	x.tell()
	return nil
}
