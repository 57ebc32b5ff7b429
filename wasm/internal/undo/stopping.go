package undo

import (
	"context"
	"sync"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/protocol"
)

// stopping lets a person cancel the undo that is being made. There is one at a time:
// Transactions.Alone sees to that.
type stopping struct {
	// mu guards its fields; nothing else is locked under it.
	mu struct {
		sync.Mutex
		run    string // the run that is being undone
		cancel context.CancelFunc
	}
}

// begin gives the context of an undo, which Stop ends, and a function to call at the
// end of the undo.
func (s *stopping) begin(ctx context.Context, run string) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mu.run, s.mu.cancel = run, cancel
	return ctx, func() {
		cancel()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.mu.run, s.mu.cancel = "", nil
	}
}

// Stop cancels the undo that is being made, where it is of this run, or none is named:
// writes that were begun are ended, and no other begins.
func (s *stopping) Stop(run string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mu.cancel != nil && (run == "" || run == s.mu.run) {
		s.mu.cancel()
	}
}

// cancelled gives what is told of an undo that was cancelled. One that was through, or
// failed, is told as that.
func cancelled(out protocol.Reverted, err error) (protocol.Reverted, error) {
	switch {
	case fault.Is(err, fault.Cancelled):
		out = emptyReverted()
	case err != nil || out.Problem == nil || out.Problem.Code != protocol.ProblemCode(fault.Cancelled):
		return out, err
	}
	key := "reverted.cancelled"
	if len(out.Did)+len(out.Merged) == 0 {
		key = "reverted.cancelledBefore"
	}
	// What was not come to is left for when it is asked for again.
	out.Problem, out.Conflicts, out.Kept, out.Gone = nil, []protocol.Conflict{}, []string{}, []string{}
	out.NotUndone = append(out.NotUndone, protocol.Message{Key: key})
	return out, nil
}
