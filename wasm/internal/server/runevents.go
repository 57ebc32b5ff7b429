package server

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"embedded-agent/wasm/internal/audit"
	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/journal"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/pipeline"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/policy"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/runner"
	"embedded-agent/wasm/internal/tool"
)

// event records a run event.
func (x *execution) event(kind, level, text string, payload map[string]any) {
	x.log.Event(&audit.Event{
		Type: kind, RunID: x.se.id, Timestamp: pipeline.Stamp(x.s.now()), Level: level, Message: text, Payload: payload,
	})
}

// ask asks about a call at its turn; the question is recorded when it is shown,
// and the answer when it comes.
func (x *execution) ask(ctx context.Context, c *tool.Call, v policy.Verdict) (bool, error) {
	x.callEvent("run.confirmationRequested", "info", "The person was asked about “"+c.Tool+"”.", c, nil)
	yes, err := x.s.askAllow(ctx, c, v)
	if err == nil && yes {
		x.callEvent("run.confirmed", "info", "The person allowed “"+c.Tool+"”.", c, map[string]any{"confirmationId": c.ConfirmationID, "automatic": false})
	}
	return yes, err
}

// callEvent records an event of one call.
func (x *execution) callEvent(kind, level, text string, c *tool.Call, payload map[string]any) {
	x.log.Event(&audit.Event{
		Type: kind, RunID: x.se.id, Timestamp: pipeline.Stamp(x.s.now()), Level: level, Message: text,
		CallID: c.CallID, StepID: c.StepID, Tool: c.Tool, Payload: payload,
	})
}

// scheduled records that a step's calls are known.
func (x *execution) scheduled(n *plan.Node, calls int) {
	x.meter.expect(n.Step.ID, calls, x.s.now())
	x.log.Event(&audit.Event{
		Type: "step.scheduled", RunID: x.se.id, Timestamp: pipeline.Stamp(x.s.now()), Level: "info", Message: "“" + n.Tool.Name + "” has " + itoa(calls) + " calls.",
		StepID: n.Step.ID, Tool: n.Tool.Name, Payload: map[string]any{"calls": calls},
	})
}

func (x *execution) started(c *tool.Call) {
	now := x.s.now()
	x.meter.begins(c.CallID, now)
	at := pipeline.Stamp(now)
	x.log.Event(&audit.Event{Type: "step.started", RunID: c.RunID, Timestamp: at, Level: "info", Message: "“" + c.Tool + "” begins.", CallID: c.CallID, StepID: c.StepID, Tool: c.Tool})
	x.s.out.gatherExec(c.CallID, func() *protocol.ExecutionEvent {
		return &protocol.ExecutionEvent{
			Type: "step.started", RunID: c.RunID, Timestamp: at, Level: "info", Message: c.Tool,
			CallID: c.CallID, StepID: c.StepID, Tool: c.Tool, Call: x.s.callView(c, nil),
		}
	})
}

func (x *execution) ended(c *tool.Call, r *tool.Result) {
	kind, level, text := "step.finished", "info", r.UserMessage
	if !r.OK && r.Status != tool.Skipped {
		kind, level = "step.failed", "error"
	}
	at := pipeline.Stamp(x.s.now())
	x.log.Event(&audit.Event{Type: kind, RunID: c.RunID, Timestamp: at, Level: level, Message: messageOf(c, r), CallID: c.CallID, StepID: c.StepID, Tool: c.Tool})
	x.s.out.gatherExec(c.CallID, func() *protocol.ExecutionEvent {
		return &protocol.ExecutionEvent{
			Type: kind, RunID: c.RunID, Timestamp: at, Level: protocol.Level(level), Message: x.s.redact(text),
			CallID: c.CallID, StepID: c.StepID, Tool: c.Tool, Call: x.s.callView(c, r),
		}
	})
	x.progress(r)
}

// skipped tells of a step that was not run.
func (x *execution) skipped(n *plan.Node, r *tool.Result) {
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
		Type: kind, RunID: x.se.id, Timestamp: r.StartedAt, Level: "warn", Message: r.UserMessage, StepID: n.Step.ID, Tool: n.Tool.Name,
		CallID: "step:" + n.Step.ID,
		Call: &protocol.CallView{
			CallID: "step:" + n.Step.ID, StepID: n.Step.ID, Tool: n.Tool.Name, Index: -1, Attempt: 1, Status: protocol.CallStatus(r.Status),
			Problem: x.s.problemOf(r.Fault),
		},
	}
	x.s.out.gatherExec(view.CallID, func() *protocol.ExecutionEvent { return view })
	x.progress(r)
}

// progress counts a call that has ended. Attempts that are followed by another
// are not counted as failures of the run.
func (x *execution) progress(r *tool.Result) {
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
	if spent := x.s.now().Sub(x.began); n > 0 && x.rs.Total > n {
		x.rs.LeftMs = (spent / time.Duration(n) * time.Duration(x.rs.Total-n)).Milliseconds()
	}
	x.rs.Text = protocol.Message{Key: "run.running", Params: map[string]string{"n": itoa(n), "total": itoa(x.rs.Total)}}
	rs := x.rs
	x.mu.Unlock()
	x.s.out.gatherRun(rs)
}

// shown bounds arguments and results in the log's rows, in bytes.
const shown = 1500

// callView is a call as the run log shows it; r is nil while it runs.
func (s *Server) callView(c *tool.Call, r *tool.Result) *protocol.CallView {
	v := &protocol.CallView{
		CallID: c.CallID, StepID: c.StepID, Tool: c.Tool, Index: -1, Attempt: c.Attempt, Status: "running",
		Args: s.redact(shortJSON(c.Args)), Preview: s.redact(c.Preview), Risk: protocol.Risk(c.Risk),
	}
	if c.Iteration != nil {
		v.Index = c.Iteration.Index
	}
	if r == nil {
		return v
	}
	v.Status, v.DurationMs, v.Cached, v.SecretFrom = protocol.CallStatus(r.Status), r.DurationMs, r.Cached, r.SecretScope
	if r.OK {
		v.Result, v.Pins = s.redact(s.shortResult(c.Tool, r.Data)), pinsIn(r.Data)
	}
	if v.Attached = attachedTo(r.Attachments); v.Attached != nil {
		v.Run = c.RunID
	}
	v.Paths = touched(r.Effects)
	if r.Fault != nil {
		v.Problem = s.problemOf(r.Fault)
		v.Problem.Tool, v.Problem.Step = c.Tool, c.StepID
	}
	return v
}

// shownFound bounds what a search found, such as plugins: it is shown as a list,
// which a part cannot be.
const shownFound = 16 << 10

// shortResult writes what a tool gave for its row. The tool of an old run may be
// gone.
func (s *Server) shortResult(name string, d tool.Data) string {
	if e, err := s.registry.Get(name, ""); err == nil && e.Facts.Finds {
		return shortJSONTo(d, shownFound)
	}
	return shortJSON(d)
}

// pinsIn gives the names of what an agent's step pinned, in order; none for
// another tool.
func pinsIn(d tool.Data) []string {
	named, _ := d["pins"].(map[string]any)
	return slices.Sorted(maps.Keys(named))
}

// shortJSON writes a value with its long texts shortened, so that a row stays a
// row whatever a note holds.
func shortJSON[M ~map[string]any](m M) string { return shortJSONTo(m, shown) }

func shortJSONTo[M ~map[string]any](m M, most int) string {
	b, err := canon.Append(make([]byte, 0, 256), shortValue(map[string]any(m), shown/4))
	if err != nil {
		raw, err := json.Marshal(m)
		if err != nil {
			return ""
		}
		b = raw
	}
	return shorten(string(b), most)
}

func shortValue(v any, n int) any {
	switch v := v.(type) {
	case string:
		return shorten(v, n)
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[k] = shortValue(e, n)
		}
		return out
	case []any:
		if len(v) > 20 {
			v = v[:20:20]
		}
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = shortValue(e, n/2)
		}
		return out
	case tool.Data:
		return shortValue(map[string]any(v), n)
	case []map[string]any:
		out := make([]any, 0, min(len(v), 20))
		for _, e := range v[:min(len(v), 20)] {
			out = append(out, shortValue(e, n/2))
		}
		return out
	}
	return v
}

func touched(e *tool.Effects) []string {
	if e == nil {
		return nil
	}
	var out []string
	for _, p := range e.Created {
		out = append(out, p.Path)
	}
	for _, p := range e.Modified {
		out = append(out, p.Path)
	}
	for _, p := range e.Renamed {
		out = append(out, p.To)
	}
	for _, p := range e.Deleted {
		out = append(out, p.Path)
	}
	return out
}

// finish says in words how the run ended.
func (x *execution) finish(rep *runner.Report, err error) journal.End {
	x.mu.Lock()
	defer x.mu.Unlock()
	rs := &x.rs
	rs.LeftMs = 0
	outcome, key := outcomeOK, "run.ok"
	params := map[string]string{"goal": rs.Goal}
	if rep != nil {
		ok, failed, skipped := rep.Counts()
		x.done = succeeded(rep)
		rs.Done, rs.Failed, rs.Skipped = ok, failed, max(skipped, rs.Total-ok-failed)
		if step, cause := rep.Failure(); cause != nil {
			err = cause
			rs.Problem = x.s.problemOf(cause)
			rs.Problem.Step, rs.Problem.Tool = step.Node.Step.ID, step.Node.Tool.Name
			rs.Problem.Args = x.s.redact(shortJSON(step.Node.Step.Args))
		} else if rep.Stopped != nil {
			err = rep.Stopped
		}
	}
	params["n"], params["total"] = itoa(rs.Done), itoa(rs.Total)
	switch {
	case fault.Is(err, fault.Cancelled):
		outcome, key = outcomeCancelled, "run.cancelled"
		rs.Problem = nil
	case fault.Is(err, fault.Conflict) && (rep == nil || rep.Stopped != nil): // else it was shown, and skipped
		outcome, key = outcomeConflict, "run.conflict"
	case err == nil && x.again != nil:
		outcome, key = outcomePartial, "run.asksAgain"
	case err != nil && rs.Done > 0:
		outcome, key = outcomePartial, "run.partial"
	case err != nil:
		outcome, key = outcomeFailed, "run.failed"
	}
	if err != nil && rs.Problem == nil && outcome != outcomeCancelled {
		rs.Problem = x.s.problem(err)
	}
	rs.Outcome, rs.Text = protocol.RunOutcome(outcome), protocol.Message{Key: key, Params: params}
	rs.Summary = x.made()
	if x.log != nil {
		if x.again != nil {
			x.event("run.confirmationRequested", "warn", "What is left is not what was approved; it is shown again.", nil)
		}
		kind := "run.finished"
		if outcome == outcomeCancelled {
			kind = "run.cancelled"
			x.event(kind, "warn", "The run was cancelled.", nil)
			kind = "run.finished"
		}
		x.event(kind, "info", "The run has ended: "+outcome+".", map[string]any{"done": rs.Done, "failed": rs.Failed, "skipped": rs.Skipped})
	}
	return journal.End{Outcome: outcome, At: pipeline.Stamp(x.s.now())}
}

// made sums up what was really written, which after a failure is less than what
// was approved.
func (x *execution) made() []protocol.SummaryLine {
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
func (x *execution) changed() int {
	n := 0
	for _, c := range x.written() {
		if c.Kind == host.File {
			n++
		}
	}
	return n
}

// written lists the changes of the review that were made.
func (x *execution) written() []overlay.Change {
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
	for _, c := range x.se.changes {
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
