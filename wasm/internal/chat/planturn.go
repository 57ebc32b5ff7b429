package chat

import (
	"context"

	"embedded-agent/wasm/internal/debrief"
	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/hollow"
	"embedded-agent/wasm/internal/ids"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/outbox"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/planner"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/transaction"
)

// planning is a turn that asks for a plan, tries it out and shows it. One
// goroutine owns it.
type planning struct {
	room  *Chat
	t     *turn
	p     protocol.Send
	id    string // of the run to be
	trace *history.Tracing
	plain bool // the model was told no text of notes

	rv *transaction.Review // of the plan that was tried out last
	of *plan.Plan
}

// planTurn asks the model for a plan and opens its review.
func (room *Chat) planTurn(ctx context.Context, t *turn, p protocol.Send) error {
	m, err := room.Models.New(ctx, p.Model, t.Note)
	if err != nil {
		return err
	}
	if err := room.Models.ConfirmKey(ctx); err != nil {
		return err
	}
	in, err := room.planInput(ctx, m, p)
	if err != nil {
		return err
	}
	if in.Images, err = room.attachments.images(ctx, m, p); err != nil {
		return err
	}
	pl := &planning{room: room, t: t, p: p, id: ids.New()}
	pl.trace = room.deps.History.Trace(pl.id, p.Conversation)
	m.provider = traced(pl.trace, m.provider, m.kind)
	if t.record != nil {
		in.History, t.record.turn.Trace = room.Conversations.words(t.record.in), pl.id
	}
	pl.plain, in.Try = room.toldNothing(t, &in), pl.try
	w := room.watch(t)
	w.Lowered = func(from, _ llm.PlanMode, _ *llm.Error) {
		room.Models.Refused(m, map[llm.PlanMode]llm.Feature{llm.PlanByCall: llm.FeatureTools, llm.PlanBySchema: llm.FeatureSchema}[from])
	}
	out, err := planner.Plan(ctx, m.provider, in, w)
	if out != nil {
		room.account(t, m, out)
	}
	if err != nil {
		t.set(func(t *protocol.Turn) { t.Run = "" }) // nothing is shown of what was tried out
		return err
	}
	if out.Cut {
		m.Note(protocol.Message{Key: "turn.cutOff"})
	}
	return pl.end(ctx, out)
}

// end ends the turn with what the model has given.
func (pl *planning) end(ctx context.Context, out *planner.Outcome) error {
	if out.Plan == nil {
		pl.t.set(func(t *protocol.Turn) {
			t.Outcome, t.Hollow = protocol.TurnAnswer, hollow.Words(t.Reply)
			if out.Question {
				t.Outcome = protocol.TurnQuestion
			}
		})
		pl.t.keepWords(pl.p.Text, out.Reply)
		return nil
	}
	pl.t.keepWords(pl.p.Text, out.Reply)
	if pl.of != out.Plan {
		if err := pl.simulate(ctx, out); err != nil {
			return err
		}
	}
	pl.t.keepFindings(pl.rv.View)
	if pl.t.found(pl.rv) {
		if err := pl.room.deps.History.KeepTrace(ctx, pl.trace); err != nil {
			pl.room.deps.Out.Notice("warn", "notice.historyNotKept", nil, pl.id)
		}
		return nil
	}
	return pl.room.deps.Transactions.ShowReview(pl.rv)
}

// try tries out a plan before the person sees it. Where it fails by what another
// plan may do better, the model is told; what the step was given is text of notes.
func (pl *planning) try(ctx context.Context, out *planner.Outcome) (*planner.Failed, error) {
	if err := pl.simulate(ctx, out); err != nil {
		return nil, err
	}
	why := debrief.Of(pl.rv.Report, pl.rv.Called)
	if why == nil {
		return nil, nil
	}
	redact := pl.room.deps.Out.Redact
	pl.plain = false
	if pl.t.record != nil {
		pl.t.record.turn.Plain = false
	}
	return &planner.Failed{Reason: redact(why.Reason), Data: redact(why.Data)}, nil
}

// simulate simulates a plan. What was asked of a model and read from the web while
// an earlier plan of the turn was simulated is not asked and read again.
func (pl *planning) simulate(ctx context.Context, out *planner.Outcome) error {
	room, t := pl.room, pl.t
	d := room.deps.Transactions.NewDraft(out.Plan, out.Graph, out.Raw)
	if pl.rv != nil {
		d.Frozen = pl.rv.Frozen
	}
	d.ID, d.Trace = pl.id, pl.trace
	d.Instruction, d.DryRun, d.Warnings = pl.p.Text, pl.p.DryRun, outbox.Warnings(out.Warnings)
	d.Action, d.MustAsk, d.Turn, d.Link = t.asksFor, t.mustAsk, t, t.link
	d.Said, d.OwnWords = saidBy(t, pl.p), pl.plain
	t.set(func(t *protocol.Turn) {
		t.Outcome, t.Run, t.TracesURL = protocol.TurnPlan, pl.id, history.TracesURL(pl.id)
	})
	room.phase(t, protocol.PhaseSimulating) // told with the run's id: a model step's calls come under it
	var err error
	pl.rv, err = room.deps.Transactions.Simulate(ctx, d)
	pl.of = out.Plan
	return err
}
