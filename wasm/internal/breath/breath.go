// Package breath lets a long computation be stopped. Under js/wasm there is one
// thread: while Go computes, no message arrives, so that nothing could cancel
// it, and no timer fires, so that no deadline ends it. Whoever computes for long
// breathes now and then.
package breath

import (
	"context"
	"sync"
	"time"
)

// every is how long a computation may hold its breath.
const every = 50 * time.Millisecond

var (
	mu   sync.Mutex // guards last
	last time.Time
)

// Take lets messages in, if that was some time ago, and says whether ctx has
// ended, or is past its deadline though no timer has said so yet.
func Take(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if deadline, ok := ctx.Deadline(); ok && !time.Now().Before(deadline) {
		return context.DeadlineExceeded
	}
	if !due() {
		return nil
	}
	letIn()
	return ctx.Err()
}

// LetIn lets messages in, for a computation that somebody else waits for: an engine's
// loop gets a turn, which takes a millisecond or more.
func LetIn() { letIn() }

func due() bool {
	mu.Lock()
	defer mu.Unlock()
	now := time.Now()
	if since := now.Sub(last); since >= 0 && since < every {
		return false
	}
	last = now
	return true
}
