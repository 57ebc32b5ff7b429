package server

import (
	"cmp"
	"context"
	"slices"

	"embedded-agent/wasm/internal/fault"
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
	doc  *runDocument
	done *undoing // as it was simulated
}

// past is what is kept of it when its run has ended.
func (u *pastUndo) past() *pastUndo { return &pastUndo{of: u.of} }

// reviewUndo opens the review of an undo. What cannot be decided without the
// person (conflicts) is told, and left as it is.
func (s *Server) reviewUndo(ctx context.Context, of undoOf) (protocol.Reverted, error) {
	out := emptyReverted()
	doc, l, err := s.pastRun(ctx, of.run)
	if err != nil {
		return out, err
	}
	if l.Ours() {
		if err := s.settleAround(ctx, of.run); err != nil {
			return out, err
		}
	}
	goal := s.redact(doc.Goal)
	se := s.newSession(&plan.Plan{Goal: goal}, &plan.Graph{Risk: tool.RiskWrites}, nil)
	se.mustAsk, se.undo, se.report = true, &pastUndo{of: of, doc: doc}, &runner.Report{}
	if err := s.simulate(ctx, se); err != nil {
		return out, err
	}
	for _, c := range se.undo.done.report.Conflicts {
		out.Conflicts = append(out.Conflicts, conflictView(c))
	}
	if err := s.showReview(se); err != nil {
		return out, err
	}
	out.Review = se.id
	return out, nil
}

// simulateUndo plans the undo of a session anew, and makes the review of it.
func (s *Server) simulateUndo(ctx context.Context, se *session) error {
	_, l, err := s.pastRun(ctx, se.undo.of.run)
	if err != nil {
		return err
	}
	if se.base == nil {
		se.base = overlay.NewBase(s.host.Vault, nil, se.now)
	}
	u, err := s.planUndo(ctx, l, se.undo.of, se.base, se.amend, journal.RevertOptions{})
	if err != nil {
		return err
	}
	changes, err := u.vault.Changes(ctx)
	if err != nil {
		return err
	}
	next := *se.undo // the session that is shown keeps its own
	next.done = u
	se.undo, se.vault, se.changes, se.called = &next, u.vault, changes, map[string]*tool.Call{}
	se.view, err = s.reviewOfUndo(ctx, se)
	return err
}

// reviewOfUndo makes what the person sees.
func (s *Server) reviewOfUndo(ctx context.Context, se *session) (*protocol.Review, error) {
	u := se.undo.done
	r, err := reviewFiles(ctx, se)
	if err != nil {
		return nil, err
	}
	r.Title = &protocol.Message{Key: "review.undo." + string(se.undo.of.kind), Params: map[string]string{"goal": se.plan.Goal}}
	r.Undo, r.Origin, r.Warnings = se.undo.of.kind, originName(u.log.Origin), append(s.undoWarnings(se), r.Warnings...)
	r.Calls = len(u.writes(""))
	r.Approvable = r.Calls > 0
	return r, nil
}

// undoWarnings say what the person must know of an undo: whose it is, and what
// is not done.
func (s *Server) undoWarnings(se *session) []protocol.Message {
	u := se.undo.done
	out := []protocol.Message{}
	if !u.ours {
		out = append(out, protocol.Message{Key: "review.origin." + string(originName(u.log.Origin))})
	}
	out = append(out, refusedMessages(s, u.refused)...)
	if n := len(u.report.Conflicts); n > 0 {
		paths := make([]string, n)
		for i, c := range u.report.Conflicts {
			paths[i] = c.Path
		}
		out = append(out, protocol.Message{Key: "review.undo.conflicts", Params: map[string]string{"n": itoa(n), "paths": named(paths)}})
	}
	return append(append(out, notUndone(se.undo.of, u)...), se.warnings...)
}

// refusedMessages list what an undo leaves as it is, by the reason.
func refusedMessages(s *Server, refused []journal.Refused) []protocol.Message {
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
			"n": itoa(len(paths)), "paths": named(paths), "reason": s.redact(reason[key].Error()),
		}})
	}
	sorting.Func(out, func(a, b protocol.Message) int { return cmp.Compare(a.Params["paths"], b.Params["paths"]) })
	return out
}

// notUndone says what an undo cannot do at all.
func notUndone(of undoOf, u *undoing) []protocol.Message {
	var out []protocol.Message
	if of.kind == kindRevert && len(u.log.Acts) > 0 {
		out = append(out, protocol.Message{Key: "revert.commands"})
	}
	if n := u.log.Ops - len(u.log.Entries); of.kind == kindFinish && n > 0 {
		out = append(out, protocol.Message{Key: "recovery.notAll", Params: map[string]string{"n": itoa(n)}})
	}
	return out
}

// originName names an origin as the protocol has it: "" is this device.
func originName(o journal.Origin) protocol.Origin {
	switch o {
	case journal.Sealed:
		return ""
	case journal.Unsealed:
		return protocol.OriginUnsealed
	case journal.Foreign:
		return protocol.OriginForeign
	}
	return protocol.OriginChanged
}
