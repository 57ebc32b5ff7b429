package transaction

import (
	"context"
	"strconv"
	"time"

	"embedded-agent/wasm/internal/audit"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/journal"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/policy"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/runner"
	"embedded-agent/wasm/internal/timestamp"
	"embedded-agent/wasm/internal/tool"
)

// event records a run event.
func (x *Run) event(kind, level, text string, payload map[string]any) {
	x.log.Event(&audit.Event{
		Type: kind, RunID: x.Review.ID, Timestamp: timestamp.Milli(x.t.deps.Now()), Level: level, Message: text, Payload: payload,
	})
}

// ask asks about a call at its turn; the question is recorded when it is shown,
// and the answer when it comes.
func (x *Run) ask(ctx context.Context, c *tool.Call, v policy.Verdict) (bool, error) {
	x.callEvent("run.confirmationRequested", "info", "The person was asked about “"+c.Tool+"”.", c, nil)
	yes, err := x.t.deps.Guard.AskAllow(ctx, c, v)
	if err == nil && yes {
		x.callEvent("run.confirmed", "info", "The person allowed “"+c.Tool+"”.", c, map[string]any{"confirmationId": c.ConfirmationID, "automatic": false})
	}
	return yes, err
}

// callEvent records an event of one call.
func (x *Run) callEvent(kind, level, text string, c *tool.Call, payload map[string]any) {
	x.log.Event(&audit.Event{
		Type: kind, RunID: x.Review.ID, Timestamp: timestamp.Milli(x.t.deps.Now()), Level: level, Message: text,
		CallID: c.CallID, StepID: c.StepID, Tool: c.Tool, Payload: payload,
	})
}

// scheduled records that a step's calls are known.
func (x *Run) scheduled(n *plan.Node, calls int) {
	x.meter.expect(n.Step.ID, calls, x.t.deps.Now())
	x.log.Event(&audit.Event{
		Type: "step.scheduled", RunID: x.Review.ID, Timestamp: timestamp.Milli(x.t.deps.Now()), Level: "info", Message: "“" + n.Tool.Name + "” has " + strconv.Itoa(calls) + " calls.",
		StepID: n.Step.ID, Tool: n.Tool.Name, Payload: map[string]any{"calls": calls},
	})
}

func (x *Run) started(c *tool.Call) {
	now := x.t.deps.Now()
	x.meter.begins(c.CallID, now)
	at := timestamp.Milli(now)
	x.log.Event(&audit.Event{Type: "step.started", RunID: c.RunID, Timestamp: at, Level: "info", Message: "“" + c.Tool + "” begins.", CallID: c.CallID, StepID: c.StepID, Tool: c.Tool})
	x.t.deps.Out.GatherExec(c.CallID, func() *protocol.ExecutionEvent {
		return &protocol.ExecutionEvent{
			Type: "step.started", RunID: c.RunID, Timestamp: at, Level: "info", Message: c.Tool,
			CallID: c.CallID, StepID: c.StepID, Tool: c.Tool, Call: x.t.deps.History.CallView(c, nil),
		}
	})
}

func (x *Run) ended(c *tool.Call, r *tool.Result) {
	kind, level, text := "step.finished", "info", r.UserMessage
	if !r.OK && r.Status != tool.Skipped {
		kind, level = "step.failed", "error"
	}
	at := timestamp.Milli(x.t.deps.Now())
	x.log.Event(&audit.Event{Type: kind, RunID: c.RunID, Timestamp: at, Level: level, Message: messageOf(c, r), CallID: c.CallID, StepID: c.StepID, Tool: c.Tool})
	x.t.deps.Out.GatherExec(c.CallID, func() *protocol.ExecutionEvent {
		return &protocol.ExecutionEvent{
			Type: kind, RunID: c.RunID, Timestamp: at, Level: protocol.Level(level), Message: x.t.deps.Out.Redact(text),
			CallID: c.CallID, StepID: c.StepID, Tool: c.Tool, Call: x.t.deps.History.CallView(c, r),
		}
	})
	x.progress(r)
}

// skipped tells of a step that was not run.
func (x *Run) skipped(n *plan.Node, r *tool.Result) {
	for _, a := range x.calls {
		if a.call.StepID == n.Step.ID {
			x.abandon(a.call.LogicalID)
		}
	}
	kind := "step.finished"
	if r.Error != nil {
		kind = "step.failed"
	}
	x.event(kind, "warn", r.UserMessage, map[string]any{"status": string(r.Status), "stepId": n.Step.ID})
	view := &protocol.ExecutionEvent{
		Type: kind, RunID: x.Review.ID, Timestamp: r.StartedAt, Level: "warn", Message: r.UserMessage, StepID: n.Step.ID, Tool: n.Tool.Name,
		CallID: "step:" + n.Step.ID,
		Call: &protocol.CallView{
			CallID: "step:" + n.Step.ID, StepID: n.Step.ID, Tool: n.Tool.Name, Index: -1, Attempt: 1, Status: protocol.CallStatus(r.Status),
			Problem: x.t.deps.Out.ProblemOf(r.Fault),
		},
	}
	x.t.deps.Out.GatherExec(view.CallID, func() *protocol.ExecutionEvent { return view })
	x.progress(r)
}

// progress counts a call that has ended. Attempts that are followed by another
// are not counted as failures of the run.
func (x *Run) progress(r *tool.Result) {
	x.mu.Lock()
	switch {
	case r.OK:
		x.rs.Done++
	case r.Status == tool.Skipped:
		x.rs.Skipped++
	default:
		x.rs.Failed++
	}
	n := x.rs.Done + x.rs.Failed + x.rs.Skipped
	if spent := x.t.deps.Now().Sub(x.began); n > 0 && x.rs.Total > n {
		x.rs.LeftMs = (spent / time.Duration(n) * time.Duration(x.rs.Total-n)).Milliseconds()
	}
	x.rs.Text = protocol.Message{Key: "run.running", Params: map[string]string{"n": strconv.Itoa(n), "total": strconv.Itoa(x.rs.Total)}}
	rs := x.rs
	x.mu.Unlock()
	x.t.deps.Out.GatherRun(rs)
}

// finish says in words how the run ended.
func (x *Run) finish(rep *runner.Report, err error) journal.End {
	x.mu.Lock()
	defer x.mu.Unlock()
	rs := &x.rs
	rs.LeftMs = 0
	outcome, key := history.OutcomeOK, "run.ok"
	params := map[string]string{"goal": rs.Goal}
	if rep != nil {
		ok, failed, skipped := rep.Counts()
		x.done = succeeded(rep)
		rs.Done, rs.Failed, rs.Skipped = ok, failed, max(skipped, rs.Total-ok-failed)
		if step, cause := rep.Failure(); cause != nil {
			err = cause
			rs.Problem = x.t.deps.Out.ProblemOf(cause)
			rs.Problem.Step, rs.Problem.Tool = step.Node.Step.ID, step.Node.Tool.Name
			rs.Problem.Args = x.t.deps.Out.Redact(history.ShortJSON(step.Node.Step.Args))
		} else if rep.Stopped != nil {
			err = rep.Stopped
		}
	}
	params["n"], params["total"] = strconv.Itoa(rs.Done), strconv.Itoa(rs.Total)
	switch {
	case fault.Is(err, fault.Cancelled):
		outcome, key = history.OutcomeCancelled, "run.cancelled"
		rs.Problem = nil
	case fault.Is(err, fault.Conflict) && (rep == nil || rep.Stopped != nil): // else it was shown, and skipped
		outcome, key = history.OutcomeConflict, "run.conflict"
	case err == nil && x.again != nil:
		outcome, key = history.OutcomePartial, "run.asksAgain"
	case err != nil && rs.Done > 0:
		outcome, key = history.OutcomePartial, "run.partial"
	case err != nil:
		outcome, key = history.OutcomeFailed, "run.failed"
	}
	if err != nil && rs.Problem == nil && outcome != history.OutcomeCancelled {
		rs.Problem = x.t.deps.Out.Problem(err)
	}
	rs.Outcome, rs.Text = protocol.RunOutcome(outcome), protocol.Message{Key: key, Params: params}
	rs.Summary = x.made()
	if x.log != nil {
		if x.again != nil {
			x.event("run.confirmationRequested", "warn", "What is left is not what was approved; it is shown again.", nil)
		}
		kind := "run.finished"
		if outcome == history.OutcomeCancelled {
			kind = "run.cancelled"
			x.event(kind, "warn", "The run was cancelled.", nil)
			kind = "run.finished"
		}
		x.event(kind, "info", "The run has ended: "+outcome+".", map[string]any{"done": rs.Done, "failed": rs.Failed, "skipped": rs.Skipped})
	}
	return journal.End{Outcome: outcome, At: timestamp.Milli(x.t.deps.Now())}
}

// made sums up what was really written, which after a failure is less than what
// was approved.
func (x *Run) made() []protocol.SummaryLine {
	var files []protocol.FileChange
	for _, c := range x.written() {
		files = append(files, protocol.FileChange{Path: c.Path, From: c.From, Status: protocol.FileStatus(c.Status), LinksOnly: c.Follows && c.Status == overlay.Modify})
	}
	if len(files) == 0 {
		return nil
	}
	return doneLines(files)
}

// changed counts the files that were written. The lock may be held.
func (x *Run) changed() int {
	n := 0
	for _, c := range x.written() {
		if c.Kind == host.File {
			n++
		}
	}
	return n
}

// written lists the changes of the review that were made.
func (x *Run) written() []overlay.Change {
	if x.jw == nil {
		return nil
	}
	done := map[string]bool{}
	for i, o := range x.jw.Outcomes() {
		if o == journal.Done {
			p := x.jw.Planned(i)
			done[p.Op.Path] = true
			if p.Op.To != "" {
				done[p.Op.To] = true
			}
		}
	}
	var out []overlay.Change
	for _, c := range x.Review.Changes {
		if done[c.Path] {
			out = append(out, c)
		}
	}
	return out
}

// doneLines says changes in the past tense.
func doneLines(files []protocol.FileChange) []protocol.SummaryLine {
	lines := changeLines(files)
	for i := range lines {
		lines[i].Text.Key = "done." + lines[i].Text.Key
	}
	return lines
}

// succeeded gives the results that a later run can take as they are.
func succeeded(rep *runner.Report) map[int]*tool.Result {
	out := map[int]*tool.Result{}
	for place, st := range rep.Steps {
		for i, r := range st.Results {
			if r != nil && r.OK {
				out[runner.Seq(place, i)] = r
			}
		}
	}
	return out
}
