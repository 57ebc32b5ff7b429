package transaction

import (
	"context"
	"sync"

	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/outbox"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/runner"
	"embedded-agent/wasm/internal/tool"
)

// Run is a run as all but its execution see it: how it stands, and how it is paused
// and stopped.
type Run struct {
	id     string
	kept   kept             // of its review
	trace  *history.Tracing // nil of a run that has ended
	gate   *runner.Gate
	cancel context.CancelFunc
	out    *outbox.Outbox

	// mu guards its fields. Under it the run's records may be asked and the outbox
	// may be told; nothing else of this room is locked.
	mu struct {
		sync.Mutex
		rs   protocol.RunState
		done map[int]*tool.Result // what went well, once it has ended
	}
}

// newRun gives the run of a review, as it stands at its beginning.
func newRun(rv *Review, rs protocol.RunState, cancel context.CancelFunc, out *outbox.Outbox) *Run {
	x := &Run{id: rv.ID, kept: rv.kept(), trace: rv.Trace, gate: &runner.Gate{}, cancel: cancel, out: out}
	x.mu.rs = rs
	return x
}

// past gives the part of a run that is kept after its end.
func (x *Run) past() *Run {
	p := &Run{id: x.id, kept: x.kept, gate: &runner.Gate{}, cancel: func() {}, out: x.out}
	x.mu.Lock()
	defer x.mu.Unlock()
	p.mu.rs = x.mu.rs
	if p.mu.rs.Can.Rest {
		p.mu.done = x.mu.done
	}
	return p
}

// state gives how the run stands.
func (x *Run) state() protocol.RunState {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.mu.rs
}

// change changes how the run stands, and gives it.
func (x *Run) change(f func(rs *protocol.RunState)) protocol.RunState {
	x.mu.Lock()
	defer x.mu.Unlock()
	f(&x.mu.rs)
	return x.mu.rs
}

func (x *Run) over() bool { return x.state().State == protocol.RunFinished }

// succeeded gives the results of the calls that went well; nil where they are not at
// hand.
func (x *Run) succeeded() map[int]*tool.Result {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.mu.done
}

// tell tells the panel how the run stands.
func (x *Run) tell() {
	rs := x.state()
	x.out.Tell(protocol.Event{Type: protocol.EventRunState, Run: &rs})
}

// stop cancels the run: at once, also in the middle of a host call.
func (x *Run) stop() {
	x.change(func(rs *protocol.RunState) {
		if rs.State != protocol.RunFinished {
			rs.State, rs.Can = protocol.RunCancelling, protocol.Can{}
		}
	})
	x.cancel()
	x.tell()
}

// pause makes the run wait before its next call, or go on.
func (x *Run) pause(pause bool) {
	state := protocol.RunRunning
	if pause {
		state = protocol.RunPaused
		x.gate.Pause()
	} else {
		x.gate.Resume()
	}
	x.change(func(rs *protocol.RunState) {
		if rs.State == protocol.RunRunning || rs.State == protocol.RunPaused {
			rs.State = state
		}
	})
	x.tell()
}

// takenBack notes that all that the run did was reverted.
func (x *Run) takenBack() {
	x.change(func(rs *protocol.RunState) {
		rs.Can = protocol.Can{Save: rs.Can.Save}
		rs.Text = protocol.Message{Key: "run.takenBack", Params: map[string]string{"goal": rs.Goal}}
		rs.Summary = nil // what it did is no more
	})
}
