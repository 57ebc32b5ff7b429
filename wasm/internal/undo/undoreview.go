package undo

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/journal"
	"embedded-agent/wasm/internal/outbox"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/sorting"
	"embedded-agent/wasm/internal/transaction"
)

// pastUndo belongs to a review whose changes come from a past run's journal
// instead of a plan. It is not changed: a simulation makes another one.
type pastUndo struct {
	reverts *reverts
	of      undoOf
	doc     *history.Run
	done    *undoing // as it was simulated
}

// Kind implements Undo.
func (u *pastUndo) Kind() protocol.RunKind { return u.of.kind }

// Refused implements Undo.
func (u *pastUndo) Refused(ctx context.Context) error {
	for _, p := range u.done.writes("") {
		if err := u.reverts.rules.checkUndo(ctx, u.done.ours, p.Op); err != nil {
			return err
		}
	}
	return nil
}

// reviewUndo opens the review of an undo. What cannot be decided without the
// person (conflicts) is told, and left as it is.
func (r *reverts) reviewUndo(ctx context.Context, of undoOf) (protocol.Reverted, error) {
	out := emptyReverted()
	doc, l, err := r.deps.History.Past(ctx, of.run)
	if err != nil {
		return out, err
	}
	if l.Ours() {
		if err := r.found.settleAround(ctx, of.run); err != nil {
			return out, err
		}
	}
	goal := r.deps.Out.Redact(doc.Goal)
	d := r.deps.Transactions.NewUndo(goal, &pastUndo{reverts: r, of: of, doc: doc})
	rv, err := r.deps.Transactions.Simulate(ctx, d)
	if err != nil {
		return out, err
	}
	if u, ok := rv.Undo.(*pastUndo); ok {
		for _, c := range u.done.report.Conflicts {
			out.Conflicts = append(out.Conflicts, conflictView(c))
		}
	}
	if err := r.deps.Transactions.Show(rv); err != nil {
		return out, err
	}
	out.Review = rv.ID
	return out, nil
}

// Simulate implements Undo.
func (u *pastUndo) Simulate(ctx context.Context, d *transaction.Draft) (*transaction.Review, error) {
	r := u.reverts
	_, l, err := r.deps.History.Past(ctx, u.of.run)
	if err != nil {
		return nil, err
	}
	base := d.BaseOfUndo(r.deps.Host.Vault)
	planned, err := r.planUndo(ctx, l, u.of, base, d.Amendments(), journal.RevertOptions{})
	if err != nil {
		return nil, err
	}
	changes, err := planned.vault.Changes(ctx)
	if err != nil {
		return nil, err
	}
	next := *u // the review that is shown keeps its own
	next.done = planned
	return d.FinishUndo(ctx, &next, planned.vault, changes, func(view *protocol.Review) { r.show(d, &next, view) })
}

// show adds to a review what the person sees of an undo.
func (r *reverts) show(d *transaction.Draft, of *pastUndo, view *protocol.Review) {
	u := of.done
	view.Title = &protocol.Message{Key: "review.undo." + string(of.of.kind), Params: map[string]string{"goal": d.Goal()}}
	view.Undo, view.Origin, view.Warnings = of.of.kind, history.OriginName(u.log.Origin), append(r.undoWarnings(d, of), view.Warnings...)
	view.Calls = len(u.writes(""))
	view.Approvable = view.Calls > 0
}

// undoWarnings say what the person must know of an undo: whose it is, and what
// is not done.
func (r *reverts) undoWarnings(d *transaction.Draft, of *pastUndo) []protocol.Message {
	u := of.done
	out := []protocol.Message{}
	if !u.ours {
		out = append(out, protocol.Message{Key: "review.origin." + string(history.OriginName(u.log.Origin))})
	}
	out = append(out, refusedMessages(r.deps.Out, u.refused)...)
	if n := len(u.report.Conflicts); n > 0 {
		paths := make([]string, n)
		for i, c := range u.report.Conflicts {
			paths[i] = c.Path
		}
		out = append(out, protocol.Message{Key: "review.undo.conflicts", Params: map[string]string{"n": strconv.Itoa(n), "paths": transaction.Named(paths)}})
	}
	return append(append(out, notUndone(of.of, u)...), d.Warnings...)
}

// refusedMessages list what an undo leaves as it is, by the reason.
func refusedMessages(out *outbox.Outbox, refused []journal.Refused) []protocol.Message {
	byKey := map[string][]string{}
	reason := map[string]*fault.Error{}
	for _, r := range refused {
		f := fault.From(r.Err)
		if !slices.Contains(byKey[f.Key], r.Path) {
			byKey[f.Key] = append(byKey[f.Key], r.Path)
		}
		reason[f.Key] = f
	}
	var told []protocol.Message
	for key, paths := range byKey {
		told = append(told, protocol.Message{Key: "undo.refused", Params: map[string]string{
			"n": strconv.Itoa(len(paths)), "paths": transaction.Named(paths), "reason": out.Redact(reason[key].Error()),
		}})
	}
	sorting.Func(told, func(a, b protocol.Message) int { return cmp.Compare(a.Params["paths"], b.Params["paths"]) })
	return told
}

// notUndone says what an undo cannot do at all.
func notUndone(of undoOf, u *undoing) []protocol.Message {
	var out []protocol.Message
	if of.kind == KindRevert && len(u.log.Acts) > 0 {
		out = append(out, protocol.Message{Key: "revert.commands"})
	}
	if n := u.log.Ops - len(u.log.Entries); of.kind == KindFinish && n > 0 {
		out = append(out, protocol.Message{Key: "recovery.notAll", Params: map[string]string{"n": strconv.Itoa(n)}})
	}
	return out
}
