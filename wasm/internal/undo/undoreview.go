package undo

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/journal"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/sorting"
	"embedded-agent/wasm/internal/transaction"
)

// pastUndo is what a session has whose changes come from a past run's journal
// instead of a plan.
type pastUndo struct {
	b    *Undo
	of   undoOf
	doc  *history.Run
	done *undoing // as it was simulated
}

// Past implements Undo.
func (u *pastUndo) Past() transaction.Undo { return &pastUndo{of: u.of} }

// Kind implements Undo.
func (u *pastUndo) Kind() protocol.RunKind { return u.of.kind }

// Refused implements Undo.
func (u *pastUndo) Refused(ctx context.Context) error {
	for _, p := range u.done.writes("") {
		if err := u.b.checkUndo(ctx, u.done.ours, p.Op); err != nil {
			return err
		}
	}
	return nil
}

// reviewUndo opens the review of an undo. What cannot be decided without the
// person (conflicts) is told, and left as it is.
func (b *Undo) reviewUndo(ctx context.Context, of undoOf) (protocol.Reverted, error) {
	out := emptyReverted()
	doc, l, err := b.deps.History.Past(ctx, of.run)
	if err != nil {
		return out, err
	}
	if l.Ours() {
		if err := b.settleAround(ctx, of.run); err != nil {
			return out, err
		}
	}
	goal := b.deps.Out.Redact(doc.Goal)
	se := b.deps.Transactions.NewUndo(goal, &pastUndo{b: b, of: of, doc: doc})
	if err := b.deps.Transactions.Simulate(ctx, se); err != nil {
		return out, err
	}
	if u, ok := se.Undo.(*pastUndo); ok {
		for _, c := range u.done.report.Conflicts {
			out.Conflicts = append(out.Conflicts, conflictView(c))
		}
	}
	if err := b.deps.Transactions.Show(se); err != nil {
		return out, err
	}
	out.Review = se.ID
	return out, nil
}

// Simulate implements Undo.
func (u *pastUndo) Simulate(ctx context.Context, se *transaction.Review) error {
	b := u.b
	_, l, err := b.deps.History.Past(ctx, u.of.run)
	if err != nil {
		return err
	}
	base := se.BaseOfUndo(b.deps.Host.Vault)
	planned, err := b.planUndo(ctx, l, u.of, base, se.Amendments(), journal.RevertOptions{})
	if err != nil {
		return err
	}
	changes, err := planned.vault.Changes(ctx)
	if err != nil {
		return err
	}
	next := *u // the review that is shown keeps its own
	next.done = planned
	se.SetUndo(&next, planned.vault, changes)
	se.View, err = b.reviewOfUndo(ctx, se, &next)
	return err
}

// reviewOfUndo makes what the person sees.
func (b *Undo) reviewOfUndo(ctx context.Context, se *transaction.Review, of *pastUndo) (*protocol.Review, error) {
	u := of.done
	r, err := transaction.Files(ctx, se)
	if err != nil {
		return nil, err
	}
	r.Title = &protocol.Message{Key: "review.undo." + string(of.of.kind), Params: map[string]string{"goal": se.Goal()}}
	r.Undo, r.Origin, r.Warnings = of.of.kind, history.OriginName(u.log.Origin), append(b.undoWarnings(se, of), r.Warnings...)
	r.Calls = len(u.writes(""))
	r.Approvable = r.Calls > 0
	return r, nil
}

// undoWarnings say what the person must know of an undo: whose it is, and what
// is not done.
func (b *Undo) undoWarnings(se *transaction.Review, of *pastUndo) []protocol.Message {
	u := of.done
	out := []protocol.Message{}
	if !u.ours {
		out = append(out, protocol.Message{Key: "review.origin." + string(history.OriginName(u.log.Origin))})
	}
	out = append(out, refusedMessages(b, u.refused)...)
	if n := len(u.report.Conflicts); n > 0 {
		paths := make([]string, n)
		for i, c := range u.report.Conflicts {
			paths[i] = c.Path
		}
		out = append(out, protocol.Message{Key: "review.undo.conflicts", Params: map[string]string{"n": strconv.Itoa(n), "paths": transaction.Named(paths)}})
	}
	return append(append(out, notUndone(of.of, u)...), se.Warnings...)
}

// refusedMessages list what an undo leaves as it is, by the reason.
func refusedMessages(s *Undo, refused []journal.Refused) []protocol.Message {
	byKey := map[string][]string{}
	reason := map[string]*fault.Error{}
	for _, r := range refused {
		f := fault.From(r.Err)
		if !slices.Contains(byKey[f.Key], r.Path) {
			byKey[f.Key] = append(byKey[f.Key], r.Path)
		}
		reason[f.Key] = f
	}
	var out []protocol.Message
	for key, paths := range byKey {
		out = append(out, protocol.Message{Key: "undo.refused", Params: map[string]string{
			"n": strconv.Itoa(len(paths)), "paths": transaction.Named(paths), "reason": s.deps.Out.Redact(reason[key].Error()),
		}})
	}
	sorting.Func(out, func(a, b protocol.Message) int { return cmp.Compare(a.Params["paths"], b.Params["paths"]) })
	return out
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
