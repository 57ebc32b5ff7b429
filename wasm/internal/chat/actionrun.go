package chat

import (
	"context"

	"embedded-agent/wasm/internal/action"
	"embedded-agent/wasm/internal/outbox"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/saved"
	"embedded-agent/wasm/internal/tool"
)

// ActionRun starts an action: no model is asked. Missing values are asked for.
func (room *Chat) ActionRun(ctx context.Context, p protocol.ActionRun) (protocol.Accepted, error) {
	a, err := room.deps.Library.Get(ctx, p.ID)
	if err != nil {
		return protocol.Accepted{}, err
	}
	return room.startTurn(a.Name, "", func(ctx context.Context, t *turn) error {
		return room.actionTurn(ctx, t, a, p)
	})
}

func (room *Chat) actionTurn(ctx context.Context, t *turn, a *action.Action, p protocol.ActionRun) error {
	r, err := room.deps.Saved.Ready(ctx, a, p.Values)
	if err != nil {
		return err
	}
	if r.Plan == nil { // a model is asked for it
		t.set(func(t *protocol.Turn) { t.Text = r.Instruction })
		t.asksFor, t.mustAsk, t.link = a.ID, !a.Trusted, p.Link
		return room.planTurn(ctx, t, protocol.Send{Text: r.Instruction, Mode: protocol.ModePlan, DryRun: p.DryRun, UseSelection: true})
	}
	d := room.deps.Transactions.NewDraft(r.Plan, r.Graph, r.Raw)
	d.DryRun, d.Action, d.MustAsk, d.Warnings, d.Turn = p.DryRun, a.ID, !a.Trusted, outbox.Warnings(r.Problems), t
	d.OwnWords, d.Selection, d.Link = r.OwnWords, r.Selection, p.Link
	t.set(func(t *protocol.Turn) { t.Outcome, t.Run = protocol.TurnPlan, d.ID })
	room.phase(t, protocol.PhaseSimulating)
	rv, err := room.deps.Transactions.Simulate(ctx, d)
	if err != nil || t.found(rv) {
		return err
	}
	return room.deps.Transactions.ShowReview(rv)
}

// CallsAtHand gives the calls of what is open: of the review, as they were
// simulated, and then all of them; or of the turns of the conversation.
func (room *Chat) CallsAtHand(run string) (calls []saved.Call, all bool) {
	calls = room.Conversations.callsOf(run)
	all = room.deps.Transactions.Simulated(run, func(c *tool.Call, r *tool.Result) { calls = append(calls, saved.CallOf(c, r)) })
	return calls, all
}
