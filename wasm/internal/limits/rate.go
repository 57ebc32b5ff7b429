package limits

import (
	"context"
	"math"
	"strconv"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/tool"
)

// Rate is how often a tool may be called: per minute on the long run, and how
// many at once (a token bucket).
type Rate struct {
	PerMinute float64 `json:"per_minute"`
	Burst     int     `json:"burst"`
}

// stricter gives the lower of each; a zero Rate says nothing.
func (r Rate) stricter(o Rate) Rate {
	switch {
	case o == (Rate{}):
		return r
	case r == (Rate{}):
		return o
	}
	return Rate{min(r.PerMinute, o.PerMinute), min(r.Burst, o.Burst)}
}

// RateLimiter holds tools to their rates. Its Limit is the pipeline's stage; one
// limiter serves every loop that shares the rates.
type RateLimiter struct {
	rates map[string]Rate
	// patience is how long a call may be held back instead of refused.
	patience time.Duration

	mu sync.Mutex // guards by
	by map[string]*rate.Limiter
}

// NewRateLimiter makes a limiter. A call over its rate waits when that takes at
// most patience, and is RATE_LIMIT with retry_after_s otherwise.
func NewRateLimiter(rates map[string]Rate, patience time.Duration) *RateLimiter {
	return &RateLimiter{rates: rates, patience: patience, by: map[string]*rate.Limiter{}}
}

// Limit waits for, or refuses, a call over its tool's rate.
func (r *RateLimiter) Limit(ctx context.Context, e *tool.Entry) error {
	lim := r.limiter(e.Name)
	if lim == nil {
		return nil
	}
	turn := lim.Reserve()
	wait := turn.Delay()
	if !turn.OK() || wait > r.patience {
		turn.Cancel()
		seconds := math.Ceil(wait.Seconds())
		err := fault.New(fault.RateLimit, "agent.limit.rate", fault.P{
			"tool": e.Name, "seconds": strconv.FormatFloat(seconds, 'f', -1, 64),
		})
		err.RetryAfterS = seconds
		return err
	}
	if wait == 0 {
		return nil
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		turn.Cancel()
		return fault.From(ctx.Err())
	}
}

func (r *RateLimiter) limiter(name string) *rate.Limiter {
	r.mu.Lock()
	defer r.mu.Unlock()
	if lim, ok := r.by[name]; ok {
		return lim
	}
	given, ok := r.rates[name]
	if !ok {
		if given, ok = r.rates["*"]; !ok {
			return nil
		}
	}
	lim := rate.NewLimiter(rate.Limit(given.PerMinute/60), given.Burst)
	r.by[name] = lim
	return lim
}
