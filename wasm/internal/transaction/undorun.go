package transaction

import (
	"context"
	"strconv"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/runner"
	"embedded-agent/wasm/internal/tool"
)

// Undo is what a review has whose changes come from a past run's records instead
// of a plan.
type Undo interface {
	// Kind is protocol.KindRevert or protocol.KindFinish.
	Kind() protocol.RunKind
	// Simulate plans it anew on the review's base, and makes the review of it.
	Simulate(ctx context.Context, of *Review) error
	// Refused gives the first thing of it that the policy refuses by now.
	Refused(ctx context.Context) error
	// CarryOut makes its writes as a run of its own, under the review's id, ends what
	// it was about, and gives its line for the history.
	CarryOut(ctx context.Context, of *Review) (protocol.RunSummary, error)
	// Past is what is kept of it when its run has ended.
	Past() Undo
}

// beginUndo carries out a reviewed undo that a person has approved. It returns
// when it has begun.
func (t *Transactions) beginUndo(se *Review, automatic bool) error {
	free, err := t.aloneNext()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(t.deps.Life)
	total := se.View.Calls
	x := &Run{t: t, Review: se, kind: se.Undo.Kind(), automatic: automatic, gate: &runner.Gate{}, cancel: cancel, ctx: ctx, began: t.deps.Now()}
	x.rs = protocol.RunState{
		Run: se.ID, Kind: x.kind, State: "running", Total: total, Goal: se.plan.Goal,
		Text: protocol.Message{Key: "run.running", Params: map[string]string{"n": "0", "total": strconv.Itoa(total)}},
		Can:  protocol.Can{Cancel: true},
	}
	if err := t.takeReview(se, x); err != nil {
		cancel()
		free()
		return err
	}
	go x.undo(total, free)
	return nil
}

// undo makes the writes, and ends the run that they belong to.
func (x *Run) undo(total int, free func()) {
	defer x.cancel()
	s := x.t
	sum, err := x.Review.Undo.CarryOut(x.ctx, x.Review)
	ctx := context.WithoutCancel(x.ctx)
	free() // before it is over: what is asked for then is done
	x.mu.Lock()
	x.rs.State, x.rs.Outcome, x.rs.Text, x.rs.Done = "finished", sum.Outcome, sum.Text, sum.Calls
	x.rs.Can = protocol.Can{Revert: sum.Can.Revert}
	if err != nil {
		x.rs.Problem = s.deps.Out.Problem(err)
		x.rs.Failed = total - sum.Calls
		if x.rs.Outcome == "" || x.rs.Outcome == history.OutcomeOK {
			x.rs.Outcome = history.OutcomeFailed
		}
		x.rs.Text = protocol.Message{Key: "run." + string(x.rs.Outcome), Params: map[string]string{"goal": x.rs.Goal, "n": strconv.Itoa(sum.Calls), "total": strconv.Itoa(total)}}
	} else {
		x.rs.Summary = doneLines(x.Review.View.Files)
	}
	x.mu.Unlock()
	x.tell()
	s.deps.LookAgain(ctx)
	if err := s.deps.History.Prune(ctx); err != nil {
		s.deps.Out.Notice("warn", "notice.notPruned", nil, "")
	}
	x.letGo()
}

// takeReview makes a run of the open review.
func (t *Transactions) takeReview(se *Review, x *Run) error {
	t.mu.Lock()
	if t.run != nil && !t.run.over() {
		t.mu.Unlock()
		return fault.New(fault.Precondition, "error.busy", nil)
	}
	if t.review != se { // closed or changed meanwhile
		t.mu.Unlock()
		return fault.New(fault.Conflict, "error.review.changed", nil)
	}
	t.run, t.review = x, nil
	t.mu.Unlock()
	t.deps.Settled(se.ID, true)
	t.deps.Out.Tell(protocol.Event{Type: protocol.EventReviewClosed, RunID: se.ID})
	x.tell()
	return nil
}

// NewUndo begins a review of an undo.
func (t *Transactions) NewUndo(goal string, u Undo) *Review {
	se := t.NewReview(&plan.Plan{Goal: goal}, &plan.Graph{Risk: tool.RiskWrites}, nil)
	se.MustAsk, se.Undo, se.Report = true, u, &runner.Report{}
	return se
}

// Goal is what a plan says that it is for.
func (se *Review) Goal() string { return se.plan.Goal }

// BaseOfUndo gives the vault as an undo finds it: read once for each simulation.
func (se *Review) BaseOfUndo(v host.Vault) *overlay.Base {
	if se.Base == nil {
		se.Base = overlay.NewBase(v, nil, se.Now)
	}
	return se.Base
}

// SetUndo sets what an undo was simulated to do.
func (se *Review) SetUndo(u Undo, v *overlay.Vault, changes []overlay.Change) {
	se.Undo, se.Vault, se.Changes, se.Called = u, v, changes, map[string]*tool.Call{}
}

// Amendments are what the person has changed in a review; not to be changed.
func (se *Review) Amendments() *overlay.Amendments { return se.amend }
