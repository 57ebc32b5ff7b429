package runner

import (
	"context"
	"math"
	"time"
)

// firstPause is the pause before a second attempt where a plan gives none.
const firstPause = 250 * time.Millisecond

// pause waits before attempt k+1: doubling from the plan's backoff, with
// jitter of up to a half, never over the policy's limit, and not shorter than
// what the other side asked for where the limit allows it. False when the run
// ends first.
func (r *run) pause(ctx context.Context, backoffMs int64, k int, retryAfterS float64) bool {
	d := r.backoff(backoffMs, k, retryAfterS)
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return !r.halted(ctx)
	case <-ctx.Done():
		return false
	}
}

func (r *run) backoff(backoffMs int64, k int, retryAfterS float64) time.Duration {
	d := time.Duration(backoffMs) * time.Millisecond
	if d <= 0 {
		d = firstPause
	}
	d = time.Duration(float64(d) * math.Pow(2, float64(min(k-1, 20))))
	r.mu.Lock()
	d = d/2 + time.Duration(r.rand.Float64()*float64(d)/2)
	r.mu.Unlock()
	d = max(d, time.Duration(retryAfterS*float64(time.Second)))
	if limit := time.Duration(r.Limits.MaxBackoffMs) * time.Millisecond; limit > 0 {
		d = min(d, limit)
	}
	return d
}
