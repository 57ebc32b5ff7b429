package runner

import (
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/timestamp"
	"embedded-agent/wasm/internal/tool"
)

// conclude gives a step its status and output.
func (r *run) conclude(s *step) {
	items := []any{}
	status := tool.OK
	for _, res := range s.Results {
		switch {
		case res == nil:
			status = tool.Skipped
		case res.OK:
			items = append(items, res.Data)
		case res.Status == tool.Skipped:
			if s.Node.Step.Foreach == nil {
				status, s.Cause = tool.Skipped, res.Fault
			}
		default:
			if s.Cause == nil {
				s.Cause = res.Fault
			}
			if s.Node.OnError != plan.OnErrorSkip || s.Node.Step.Foreach == nil {
				status = res.Status
			}
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if status == tool.Skipped && s.Cause == nil {
		s.Cause = r.stopped
	}
	s.Status = status
	if status != tool.OK {
		return
	}
	if s.Node.Step.Foreach != nil {
		s.Output = map[string]any{"items": items}
	} else if len(items) == 1 {
		s.Output = items[0]
	}
	if name := s.Node.Step.CaptureAs; name != "" {
		r.vars[name] = s.Output
	}
}

// fail ends a step that could not be expanded.
func (r *run) fail(s *step, e *tool.Error) {
	s.Status, s.Cause = tool.StatusOf(e), e
	s.Results = []*tool.Result{r.pseudo(s, s.Status, e)}
	if s.Node.OnError != plan.OnErrorSkip {
		r.stop(e)
	}
	r.tellSkipped(s)
}

// skip leaves out a step whose dependency failed.
func (r *run) skip(s *step, cause *tool.Error, from string) {
	s.Status, s.Cause, s.CauseStep = tool.Skipped, cause, from
	res := r.pseudo(s, tool.Skipped, cause)
	res.Error = nil
	e := fault.New(fault.Precondition, "run.skippedBecause", fault.P{"step": from, "cause": message(cause)})
	res.Fault, res.UserMessage = e, e.Error()
	s.Results = []*tool.Result{res}
	r.tellSkipped(s)
}

// tellSkipped tells of a step that is not run; of one before the part that is
// executed it was told then.
func (r *run) tellSkipped(s *step) {
	if r.Events.Skipped != nil && s.place >= r.Part.From {
		r.Events.Skipped(s.Node, s.Results[0])
	}
}

func message(e *tool.Error) string {
	if e == nil {
		return ""
	}
	return e.Error()
}

// notReached marks a step that the run's end came before.
func (r *run) notReached(s *step) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s.Status, s.Cause = tool.Skipped, r.stopped
	s.Results = []*tool.Result{nil}
}

// pseudo is the result of a step for which no call was made.
func (r *run) pseudo(s *step, status tool.Status, e *tool.Error) *tool.Result {
	now := timestamp.Milli(r.Now())
	tc := r.newCall(s, &call{scope: r.scope()}, 1)
	res := &tool.Result{
		RunID: r.RunID, StepID: s.Node.Step.ID, Tool: tc.Tool, Version: tc.Version, Attempt: 1,
		Status: status, StartedAt: now, EndedAt: now, Fault: e,
	}
	if e != nil {
		res.Error, res.UserMessage = tool.NewResultError(e), e.Error()
	}
	return res
}
