package transaction

import (
	"context"
	"maps"
	"slices"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/journal"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/policy"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/runner"
	"embedded-agent/wasm/internal/tool"
)

// A plan is cut after each step that cannot be simulated (a command). The part
// up to there is a segment: its writes are planned in the journal, and made.
// What such a step did nobody knows, so the rest is simulated again, on the
// vault as it is then. Where that gives the writes that were approved, the run
// goes on with them; where not, it stops, and the rest is shown and asked about
// as a review of its own. The step itself is never made again: the run goes on
// from its result.

// cut gives the place after the first step from a place on that cannot be
// simulated: the end of the segment that begins there.
func (rv *Review) cut(from int) int {
	for place := from; place < len(rv.graph.Nodes); place++ {
		if !rv.graph.Nodes[place].Tool.Simulable {
			return place + 1
		}
	}
	return len(rv.graph.Nodes)
}

// writes gives the simulated writes of the steps from a place on, in order.
func (rv *Review) writes(from int) []overlay.Write {
	var out []overlay.Write
	for _, w := range rv.Vault.Log() {
		c := rv.Called[w.Call]
		if c != nil && c.Seq >= runner.Seq(from, 0) && w.Refused == nil && w.Op.Kind != "" {
			out = append(out, w)
		}
	}
	return out
}

// segments carries out the plan, a segment at a time. The report is of all that
// was reached.
func (x *execution) segments(pol *policy.Policy, confirmation string) (*runner.Report, error) {
	rv, from, prior := x.review, x.review.from, x.review.prior
	for {
		to := rv.cut(from)
		x.acted.Store(false)
		rep := x.segment(rv, from, to, prior, pol, confirmation)
		if rep.Stopped != nil || to == len(rv.graph.Nodes) {
			return rep, nil
		}
		from, prior = to, with(prior, bySeq(rep, reached))
		if x.acted.Load() {
			rest, err := x.simulateRest(rv, from, prior)
			if err != nil {
				return rep, err
			}
			if !sameRest(rv, rest, from) {
				x.again = rest
				return rep, nil
			}
			rv = rest
		}
		x.calls.jw.Extend(x.calls.take(rv, from, rv.cut(from), x.calls.jw.Len()))
	}
}

// segment executes the steps of the places [from, to).
func (x *execution) segment(rv *Review, from, to int, prior map[int]*tool.Result, pol *policy.Policy, confirmation string) *runner.Report {
	rc := x.sim.runConfig(rv.ID, rv.program, rv.Now, x.pipeline(pol), pol, confirmation)
	rc.Base.Policy = x.sim.snapshotOf(rv, pol)
	rc.Part.From, rc.Part.To, rc.Part.Prior, rc.Control.Gate = from, to, prior, x.gate
	rc.Now = x.deps.Now // of the calls; what tools take for now is fixed
	rc.Events.Expanded, rc.Control.Ready, rc.Control.Fatal = x.told.scheduled, x.calls.ready, x.calls.fatal
	rc.Events.Skipped, rc.Events.Finished, rc.Events.Stopped = x.skipped, x.callEnded, x.calls.jw.AbandonRest
	return runner.Run(x.ctx, rc)
}

// simulateRest simulates the steps from a place on, on the vault as it is now.
func (x *execution) simulateRest(rv *Review, from int, prior map[int]*tool.Result) (*Review, error) {
	rest := rv.again()
	rest.from, rest.prior, rest.base = from, prior, nil
	rest.sealed = true // an approved run asks no model
	if x.deps.Host.Editor != nil {
		rest.Selection = nil // what was selected then may be elsewhere now
	}
	return x.sim.Simulate(x.ctx, rest)
}

// begins makes it durable that a call begins which cannot be undone.
func (x *execution) begins(ctx context.Context, c *tool.Call) error {
	e, err := x.deps.Registry.Get(c.Tool, c.Version)
	if err != nil || e.Simulable {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	if err := x.told.log.Flush(ctx); err != nil {
		return err
	}
	if err := x.calls.jw.Begins(ctx, journal.Act{Call: c.LogicalID, Step: c.StepID, Seq: c.Seq}); err != nil {
		return err
	}
	x.acted.Store(true)
	return nil
}

// with gives both sets of results: what was known, and what became of the calls
// since.
func with(known, since map[int]*tool.Result) map[int]*tool.Result {
	maps.Copy(since, known)
	return since
}

// okay counts the results of calls that went well.
func okay(results map[int]*tool.Result) int {
	n := 0
	for _, r := range results {
		if r.OK {
			n++
		}
	}
	return n
}

// deed is one thing that the rest of a plan does: a write with its bytes before
// and after, or a call that is executed in the run, with its arguments.
type deed struct {
	kind             host.OpKind
	step, path, to   string
	beforeEtag, hash string
}

// sameRest says whether the rest of a plan does what was approved of it. A step
// that is left out since one before it failed is what the plan says of errors,
// and was approved with it.
func sameRest(approved, rest *Review, from int) bool {
	if (approved.Report.Stopped == nil) != (rest.Report.Stopped == nil) {
		return false
	}
	out := map[string]bool{}
	for place := from; place < len(rest.Report.Steps); place++ {
		if st := rest.Report.Steps[place]; st.Status == tool.Skipped && st.CauseStep != "" {
			out[st.Node.Step.ID] = true
		}
	}
	without := func(ds []deed) []deed {
		return slices.DeleteFunc(ds, func(d deed) bool { return out[d.step] })
	}
	return slices.Equal(without(approved.deeds(from)), without(rest.deeds(from)))
}

// deeds lists what the steps from a place on do: the writes in their order,
// then the calls that are executed in a run.
func (rv *Review) deeds(from int) []deed {
	var out []deed
	for _, w := range rv.writes(from) {
		out = append(out, deed{w.Op.Kind, rv.Called[w.Call].StepID, w.Op.Path, w.Op.To, w.BeforeEtag, w.AfterEtag})
	}
	for s := range rv.calls(from, everything) {
		if !replayable(s.step.Node.Tool) {
			out = append(out, deed{step: s.call.StepID, path: s.call.Tool, hash: s.call.ArgsHash})
		}
	}
	return out
}

// askAgain makes the review of a rest that is not what was approved; nil where
// there is none, or it could not be made.
func (x *execution) askAgain() *Review {
	if x.again == nil {
		return nil
	}
	old := x.again
	next := newDraft(x.deps, old.plan, old.graph, old.raw)
	next.Instruction, next.Action, next.Now = old.Instruction, old.Action, old.Now
	next.OwnWords, next.Said = old.OwnWords, old.Said
	next.prior, next.from, next.Selection = old.prior, old.from, old.Selection
	next.decided, next.Frozen = old.decided.clone(), old.Frozen
	next.MustAsk, next.continues = true, x.id
	next.Warnings = append(slices.Clone(x.review.Warnings), protocol.Message{Key: "review.restChanged"})
	rest, err := x.sim.Simulate(x.deps.Life, next)
	if err != nil {
		x.deps.Out.Notice("warn", "notice.restNotShown", nil, x.id)
		return nil
	}
	return rest
}

// showRest opens the review of a rest, once the run has ended.
func (x *execution) showRest(rest *Review) {
	if rest == nil {
		return
	}
	if err := x.now.Show(rest); err != nil {
		x.deps.Out.Notice("warn", "notice.restNotShown", nil, x.id)
	}
}
