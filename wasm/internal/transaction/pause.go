package transaction

import (
	"context"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/protocol"
)

// Running gives the run under way by its id.
func (t *Transactions) Running(id string) (*Run, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.run == nil || t.run.over() || (id != "" && t.run.Review.ID != id) {
		return nil, fault.New(fault.NotFound, "error.run.notRunning", nil)
	}
	return t.run, nil
}

func (t *Transactions) Pause(_ context.Context, p protocol.RunRef) (protocol.Empty, error) {
	x, err := t.Running(p.Run)
	if err != nil {
		return protocol.Empty{}, err
	}
	x.gate.Pause()
	x.mark("paused")
	return protocol.Empty{}, nil
}

func (t *Transactions) Resume(_ context.Context, p protocol.RunRef) (protocol.Empty, error) {
	x, err := t.Running(p.Run)
	if err != nil {
		return protocol.Empty{}, err
	}
	x.gate.Resume()
	x.mark("running")
	return protocol.Empty{}, nil
}

func (x *Run) mark(state protocol.RunPhase) {
	x.mu.Lock()
	if x.rs.State == "running" || x.rs.State == "paused" {
		x.rs.State = state
	}
	x.mu.Unlock()
	x.tell()
}
