package runner

import (
	"context"
	"sync"
)

// Gate pauses a run between calls.
type Gate struct {
	mu     sync.Mutex    // guards closed
	closed chan struct{} // nil while open
}

// Pause closes the gate: calls under way end, no further one starts.
func (g *Gate) Pause() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed == nil {
		g.closed = make(chan struct{})
	}
}

// Resume opens the gate.
func (g *Gate) Resume() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed != nil {
		close(g.closed)
		g.closed = nil
	}
}

// Paused says whether the gate is closed.
func (g *Gate) Paused() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.closed != nil
}

// pass blocks while the gate is closed; false when ctx ends first.
func (g *Gate) pass(ctx context.Context) bool {
	if g == nil {
		return ctx.Err() == nil
	}
	for {
		g.mu.Lock()
		wait := g.closed
		g.mu.Unlock()
		if wait == nil {
			return ctx.Err() == nil
		}
		select {
		case <-wait:
		case <-ctx.Done():
			return false
		}
	}
}
