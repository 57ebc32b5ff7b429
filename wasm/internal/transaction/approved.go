package transaction

import (
	"context"
	"slices"
	"time"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/journal"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/pipeline"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/policy"
	"embedded-agent/wasm/internal/runner"
	"embedded-agent/wasm/internal/tool"
)

// approvedCall is the simulation's record of one call: its output or its
// failure (a file that was left out, say), its writes, their places in the
// journal, and which of them an earlier attempt has made.
type approvedCall struct {
	call   *tool.Call
	data   tool.Data
	failed *fault.Error
	writes []overlay.Write
	at     []int
	made   []bool
}

// approvedCalls are the calls that a run takes as they were simulated, and the
// journal of their writes. take is called between segments only, when no call is
// under way; the rest by calls, several at once, each for its own writes.
type approvedCalls struct {
	jw    *journal.Writer
	bySeq map[int]*approvedCall
	byID  map[string]*approvedCall // by call_id
}

func newApprovedCalls() *approvedCalls {
	return &approvedCalls{bySeq: map[int]*approvedCall{}, byID: map[string]*approvedCall{}}
}

// take adds the calls that were simulated for the places [from, to), those that the
// run carries out, and lists their writes in the order of the simulation; first is
// the place in the journal of the first one.
func (a *approvedCalls) take(rv *Review, from, to, first int) []journal.Planned {
	for s := range rv.calls(from, to) {
		if replayable(s.step.Node.Tool) {
			c := &approvedCall{call: s.call, data: s.result.Data, failed: s.result.Fault}
			a.bySeq[s.seq()], a.byID[s.result.LogicalID] = c, c
		}
	}
	var list []journal.Planned
	for _, w := range rv.writes(from) {
		c := a.byID[w.Call]
		if c == nil || c.call.Seq >= runner.Seq(to, 0) {
			continue
		}
		c.writes = append(c.writes, w)
		c.at = append(c.at, first+len(list))
		c.made = append(c.made, false)
		list = append(list, planned(w))
	}
	return list
}

// replayable says whether a run takes a call as it was simulated. What cannot
// be simulated, and what acts on the window, is executed.
func replayable(e *tool.Entry) bool { return e.Simulable && !e.Facts.OnWindow }

// approved gives the record of a call.
func (a *approvedCalls) approved(seq int) (*pipeline.Recorded, bool) {
	c, ok := a.bySeq[seq]
	if !ok {
		return nil, false
	}
	return &pipeline.Recorded{Args: c.call.Args, ArgsHash: c.call.ArgsHash, LogicalID: c.call.LogicalID, Data: c.data, Failed: c.failed, Writes: c.writes, Write: func(ctx context.Context, i int) error {
		if c.made[i] {
			return nil
		}
		err := a.jw.Do(ctx, c.at[i])
		c.made[i] = err == nil
		return err
	}}, true
}

// ready waits for the writes of other calls that come before those of a call.
func (a *approvedCalls) ready(ctx context.Context, seq int) bool {
	c, ok := a.bySeq[seq]
	return !ok || a.jw.AwaitBefore(ctx, c.at) == nil
}

// fatal says whether a failure is that the vault is not as it was approved, or
// that the policy is stricter than it was then: nothing further is written,
// whatever the plan says of errors. A failure that the simulation had too was
// approved; a question that was answered with no is one of the plan's errors.
func (a *approvedCalls) fatal(seq int, e *tool.Error) bool {
	if c, ok := a.bySeq[seq]; ok && c.failed != nil {
		return false
	}
	return e.Code == fault.Conflict || e.Code == fault.Denied && e.Key != "policy.refused"
}

// abandon gives up the writes that a call has not made, so that nothing waits
// for them.
func (a *approvedCalls) abandon(call string) {
	c, ok := a.byID[call]
	if !ok {
		return
	}
	for i, made := range c.made {
		if !made {
			a.jw.Abandon(c.at[i])
		}
	}
}

// abandonStep gives up the writes of a step that is not run.
func (a *approvedCalls) abandonStep(id string) {
	for _, c := range a.bySeq {
		if c.call.StepID == id {
			a.abandon(c.call.LogicalID)
		}
	}
}

// written lists those of changes that were made.
func (a *approvedCalls) written(changes []overlay.Change) []overlay.Change {
	made := a.jw.Made()
	return slices.DeleteFunc(slices.Clone(changes), func(c overlay.Change) bool { return !made[c.Path] })
}

// callEnded looks after a call that is not going to be tried again.
func (x *execution) callEnded(c *tool.Call) {
	x.calls.abandon(c.LogicalID)
	if c.Iteration != nil {
		x.told.stepProgress(c)
	}
}

// skipped looks after a step that is not run.
func (x *execution) skipped(n *plan.Node, r *tool.Result) {
	x.calls.abandonStep(n.Step.ID)
	x.told.skipped(n, r)
}

// pipeline is the way of the run's calls.
func (x *execution) pipeline(pol *policy.Policy) pipeline.Func {
	// Tools that are executed in a run may look, and nothing more: every write
	// is a recorded one.
	look := x.sim.Looking(x.review.Now, pol)
	return pipeline.New(pipeline.Deps{
		Registry: x.deps.Registry, Approved: x.calls.approved,
		Env: func(c *tool.Call) (*tool.Env, *overlay.View) {
			w := look.For(c.LogicalID)
			env := x.sim.Env(x.review.scene(), w, pol)
			env.Progress = x.told.progressOf(c)
			return env, w
		},
		Guards:  pipeline.Guards{Policy: pol, InForce: x.deps.Guard.InForce, Lifted: x.review.liftedFor, Ask: x.ask, Judge: x.review.out.Judge},
		Secrets: x.deps.Guard.ResolveSecrets,
		Records: pipeline.Records{Audit: x.told.log, Prepare: x.begins},
		Events:  pipeline.Events{Started: x.told.started, Progress: x.told.progressOf, Ended: x.told.ended},
		Timeout: time.Duration(pol.Limits.MaxTimeoutMs) * time.Millisecond,
	})
}

// ask asks about a call at its turn; the question is recorded when it is shown,
// and the answer when it comes.
func (x *execution) ask(ctx context.Context, c *tool.Call, v policy.Verdict) (bool, error) {
	x.told.callEvent("run.confirmationRequested", "info", "The person was asked about “"+c.Tool+"”.", c, nil)
	yes, err := x.deps.Guard.AskAllow(ctx, c, v)
	if err == nil && yes {
		x.told.callEvent("run.confirmed", "info", "The person allowed “"+c.Tool+"”.", c, map[string]any{"confirmationId": c.ConfirmationID, "automatic": false})
	}
	return yes, err
}
