package runner

import (
	"context"
	"math"
	"time"

	"embedded-agent/wasm/internal/tool"
)

// firstPause is the pause before a second attempt where a plan gives none.
const firstPause = 250 * time.Millisecond

// pause waits before the attempt after a call: doubling from the plan's backoff,
// with jitter of up to a half, never over the policy's limit, and not shorter
// than what the other side asked for. Where that is longer than the limit there
// is no further attempt: one that comes earlier would be refused again, and
// counted against the person. False when there is none, or the run ends first.
func (r *run) pause(ctx context.Context, c *tool.Call, backoffMs int64, retryAfterS float64) bool {
	d := r.backoff(backoffMs, c.Attempt)
	asked := time.Duration(math.Ceil(min(retryAfterS, maxAskedS)*1000)) * time.Millisecond
	if limit := time.Duration(r.Limits.MaxBackoffMs) * time.Millisecond; limit > 0 && asked > limit {
		return false
	}
	d = max(d, asked)
	if r.Events.Pausing != nil {
		r.Events.Pausing(c, d)
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return !r.halted(ctx)
	case <-ctx.Done():
		return false
	}
}

// maxAskedS bounds what another side can ask for, in seconds: a year.
const maxAskedS = 365 * 24 * 3600

// backoff is the pause after attempt k, before what the other side asked for.
func (r *run) backoff(backoffMs int64, k int) time.Duration {
	d := time.Duration(backoffMs) * time.Millisecond
	if d <= 0 {
		d = firstPause
	}
	d = time.Duration(float64(d) * math.Pow(2, float64(min(k-1, 20))))
	r.mu.Lock()
	d = d/2 + time.Duration(r.rand.Float64()*float64(d)/2)
	r.mu.Unlock()
	if limit := time.Duration(r.Limits.MaxBackoffMs) * time.Millisecond; limit > 0 {
		d = min(d, limit)
	}
	return d
}
