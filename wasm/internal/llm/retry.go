package llm

import (
	"time"
)

// RetryPolicy says how often and how patiently a failed request is sent again.
type RetryPolicy struct {
	// Attempts is the number of times a request is sent at most.
	Attempts int
	// Base is the wait before the second attempt; it doubles up to Max.
	Base, Max time.Duration
	// MaxAsked is the longest wait that an endpoint may ask for; beyond it the person is told instead.
	MaxAsked time.Duration
}

// DefaultRetry is patient with a busy endpoint for about a quarter of a minute, or for a minute when it asks for that.
var DefaultRetry = RetryPolicy{Attempts: 4, Base: time.Second, Max: 8 * time.Second, MaxAsked: time.Minute}

// Wait decides after a failure of attempt (1 is the first) with an HTTP status (0: none came) what to do: how long to
// wait before the next attempt, or to give up. retryAfter is what the endpoint asked for, 0 when it did not. jitter in
// [0,1) spreads the waits, so that many clients do not come back together.
func (p RetryPolicy) Wait(attempt, status int, retryAfter time.Duration, jitter float64) (time.Duration, bool) {
	if attempt >= p.Attempts || !retryStatus(status) || retryAfter > p.MaxAsked {
		return 0, false
	}
	if retryAfter > 0 {
		return retryAfter, true
	}
	wait := p.Base
	for i := 1; i < attempt && wait < p.Max; i++ {
		wait *= 2
	}
	wait = min(wait, p.Max)
	// Between half and the whole of the wait.
	return wait/2 + time.Duration(float64(wait/2)*jitter), true
}

func retryStatus(status int) bool {
	switch status {
	case 0, 408, 409, 425, 429:
		return true
	}
	return status >= 500 && status != 501
}
