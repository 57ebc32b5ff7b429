package runner

import (
	"maps"
	"strconv"
	"strings"

	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/timestamp"
	"embedded-agent/wasm/internal/tool"
)

// conclude gives a step its status and output.
func (r *run) conclude(s *step, calls []call) {
	items := []any{}
	status := tool.OK
	for i, res := range s.Results {
		switch {
		case res == nil && status != tool.OK:
		case res == nil:
			status = tool.Skipped
		case res.OK:
			items = append(items, withItem(res.Data, &calls[i]))
		case res.Status == tool.Skipped:
			if s.Node.Step.Foreach == nil {
				status, s.Cause = tool.Skipped, res.Fault
			}
		default:
			if s.Cause == nil {
				s.Cause = res.Fault
			}
			if s.Node.Step.Foreach != nil && r.leavesOut(s, res) {
				s.Skipped = append(s.Skipped, tool.Skip{Path: subject(&calls[i]), Why: res.Fault})
			} else {
				status = res.Status
			}
		}
	}
	if n := len(s.Skipped); status == tool.OK && s.Node.OnError == plan.OnErrorItem && n > 0 && n == len(s.Results) {
		// What fails for every element is no matter of one of them.
		status, s.Skipped = tool.StatusOf(s.Cause), nil
		r.stop(s.Cause)
	}
	s.Skipped = append(s.Skipped, s.unclear...)
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
		s.Output = loopOutput(items, s.Skipped)
	} else if len(items) == 1 {
		s.Output = items[0]
	}
	if name := s.Node.Step.CaptureAs; name != "" {
		r.vars[name] = s.Output
	}
}

// leavesOut says whether a call that failed is left out and the plan goes on. A
// loop that says nothing of errors leaves out what fails for one element, as it
// was simulated: what else fails in a run, nobody has approved.
func (r *run) leavesOut(s *step, res *tool.Result) bool {
	switch s.Node.OnError {
	case plan.OnErrorSkip:
		return true
	case plan.OnErrorItem:
		return (r.Simulating || res.Recorded) && ofOne(res.Fault)
	}
	return false
}

// ofOne says whether an error may be of one element of a loop. A guard's refusal
// is one where it is about a path; a secret, a limit or a fault of this program
// would end the next call as well.
func ofOne(e *tool.Error) bool {
	switch e.Code {
	case fault.Validation, fault.NotFound, fault.Conflict, fault.Precondition,
		fault.Provider, fault.Network, fault.Sandbox, fault.Timeout:
		return true
	case fault.Denied:
		return tool.Reason(e) != ""
	}
	return false
}

// withItem gives an iteration's output, with the element that it was made for. A
// call outside of a loop has none.
func withItem(data tool.Data, c *call) tool.Data {
	if _, has := data[plan.KeptItem]; has || c.loop == nil {
		return data
	}
	out := make(tool.Data, len(data)+1)
	maps.Copy(out, data)
	out[plan.KeptItem] = c.item
	return out
}

// loopOutput gives the output of a foreach.
func loopOutput(items []any, skipped []tool.Skip) map[string]any {
	left := make([]any, len(skipped))
	for i := range skipped {
		left[i] = skipped[i].Data()
	}
	return map[string]any{"items": items, "skipped": left}
}

// maxSubject bounds the name of an element, in bytes.
const maxSubject = 300

// subject names the element of a loop: by its path, where it has one.
func subject(c *call) string {
	switch item := c.item.(type) {
	case string:
		return short(item)
	case map[string]any:
		for _, name := range []string{"path", "title", "name"} {
			if s, ok := item[name].(string); ok {
				return s
			}
		}
	}
	b, err := canon.Encode(c.item)
	if err != nil {
		return strconv.Itoa(c.index)
	}
	return short(string(b))
}

func short(s string) string {
	if len(s) <= maxSubject {
		return s
	}
	return strings.ToValidUTF8(s[:maxSubject], "") + "…"
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
