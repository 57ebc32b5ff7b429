package undo

import (
	"context"

	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/journal"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/transaction"
)

// CarryOut implements Undo.
func (u *pastUndo) CarryOut(ctx context.Context, rv *transaction.Review) (protocol.RunSummary, []protocol.FileChange, error) {
	sum, wrote, err := u.reverts.undoAs(ctx, rv.ID, rv, u, u.done.writes(string(u.of.kind)))
	if err == nil {
		u.reverts.endUndone(context.WithoutCancel(ctx), rv.ID, u)
	}
	return sum, wrote, err
}

// undoAs makes planned writes as a run of its own, and gives its line for the
// history and the files that were written.
func (r *reverts) undoAs(ctx context.Context, id string, rv *transaction.Review, u *pastUndo, planned []journal.Planned) (protocol.RunSummary, []protocol.FileChange, error) {
	d := &history.Run{
		Version: "1", RunID: id, Kind: u.of.kind, Goal: rv.Goal(), Now: r.deps.Now(), Calls: len(planned), Files: rv.View.Files,
		Policy: r.deps.Guard.Policy().Snapshot(), Registry: r.deps.Registry.Version(),
	}
	h := journal.Header{Approval: rv.View.Approval}
	if u.of.kind == KindRevert {
		d.Reverts, h.Reverts, d.Only = u.of.run, u.of.run, u.of.path
	} else {
		d.Continues, h.Finishes = u.of.run, u.of.run
	}
	wrote, err := r.WriteRun(ctx, d, h, planned, lineOf(d), r.rules.undoable(u.done.ours))
	sum, missing := r.deps.History.Summary(context.WithoutCancel(ctx), id)
	if missing != nil {
		return protocol.RunSummary{Run: id, Outcome: protocol.OutcomeFailed}, wrote, err
	}
	return sum, wrote, err
}

// endUndone marks a run as what it is after a reviewed undo. One that is not
// reverted whole stays where it was. One that was finished is over, as one of
// our own is: what was refused or left out of it has been decided about. A run of
// another device is marked there alone.
func (r *reverts) endUndone(ctx context.Context, by string, u *pastUndo) {
	whole := u.of.path == "" && len(u.done.report.Conflicts)+len(u.done.refused)+len(u.done.dropped) == 0
	if u.of.kind != KindFinish && !whole {
		return
	}
	there, err := r.deps.History.Elsewhere(ctx, u.of.run)
	if err != nil || there {
		return
	}
	if u.done.log.Hot() {
		outcome := protocol.OutcomeCancelled
		if u.of.kind == KindFinish {
			outcome = protocol.OutcomePartial
			if err := journal.RecordSettled(ctx, r.deps.Host.Store, history.Dir(u.of.run), u.done.log); err != nil {
				r.deps.Out.Notice("warn", "notice.historyNotKept", nil, u.of.run)
				return
			}
		}
		if err := r.settler.settleAs(ctx, u.of.run, u.done.log, outcome, by); err != nil {
			r.deps.Out.Notice("warn", "notice.historyNotKept", nil, u.of.run)
		}
	}
	if err := r.found.leaveAround(ctx, u.of.run); err != nil {
		r.deps.Out.Notice("warn", "notice.historyNotKept", nil, u.of.run)
	}
	if u.of.kind == KindRevert {
		out := emptyReverted()
		out.Run = by
		r.afterRevert(ctx, protocol.Revert{Run: u.of.run}, &out)
	}
}
