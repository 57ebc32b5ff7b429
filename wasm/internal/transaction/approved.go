package transaction

import (
	"context"
	"time"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/journal"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/pipeline"
	"embedded-agent/wasm/internal/policy"
	"embedded-agent/wasm/internal/runner"
	"embedded-agent/wasm/internal/tool"
)

// approvedCall is what the simulation recorded of one call: its output or its
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

// take makes the calls that were simulated for the places [from, to) those that
// the run carries out, and lists their writes in the order of the simulation;
// first is the place in the journal of the first one.
func (x *Run) take(sim *Review, from, to, first int) []journal.Planned {
	for place := from; place < to; place++ {
		st := sim.Report.Steps[place]
		for i, r := range st.Results {
			if r == nil || !replayable(st.Node.Tool) {
				continue
			}
			if c := sim.Called[r.LogicalID]; c != nil {
				a := &approvedCall{call: c, data: r.Data, failed: r.Fault}
				x.calls[runner.Seq(place, i)], x.byID[r.LogicalID] = a, a
			}
		}
	}
	var planned []journal.Planned
	for _, w := range sim.writes(from) {
		c := x.byID[w.Call]
		if c == nil || c.call.Seq >= runner.Seq(to, 0) {
			continue
		}
		c.writes = append(c.writes, w)
		c.at = append(c.at, first+len(planned))
		c.made = append(c.made, false)
		planned = append(planned, journal.Planned{Call: w.Call, Op: w.Op, BeforeEtag: w.BeforeEtag, AfterEtag: w.AfterEtag})
	}
	return planned
}

// replayable says whether a run takes a call as it was simulated. What cannot
// be simulated, and what acts on the window, is executed.
func replayable(e *tool.Entry) bool { return e.Simulable && !e.Facts.OnWindow }

// approved gives the record of a call.
func (x *Run) approved(seq int) (*pipeline.Recorded, bool) {
	a, ok := x.calls[seq]
	if !ok {
		return nil, false
	}
	return &pipeline.Recorded{Args: a.call.Args, ArgsHash: a.call.ArgsHash, LogicalID: a.call.LogicalID, Data: a.data, Failed: a.failed, Writes: a.writes, Write: func(ctx context.Context, i int) error {
		if a.made[i] {
			return nil
		}
		err := x.jw.Do(ctx, a.at[i])
		a.made[i] = err == nil
		return err
	}}, true
}

// ready waits for the writes of other calls that come before those of a call.
func (x *Run) ready(ctx context.Context, seq int) bool {
	a, ok := x.calls[seq]
	return !ok || x.jw.AwaitBefore(ctx, a.at) == nil
}

// fatal says whether a failure is that the vault is not as it was approved, or
// that the policy is stricter than it was then: nothing further is written,
// whatever the plan says of errors. A failure that the simulation had too was
// approved; a question that was answered with no is one of the plan's errors.
func (x *Run) fatal(seq int, e *tool.Error) bool {
	if a, ok := x.calls[seq]; ok && a.failed != nil {
		return false
	}
	return e.Code == fault.Conflict || e.Code == fault.Denied && e.Key != "policy.refused"
}

// callEnded looks after a call that is not going to be tried again.
func (x *Run) callEnded(c *tool.Call) {
	x.abandon(c.LogicalID)
	if c.Iteration != nil {
		x.stepProgress(c)
	}
}

// abandon gives up the writes that a call has not made, so that nothing waits
// for them.
func (x *Run) abandon(call string) {
	a, ok := x.byID[call]
	if !ok || x.jw == nil {
		return
	}
	for i, made := range a.made {
		if !made {
			x.jw.Abandon(a.at[i])
		}
	}
}

func (x *Run) pipeline(pol *policy.Policy) pipeline.Func {
	s := x.t
	// Tools that are executed in a run may look, and nothing more: every write
	// is a recorded one.
	look := s.Looking(x.Review.Now, pol)
	return pipeline.New(pipeline.Deps{
		Registry: s.deps.Registry, Approved: x.approved,
		Env: func(c *tool.Call) (*tool.Env, *overlay.View) {
			w := look.For(c.LogicalID)
			env := s.Env(x.Review, w, pol)
			env.Progress = x.progressOf(c)
			return env, w
		},
		Guards:  pipeline.Guards{Policy: pol, InForce: s.deps.Guard.InForce, Ask: x.ask, Judge: x.Review.out.Judge},
		Secrets: s.deps.Guard.ResolveSecrets,
		Records: pipeline.Records{Audit: x.log, Prepare: x.begins},
		Events:  pipeline.Events{Started: x.started, Progress: x.progressOf, Ended: x.ended},
		Timeout: time.Duration(pol.Limits.MaxTimeoutMs) * time.Millisecond,
	})
}
