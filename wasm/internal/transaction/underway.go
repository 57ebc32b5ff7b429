package transaction

import (
	"time"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/tool"
)

// Turn is what a plan comes from: one instruction on its way.
type Turn interface {
	Over() bool
	// Ended is closed when its end was told.
	Ended() <-chan struct{}
	// Note tells the person something while it is under way.
	Note(protocol.Message)
}

// BeginTurn makes a turn the one that is under way: one at a time, and not while a run
// is. The review that is open is closed. PRECONDITION_FAILED says that something
// else is under way.
func (t *Transactions) BeginTurn(turn Turn) error {
	t.mu.Lock()
	if (t.begun != nil && !t.begun.Over()) || (t.run != nil && !t.run.over()) {
		t.mu.Unlock()
		return fault.New(fault.Precondition, "error.busy", nil)
	}
	t.begun = turn
	closed := t.review
	t.review = nil
	t.mu.Unlock()
	if closed != nil {
		t.deps.Out.Tell(protocol.Event{Type: protocol.EventReviewClosed, RunID: closed.ID})
	}
	return nil
}

// Stop cancels the run under way, where it has this id, or none is named.
func (t *Transactions) Stop(id string) {
	if x, err := t.Running(id); err == nil {
		x.stop()
	}
}

// ShowState says what is under way, and what a crash has left.
func (t *Transactions) ShowState(st *protocol.State) {
	t.mu.Lock()
	defer t.mu.Unlock()
	st.LastRun = t.lastRun
	st.Recoveries = append([]protocol.RunSummary{}, t.recover...)
	if t.review != nil {
		st.Review = t.review.View
	}
	if t.run != nil {
		rs := t.run.state()
		st.Run = &rs
	}
}

// PlanAtHand gives the plan of a run that has just ended, as it was executed, with
// what was before the person; nil for any other.
func (t *Transactions) PlanAtHand(run string) (*plan.Plan, *host.EditorState, time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if x := t.run; x != nil && x.Review.ID == run && x.Review.plan != nil {
		return x.Review.plan, x.Review.editorSeen(), x.Review.Now
	}
	return nil, nil, time.Time{}
}

// Simulated calls f with each call of the open review and its result, and says
// whether it is the one that is open.
func (t *Transactions) Simulated(run string, f func(*tool.Call, *tool.Result)) bool {
	t.mu.Lock()
	open := t.review
	t.mu.Unlock()
	if open == nil || open.ID != run {
		return false
	}
	for _, st := range open.Report.Steps {
		for _, r := range st.Results {
			if r == nil {
				continue
			}
			if c := open.Called[r.LogicalID]; c != nil {
				f(c, r)
			}
		}
	}
	return true
}
