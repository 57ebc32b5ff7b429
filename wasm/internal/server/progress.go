package server

import (
	"sync"
	"time"

	"embedded-agent/wasm/internal/audit"
	"embedded-agent/wasm/internal/pipeline"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/tool"
)

// progressEvery is the least time between two step.progress events of one call
// or step: a run of ten thousand calls tells some, not ten thousand.
const progressEvery = 500 * time.Millisecond

// meter tells how far calls and steps are, now and then. The end is not told:
// that is what step.finished is for.
type meter struct {
	mu    sync.Mutex
	last  map[string]time.Time // when something was told of a call or step
	calls map[string]count     // by step, of those with more than one call
}

type count struct{ done, total int }

func newMeter() *meter { return &meter{last: map[string]time.Time{}, calls: map[string]count{}} }

// begins notes when a call began: what ends at once is not told of.
func (m *meter) begins(call string, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.last[call] = now
}

// due says whether it is time to tell of something again. The lock is held.
func (m *meter) due(key string, now time.Time) bool {
	if now.Sub(m.last[key]) < progressEvery {
		return false
	}
	m.last[key] = now
	return true
}

// expect notes how many calls a step has.
func (m *meter) expect(step string, calls int, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls[step] = count{0, calls}
	m.last[step] = now
}

// of tells how far something is, if it is time for it.
func (m *meter) of(key string, c count, now time.Time, tell func(count)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if c.done > 0 && c.done < c.total && m.due(key, now) {
		tell(c)
	}
}

// ended counts a call of a step, and tells, if it is time for it. It is told
// under the lock: of two calls that end at once, the higher count is the later.
func (m *meter) ended(step string, now time.Time, tell func(count)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.calls[step]
	c.done++
	m.calls[step] = c
	if c.done < c.total && m.due(step, now) {
		tell(c)
	}
}

// progressOf gives a call's way to say how far it is.
func (x *execution) progressOf(c *tool.Call) func(done, total int) {
	return func(done, total int) {
		x.meter.of(c.CallID, count{done, total}, x.s.now(), func(n count) { x.tellProgress(c.CallID, c.StepID, c.Tool, n) })
	}
}

// stepProgress counts a call of a step that will not be tried again.
func (x *execution) stepProgress(c *tool.Call) {
	x.meter.ended(c.StepID, x.s.now(), func(n count) { x.tellProgress("", c.StepID, c.Tool, n) })
}

// tellProgress records how far a call is (or, without one, a step) and tells
// the shell, which hears the newest of a moment only.
func (x *execution) tellProgress(callID, stepID, toolName string, c count) {
	at := pipeline.Stamp(x.s.now())
	text := itoa(c.done) + " of " + itoa(c.total)
	x.log.Event(&audit.Event{
		Type: "step.progress", RunID: x.se.id, Timestamp: at, Level: "info", Message: text,
		CallID: callID, StepID: stepID, Tool: toolName, Payload: map[string]any{"done": c.done, "total": c.total},
	})
	x.s.out.gatherExec("progress:"+stepID+":"+callID, func() *protocol.ExecutionEvent {
		return &protocol.ExecutionEvent{
			Type: "step.progress", RunID: x.se.id, Timestamp: at, Level: "info", Message: text,
			CallID: callID, StepID: stepID, Tool: toolName, Progress: &protocol.StepProgress{Done: c.done, Total: c.total},
		}
	})
}
