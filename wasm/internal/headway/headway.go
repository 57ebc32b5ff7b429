// Package headway tells how far something is that takes a while: a call, a step, a
// revert. It tells now and then, so that ten thousand calls are some events.
package headway

import (
	"strconv"
	"sync"
	"time"

	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/timestamp"
	"embedded-agent/wasm/internal/tool"
)

// every is the least time between two step.progress events of one call
// or step: a run of ten thousand calls tells some, not ten thousand.
const every = 500 * time.Millisecond

// Meter tells how far calls and steps are, now and then. The end is not told:
// that is what step.finished is for.
type Meter struct {
	mu    sync.Mutex               // guards what follows; the log and the outbox may be told under it
	last  map[string]time.Time     // when something was told of a call or step
	calls map[string]tool.Progress // by step, of those with more than one call
}

// NewMeter gives a meter that has told nothing.
func NewMeter() *Meter {
	return &Meter{last: map[string]time.Time{}, calls: map[string]tool.Progress{}}
}

// Begins notes when a call began: what ends at once is not told of.
func (m *Meter) Begins(call string, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.last[call] = now
}

// due says whether it is time to tell of something again. The lock is held.
func (m *Meter) due(key string, now time.Time) bool {
	if now.Sub(m.last[key]) < every {
		return false
	}
	m.last[key] = now
	return true
}

// Expect notes how many calls a step has.
func (m *Meter) Expect(step string, calls int, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls[step] = tool.Progress{Total: calls}
	m.last[step] = now
}

// Of tells how far something is, if it is time for it.
func (m *Meter) Of(key string, c tool.Progress, now time.Time, tell func(tool.Progress)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if c.Done > 0 && c.Done < c.Total && m.due(key, now) {
		tell(c)
	}
}

// Ended counts a call of a step, and tells, if it is time for it. It is told
// under the lock: of two calls that end at once, the higher count is the later.
func (m *Meter) Ended(step string, now time.Time, tell func(tool.Progress)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.calls[step]
	c.Done++
	m.calls[step] = c
	if c.Done < c.Total && m.due(step, now) {
		tell(c)
	}
}

// Event says how far a call is; without a callID, a step. Reading says that
// notes are read, and none is written.
func Event(c *tool.Call, callID string, now time.Time, reading bool, p tool.Progress) *protocol.ExecutionEvent {
	return &protocol.ExecutionEvent{
		Type: "step.progress", RunID: c.RunID, Timestamp: timestamp.Milli(now), Level: "info",
		Message: strconv.Itoa(p.Done) + " of " + strconv.Itoa(p.Total), CallID: callID, StepID: c.StepID, Tool: c.Tool,
		Progress: View(reading, p),
	}
}

// View puts into words how far something is.
func View(reading bool, p tool.Progress) *protocol.StepProgress {
	key := "progress.done"
	switch {
	case reading && p.Found > 0:
		key = "progress.found"
	case reading:
		key = "progress.reading"
	}
	return &protocol.StepProgress{
		Done: p.Done, Total: p.Total, Found: p.Found,
		Text: protocol.Message{Key: key, Params: map[string]string{
			"done": strconv.Itoa(p.Done), "total": strconv.Itoa(p.Total), "n": strconv.Itoa(p.Found),
		}},
	}
}
