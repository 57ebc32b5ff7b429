package undo

import (
	"context"
	"slices"
	"strconv"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/ids"
	"embedded-agent/wasm/internal/journal"
	"embedded-agent/wasm/internal/protocol"
)

// recovery does what a person chose for runs that did not end.
type recovery struct {
	deps    *Deps
	rules   *rules
	settler *settler
	found   *found
	reverts *reverts
}

// Resolve does what the person chose for a run that did not end.
func (r *recovery) Resolve(ctx context.Context, p protocol.Recovery) (protocol.Reverted, error) {
	out := emptyReverted()
	free, err := r.deps.Transactions.Alone()
	if err != nil {
		return out, err
	}
	defer free()
	if err := r.deps.Runs.Quiet(ctx); err != nil {
		return out, err
	}
	cards, err := r.found.cards(ctx)
	if err != nil {
		return out, err
	}
	i := slices.IndexFunc(cards, func(c *card) bool { return c.run == p.Run })
	if i < 0 {
		return r.endedMeanwhile(ctx, p)
	}
	if !slices.Contains(cards[i].sum.Choices, p.Choice) {
		return out, fault.New(fault.Validation, "error.recovery.choice", fault.P{"choice": string(p.Choice)})
	}
	if out, err = r.decide(ctx, cards[i], p.Choice); err != nil {
		return out, err
	}
	if err := r.found.FindHot(ctx); err != nil {
		return out, err
	}
	r.deps.Tell(ctx)
	return out, nil
}

// endedMeanwhile does what was chosen for a run that is on no card any more: what
// the disk still had in hand of it was its end.
func (r *recovery) endedMeanwhile(ctx context.Context, p protocol.Recovery) (protocol.Reverted, error) {
	out := emptyReverted()
	if _, err := r.deps.History.Read(ctx, p.Run); err != nil {
		return out, err
	}
	if there, err := r.deps.History.Elsewhere(ctx, p.Run); err != nil {
		return out, err
	} else if there {
		return out, fault.New(fault.Precondition, "error.run.otherDevice", nil)
	}
	if err := r.found.FindHot(ctx); err != nil {
		return out, err
	}
	defer r.deps.Tell(ctx)
	switch p.Choice {
	case protocol.RecoverRevert:
		return r.reverts.revert(ctx, protocol.Revert{Run: p.Run})
	case protocol.RecoverFinish, protocol.RecoverKeep:
		return out, nil // there is nothing left to do
	}
	return out, fault.New(fault.NotFound, "error.run.missing", nil)
}

// decide does with a card what was chosen. What began last is settled first: the
// bytes that it has cut short are no sign of those before it.
func (r *recovery) decide(ctx context.Context, c *card, choice protocol.RecoveryChoice) (protocol.Reverted, error) {
	out := emptyReverted()
	defer func() {
		for _, id := range c.hot {
			r.deps.Runs.Let(id)
		}
	}()
	if err := r.takeOver(ctx, c); err != nil {
		return out, err
	}
	about := slices.DeleteFunc(slices.Clone(c.hot), func(id string) bool { return id == c.run })
	for _, id := range slices.Backward(about) {
		l, err := journal.Load(ctx, r.deps.Host.Store, history.Dir(id))
		if err != nil {
			return out, err
		}
		if err := r.settler.settleJournal(ctx, id, l); err != nil {
			return out, err
		}
	}
	var err error
	switch choice {
	case protocol.RecoverRevert:
		out, err = r.reverts.revert(ctx, protocol.Revert{Run: c.run, Path: c.only})
	case protocol.RecoverBring:
		out, err = r.reverts.revert(ctx, protocol.Revert{Run: c.back})
	case protocol.RecoverFinish:
		if slices.Contains(c.hot, c.run) {
			out, err = r.finishRun(ctx, c.run)
		} else {
			out, err = r.finishRun(ctx, c.hot[len(c.hot)-1])
		}
	case protocol.RecoverKeep:
		if slices.Contains(c.hot, c.run) {
			out, err = r.keep(ctx, c.run)
		}
	}
	if err != nil || out.Problem != nil || out.Review != "" {
		return out, err // it stands where it stood
	}
	for _, id := range slices.Backward(about) {
		if err := r.found.leave(ctx, id); err != nil {
			return out, err
		}
	}
	return out, nil
}

// takeOver takes the runs of a card in hand: whoever had them before finds that
// out before its next write.
func (r *recovery) takeOver(ctx context.Context, c *card) error {
	for _, id := range c.hot {
		if err := r.deps.Runs.Own(ctx, id); err != nil {
			return err
		}
		if err := r.deps.Runs.Begin(ctx, id, func() {}); err != nil {
			return err
		}
	}
	return nil
}

// keep leaves what was done; a half-written file is still put right.
func (r *recovery) keep(ctx context.Context, id string) (protocol.Reverted, error) {
	out := emptyReverted()
	_, l, err := r.deps.History.Past(ctx, id)
	if err != nil {
		return out, err
	}
	if !l.Ours() {
		// Nothing of what it says is done, and nothing is written into its folder:
		// it is only not offered any more.
		return out, r.deps.Runs.End(ctx, id)
	}
	if err := r.settler.settleJournal(ctx, id, l); err != nil {
		return out, err
	}
	if _, err := r.settler.cameLate(ctx, id, l); err != nil {
		return out, err
	}
	return out, r.settler.settleAs(ctx, id, l, protocol.OutcomePartial, "")
}

// finishRun makes the writes that were approved and recorded, and are not there
// yet. What the journal does not hold any more was never reached: it is told.
func (r *recovery) finishRun(ctx context.Context, id string) (protocol.Reverted, error) {
	out := emptyReverted()
	doc, l, err := r.deps.History.Past(ctx, id)
	if err != nil {
		return out, err
	}
	of := undoOf{run: id, kind: KindFinish}
	if !l.Ours() {
		return r.reverts.reviewUndo(ctx, of)
	}
	if err := r.settler.settleJournal(ctx, id, l); err != nil {
		return out, err
	}
	rest, err := l.Rest(ctx)
	if err != nil {
		return out, err
	}
	var refused []journal.Refused
	rest = slices.DeleteFunc(rest, func(p journal.Planned) bool {
		err := r.rules.checkUndo(ctx, true, p.Op)
		if err != nil {
			refused = append(refused, journal.Refused{Path: p.Op.Path, Err: err})
		}
		return err != nil
	})
	next := ids.New()
	if len(rest) > 0 {
		out.Run = next
		if err := r.carryOn(ctx, next, doc, l, rest); err != nil {
			out.Problem = r.deps.Out.Problem(err)
			return out, nil
		}
		if err := r.settler.settleJournal(ctx, id, l); err != nil {
			return out, err
		}
	}
	if _, err := r.settler.cameLate(ctx, id, l); err != nil {
		return out, err
	}
	if n := unknown(l); n > 0 {
		out.NotUndone = append(out.NotUndone, protocol.Message{Key: "recovery.changed", Params: map[string]string{"n": strconv.Itoa(n)}})
	}
	out.NotUndone = append(append(out.NotUndone, refusedMessages(r.deps.Out, refused)...), notUndone(of, &undoing{log: l})...)
	return out, r.settler.settleAs(ctx, id, l, protocol.OutcomePartial, out.Run)
}

// unknown counts the files that somebody has changed since: nobody can say whether
// the run's last write to them was made.
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
func (r *recovery) carryOn(ctx context.Context, id string, doc *history.Run, l *journal.Log, rest []journal.Planned) error {
	d := *doc
	d.RunID, d.Kind, d.Continues, d.Plan, d.Now, d.Calls = id, KindFinish, doc.RunID, nil, r.deps.Now(), len(rest)
	_, err := r.reverts.WriteRun(ctx, &d, journal.Header{Approval: l.Approval, Finishes: l.Run}, rest, lineOf(&d), r.rules.undoable(true))
	return err
}
