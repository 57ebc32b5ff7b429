package transaction

import (
	"strconv"
	"time"

	"embedded-agent/wasm/internal/audit"
	"embedded-agent/wasm/internal/headway"
	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/outbox"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/timestamp"
	"embedded-agent/wasm/internal/tool"
)

// telling records what a run does, and tells the panel. Calls use it, several at
// once: what it holds has locks of its own.
type telling struct {
	run     *Run
	log     *audit.Log
	meter   *headway.Meter
	out     *outbox.Outbox
	history *history.History
	now     func() time.Time
	began   time.Time
}

func newTelling(d *Deps, run *Run, log *audit.Log, began time.Time) *telling {
	return &telling{run: run, log: log, meter: headway.NewMeter(), out: d.Out, history: d.History, now: d.Now, began: began}
}

// event records a run event.
func (t *telling) event(kind, level, text string, payload map[string]any) {
	t.log.Event(&audit.Event{
		Type: kind, RunID: t.run.id, Timestamp: timestamp.Milli(t.now()), Level: level, Message: text, Payload: payload,
	})
}

// callEvent records an event of one call.
func (t *telling) callEvent(kind, level, text string, c *tool.Call, payload map[string]any) {
	t.log.Event(&audit.Event{
		Type: kind, RunID: t.run.id, Timestamp: timestamp.Milli(t.now()), Level: level, Message: text,
		CallID: c.CallID, StepID: c.StepID, Tool: c.Tool, Payload: payload,
	})
}

// scheduled records that a step's calls are known.
func (t *telling) scheduled(n *plan.Node, calls int) {
	t.meter.Expect(n.Step.ID, calls, t.now())
	t.log.Event(&audit.Event{
		Type: "step.scheduled", RunID: t.run.id, Timestamp: timestamp.Milli(t.now()), Level: "info", Message: "“" + n.Tool.Name + "” has " + strconv.Itoa(calls) + " calls.",
		StepID: n.Step.ID, Tool: n.Tool.Name, Payload: map[string]any{"calls": calls},
	})
}

// started tells that a call begins.
func (t *telling) started(c *tool.Call) {
	now := t.now()
	t.meter.Begins(c.CallID, now)
	at := timestamp.Milli(now)
	t.log.Event(&audit.Event{Type: "step.started", RunID: c.RunID, Timestamp: at, Level: "info", Message: "“" + c.Tool + "” begins.", CallID: c.CallID, StepID: c.StepID, Tool: c.Tool})
	t.out.GatherExec(c.CallID, func() *protocol.ExecutionEvent {
		return &protocol.ExecutionEvent{
			Type: "step.started", RunID: c.RunID, Timestamp: at, Level: "info", Message: c.Tool,
			CallID: c.CallID, StepID: c.StepID, Tool: c.Tool, Call: t.history.CallView(c, nil),
		}
	})
}

// ended tells what became of a call.
func (t *telling) ended(c *tool.Call, r *tool.Result) {
	kind, level, text := "step.finished", "info", r.UserMessage
	if !r.OK && r.Status != tool.Skipped {
		kind, level = "step.failed", "error"
	}
	at := timestamp.Milli(t.now())
	t.log.Event(&audit.Event{Type: kind, RunID: c.RunID, Timestamp: at, Level: level, Message: messageOf(c, r), CallID: c.CallID, StepID: c.StepID, Tool: c.Tool})
	t.out.GatherExec(c.CallID, func() *protocol.ExecutionEvent {
		return &protocol.ExecutionEvent{
			Type: kind, RunID: c.RunID, Timestamp: at, Level: protocol.Level(level), Message: t.out.Redact(text),
			CallID: c.CallID, StepID: c.StepID, Tool: c.Tool, Call: t.history.CallView(c, r),
		}
	})
	t.progress(r)
}

// skipped tells of a step that was not run.
func (t *telling) skipped(n *plan.Node, r *tool.Result) {
	kind := "step.finished"
	if r.Error != nil {
		kind = "step.failed"
	}
	t.event(kind, "warn", r.UserMessage, map[string]any{"status": string(r.Status), "stepId": n.Step.ID})
	view := &protocol.ExecutionEvent{
		Type: kind, RunID: t.run.id, Timestamp: r.StartedAt, Level: "warn", Message: r.UserMessage, StepID: n.Step.ID, Tool: n.Tool.Name,
		CallID: "step:" + n.Step.ID,
		Call: &protocol.CallView{
			CallID: "step:" + n.Step.ID, StepID: n.Step.ID, Tool: n.Tool.Name, Index: -1, Attempt: 1, Status: protocol.CallStatus(r.Status),
			Preview: t.out.Redact(n.Step.Preview), Problem: t.out.ProblemOf(r.Fault),
		},
	}
	t.out.GatherExec(view.CallID, func() *protocol.ExecutionEvent { return view })
	t.progress(r)
}

// progress counts a call that has ended. Attempts that are followed by another
// are not counted as failures of the run.
func (t *telling) progress(r *tool.Result) {
	rs := t.run.change(func(rs *protocol.RunState) {
		switch {
		case r.OK:
			rs.Done++
		case r.Status == tool.Skipped:
			rs.Skipped++
		default:
			rs.Failed++
		}
		n := rs.Done + rs.Failed + rs.Skipped
		if spent := t.now().Sub(t.began); n > 0 && rs.Total > n {
			rs.LeftMs = (spent / time.Duration(n) * time.Duration(rs.Total-n)).Milliseconds()
		}
		rs.Text = protocol.Message{Key: "run.running", Params: map[string]string{"n": strconv.Itoa(n), "total": strconv.Itoa(rs.Total)}}
	})
	t.out.GatherRun(rs)
}

// progressOf gives a call's way to say how far it is.
func (t *telling) progressOf(c *tool.Call) func(p tool.Progress) {
	return func(p tool.Progress) {
		t.meter.Of(c.CallID, p, t.now(), func(p tool.Progress) { t.tellProgress(c.CallID, c, p) })
	}
}

// stepProgress counts a call of a step that will not be tried again.
func (t *telling) stepProgress(c *tool.Call) {
	t.meter.Ended(c.StepID, t.now(), func(p tool.Progress) { t.tellProgress("", c, p) })
}

// tellProgress records how far a call is (or, without one, a step) and tells
// the panel.
func (t *telling) tellProgress(callID string, c *tool.Call, p tool.Progress) {
	e := headway.Event(c, callID, t.now(), callID != "" && c.Risk == tool.ReadOnly, p)
	t.log.Event(&audit.Event{
		Type: e.Type, RunID: e.RunID, Timestamp: e.Timestamp, Level: string(e.Level), Message: e.Message,
		CallID: callID, StepID: c.StepID, Tool: c.Tool, Payload: map[string]any{"done": p.Done, "total": p.Total},
	})
	t.out.GatherProgress(e)
}
