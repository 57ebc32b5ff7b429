package llm_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"embedded-agent/wasm/internal/llm"
)

func TestWhetherAndHowLongToWait(t *testing.T) {
	p := llm.RetryPolicy{Attempts: 4, Base: time.Second, Max: 8 * time.Second, MaxAsked: time.Minute}
	cases := []struct {
		name            string
		attempt, status int
		asked           time.Duration
		jitter          float64
		wait            time.Duration
		again           bool
	}{
		{"a busy endpoint is asked again after a moment", 1, 429, 0, 0, 500 * time.Millisecond, true},
		{"waits double", 3, 500, 0, 0, 2 * time.Second, true},
		{"waits are spread", 1, 503, 0, 0.5, 750 * time.Millisecond, true},
		{"what the endpoint asks for is granted", 1, 429, 7 * time.Second, 0.9, 7 * time.Second, true},
		{"but not for ever", 1, 429, 2 * time.Minute, 0, 0, false},
		{"a lost connection is tried again", 2, 0, 0, 0, time.Second, true},
		{"an overloaded endpoint is tried again", 1, 529, 0, 0, 500 * time.Millisecond, true},
		{"the last attempt is the last", 4, 500, 0, 0, 0, false},
		{"a bad request stays bad", 1, 400, 0, 0, 0, false},
		{"a refused key stays refused", 1, 401, 0, 0, 0, false},
		{"what is not implemented will not be", 1, 501, 0, 0, 0, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			wait, again := p.Wait(c.attempt, c.status, c.asked, c.jitter)
			if wait != c.wait || again != c.again {
				t.Errorf("want wait as in the case and again as in the case, got %v, %v", wait, again)
			}
		})
	}
}

func TestWaitsAreBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := llm.RetryPolicy{
			Attempts: rapid.IntRange(1, 100).Draw(t, "attempts"), Base: time.Second, Max: 20 * time.Second, MaxAsked: time.Minute,
		}
		attempt := rapid.IntRange(1, 200).Draw(t, "attempt")
		wait, again := p.Wait(attempt, 500, 0, rapid.Float64Range(0, 0.999).Draw(t, "jitter"))
		if again != (attempt < p.Attempts) || wait > p.Max || (again && wait < p.Base/2) {
			t.Fatalf("want again equal to (attempt < p.Attempts), wait at most p.Max and not again (or wait at least p.Base/2), got %v, %v", wait, again)
		}
	})
}
