package transaction

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/journal"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/runner"
	"embedded-agent/wasm/internal/sorting"
	"embedded-agent/wasm/internal/tool"
)

// pastUndo is what a session has whose changes come from a past run's journal
// instead of a plan.
type pastUndo struct {
	of   undoOf
	doc  *history.Run
	done *undoing // as it was simulated
}

// past is what is kept of it when its run has ended.
func (u *pastUndo) past() *pastUndo { return &pastUndo{of: u.of} }

// reviewUndo opens the review of an undo. What cannot be decided without the
// person (conflicts) is told, and left as it is.
func (t *Transactions) reviewUndo(ctx context.Context, of undoOf) (protocol.Reverted, error) {
	out := emptyReverted()
	doc, l, err := t.deps.History.Past(ctx, of.run)
	if err != nil {
		return out, err
	}
	if l.Ours() {
		if err := t.settleAround(ctx, of.run); err != nil {
			return out, err
		}
	}
	goal := t.deps.Out.Redact(doc.Goal)
	se := t.NewReview(&plan.Plan{Goal: goal}, &plan.Graph{Risk: tool.RiskWrites}, nil)
	se.MustAsk, se.Undo, se.Report = true, &pastUndo{of: of, doc: doc}, &runner.Report{}
	if err := t.Simulate(ctx, se); err != nil {
		return out, err
	}
	for _, c := range se.Undo.done.report.Conflicts {
		out.Conflicts = append(out.Conflicts, conflictView(c))
	}
	if err := t.showReview(se); err != nil {
		return out, err
	}
	out.Review = se.ID
	return out, nil
}

// simulateUndo plans the undo of a session anew, and makes the review of it.
func (t *Transactions) simulateUndo(ctx context.Context, se *Review) error {
	_, l, err := t.deps.History.Past(ctx, se.Undo.of.run)
	if err != nil {
		return err
	}
	if se.Base == nil {
		se.Base = overlay.NewBase(t.deps.Host.Vault, nil, se.Now)
	}
	u, err := t.planUndo(ctx, l, se.Undo.of, se.Base, se.amend, journal.RevertOptions{})
	if err != nil {
		return err
	}
	changes, err := u.vault.Changes(ctx)
	if err != nil {
		return err
	}
	next := *se.Undo // the session that is shown keeps its own
	next.done = u
	se.Undo, se.Vault, se.Changes, se.Called = &next, u.vault, changes, map[string]*tool.Call{}
	se.View, err = t.reviewOfUndo(ctx, se)
	return err
}

// reviewOfUndo makes what the person sees.
func (t *Transactions) reviewOfUndo(ctx context.Context, se *Review) (*protocol.Review, error) {
	u := se.Undo.done
	r, err := reviewFiles(ctx, se)
	if err != nil {
		return nil, err
	}
	r.Title = &protocol.Message{Key: "review.undo." + se.Undo.of.kind, Params: map[string]string{"goal": se.plan.Goal}}
	r.Undo, r.Origin, r.Warnings = se.Undo.of.kind, history.OriginName(u.log.Origin), append(t.undoWarnings(se), r.Warnings...)
	r.Calls = len(u.writes(""))
	r.Approvable = r.Calls > 0
	return r, nil
}

// undoWarnings say what the person must know of an undo: whose it is, and what
// is not done.
func (t *Transactions) undoWarnings(se *Review) []protocol.Message {
	u := se.Undo.done
	out := []protocol.Message{}
	if !u.ours {
		out = append(out, protocol.Message{Key: "review.origin." + history.OriginName(u.log.Origin)})
	}
	out = append(out, refusedMessages(t, u.refused)...)
	if n := len(u.report.Conflicts); n > 0 {
		paths := make([]string, n)
		for i, c := range u.report.Conflicts {
			paths[i] = c.Path
		}
		out = append(out, protocol.Message{Key: "review.undo.conflicts", Params: map[string]string{"n": strconv.Itoa(n), "paths": named(paths)}})
	}
	return append(append(out, notUndone(se.Undo.of, u)...), se.Warnings...)
}

// refusedMessages list what an undo leaves as it is, by the reason.
func refusedMessages(s *Transactions, refused []journal.Refused) []protocol.Message {
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
			"n": strconv.Itoa(len(paths)), "paths": named(paths), "reason": s.deps.Out.Redact(reason[key].Error()),
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
