package server

import (
	"context"
	"time"

	"embedded-agent/wasm/internal/action"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/outbox"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/saved"
)

// actionRun starts an action: no model is asked. Missing values are asked for.
func (s *Server) actionRun(ctx context.Context, p protocol.ActionRun) (protocol.Accepted, error) {
	a, err := s.library.Get(ctx, p.ID)
	if err != nil {
		return protocol.Accepted{}, err
	}
	return s.startTurn(a.Name, "", func(ctx context.Context, t *turn) error {
		return s.actionTurn(ctx, t, a, p)
	})
}

func (s *Server) actionTurn(ctx context.Context, t *turn, a *action.Action, p protocol.ActionRun) error {
	r, err := s.saved.Ready(ctx, a, p.Values)
	if err != nil {
		return err
	}
	if r.Plan == nil { // a model is asked for it
		t.set(func(t *protocol.Turn) { t.Text = r.Instruction })
		t.asksFor, t.mustAsk, t.link = a.ID, !a.Trusted, p.Link
		return s.planTurn(ctx, t, protocol.Send{Text: r.Instruction, Mode: protocol.ModePlan, DryRun: p.DryRun, UseSelection: true})
	}
	se := s.newSession(r.Plan, r.Graph, r.Raw)
	se.dryRun, se.action, se.mustAsk, se.warnings, se.turn = p.DryRun, a.ID, !a.Trusted, outbox.Warnings(r.Problems), t
	se.ownWords, se.selection, se.link = r.OwnWords, r.Selection, p.Link
	t.set(func(t *protocol.Turn) { t.Outcome, t.Run = outcomePlan, se.id })
	s.phase(t, phaseSimulating)
	return s.openReview(ctx, se)
}

// planAtHand gives the plan of a run that has just ended, as it was executed, with
// what was before the person; nil for any other.
func (s *Server) planAtHand(run string) (*plan.Plan, *host.EditorState, time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if x := s.run; x != nil && x.se.id == run && x.se.plan != nil {
		return x.se.plan, x.se.editorSeen(), x.se.now
	}
	return nil, nil, time.Time{}
}

// callsAtHand gives the calls of what is open: of the review, as they were
// simulated, and then all of them; or of the turns of the conversation.
func (s *Server) callsAtHand(run string) (calls []saved.Call, all bool) {
	s.mu.Lock()
	open := s.review
	calls = s.madeInTurn(run)
	s.mu.Unlock()
	if open == nil || open.id != run {
		return calls, false
	}
	for _, st := range open.report.Steps {
		for _, r := range st.Results {
			if r == nil {
				continue
			}
			if c := open.called[r.LogicalID]; c != nil {
				calls = append(calls, saved.CallOf(c, r))
			}
		}
	}
	return calls, true
}

// madeInTurn gives the calls of a turn of the conversation that is open, by the
// turn's id or by that of the run it led to, or was itself. The lock is held.
func (s *Server) madeInTurn(run string) []saved.Call {
	var out []saved.Call
	if s.talk == nil {
		return nil
	}
	for _, c := range s.talk.calls {
		same := c.turn == run || c.trace == run
		for _, t := range s.talk.Turns {
			same = same || t.Shown.ID == c.turn && t.Run == run && run != ""
		}
		if !same {
			continue
		}
		for _, e := range c.by {
			out = append(out, saved.CallByModel(e, c.trace))
		}
	}
	return out
}
