package transaction

import (
	"context"
	"strconv"

	"embedded-agent/wasm/internal/inwords"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/tool"
)

// Undo belongs to a review whose changes come from a past run's records, or from a
// working copy, instead of a plan. Like the review it is not changed: a simulation makes another one.
type Undo interface {
	// Kind is protocol.KindRevert, protocol.KindFinish or protocol.KindStaged.
	Kind() protocol.RunKind
	// Simulate plans it anew on the draft's base, and makes the review of it
	// (Draft.FinishUndo).
	Simulate(ctx context.Context, d *Draft) (*Review, error)
	// Refused gives the first thing of it that the policy refuses by now.
	Refused(ctx context.Context) error
	// CarryOut makes its writes as a run of its own, under the review's id, ends what
	// it was about, and gives its line for the history and the files that were written.
	CarryOut(ctx context.Context, of *Review) (protocol.RunSummary, []protocol.FileChange, error)
}

// beginUndo carries out a reviewed undo that a person has approved. It returns
// when it has begun.
func (e *executor) beginUndo(rv *Review) error {
	free, err := e.now.aloneNext()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(e.deps.Life)
	total := rv.View.Calls
	x := newRun(rv, protocol.RunState{
		Run: rv.ID, Kind: rv.Undo.Kind(), State: protocol.RunRunning, Total: total, Goal: rv.Goal(),
		Text: protocol.Message{Key: "run.running", Params: map[string]string{"n": "0", "total": strconv.Itoa(total)}},
		Can:  protocol.Can{Cancel: true},
	}, cancel, e.deps.Out)
	if _, err := e.now.take(rv, x); err != nil {
		cancel()
		free()
		return err
	}
	go e.carryUndo(ctx, x, rv, free)
	return nil
}

// carryUndo makes the writes, and ends the run that they belong to.
func (e *executor) carryUndo(ctx context.Context, x *Run, rv *Review, free func()) {
	defer x.cancel()
	sum, wrote, err := rv.Undo.CarryOut(ctx, rv)
	ctx = context.WithoutCancel(ctx)
	free() // before it is over: what is asked for then is done
	x.change(func(rs *protocol.RunState) {
		rs.State, rs.Outcome, rs.Text, rs.Done = protocol.RunFinished, sum.Outcome, sum.Text, sum.Calls
		rs.Can, rs.Summary = protocol.Can{Revert: sum.Can.Revert}, inwords.Done(wrote)
		if err == nil {
			return
		}
		if rs.Outcome != protocol.OutcomeCancelled {
			rs.Problem, rs.Failed = e.deps.Out.Problem(err), rs.Total-sum.Calls
		}
		if rs.Outcome == "" || rs.Outcome == protocol.OutcomeOK {
			rs.Outcome = protocol.OutcomeFailed
		}
		rs.Text = protocol.Message{Key: "run." + string(rs.Outcome), Params: map[string]string{"goal": rs.Goal, "n": strconv.Itoa(sum.Calls), "total": strconv.Itoa(rs.Total)}}
	})
	x.tell()
	e.deps.LookAgain(ctx)
	e.deps.prune(ctx)
	e.now.letGo(x)
}

// NewUndo begins a review of changes without a plan: an undo, or what a command left.
func (r *reviews) NewUndo(goal string, u Undo) *Draft {
	d := r.NewDraft(&plan.Plan{Goal: goal}, &plan.Graph{Risk: tool.RiskWrites}, nil)
	d.MustAsk, d.Undo = true, u
	return d
}
