package web_test

import (
	"testing"
	"time"

	"embedded-agent/wasm/internal/web"
)

func TestHowLongAnEndpointAsksToWait(t *testing.T) {
	now := time.Date(2026, 11, 20, 10, 0, 10, 0, time.UTC)
	cases := []struct {
		header map[string]string
		now    time.Time
		want   time.Duration
	}{
		{map[string]string{}, time.Time{}, 0},
		{map[string]string{"retry-after": "3"}, time.Time{}, 3 * time.Second},
		{map[string]string{"retry-after": " 1.5 "}, time.Time{}, 1500 * time.Millisecond},
		{map[string]string{"retry-after-ms": "250", "retry-after": "3"}, time.Time{}, 250 * time.Millisecond},
		{map[string]string{"retry-after": "Fri, 20 Nov 2026 10:00:30 GMT", "date": "Fri, 20 Nov 2026 10:00:00 GMT"}, time.Time{}, 30 * time.Second},
		{map[string]string{"retry-after": "Fri, 20 Nov 2026 10:00:30 GMT"}, time.Time{}, 0},
		{map[string]string{"retry-after": "Fri, 20 Nov 2026 09:00:30 GMT", "date": "Fri, 20 Nov 2026 10:00:00 GMT"}, time.Time{}, 0},
		{map[string]string{"retry-after": "-5"}, time.Time{}, 0},
		{map[string]string{"retry-after": "NaN"}, time.Time{}, 0},
		{map[string]string{"retry-after": "+Inf"}, time.Time{}, 24 * time.Hour},
		{map[string]string{"retry-after": "soon"}, time.Time{}, 0},
		{map[string]string{"retry-after": "Fri, 20 Nov 2026 10:00:30 GMT"}, now, 20 * time.Second},
		{map[string]string{"retry-after": "Fri, 20 Nov 2026 10:00:30 GMT", "date": "Fri, 20 Nov 2026 10:00:00 GMT"}, now, 30 * time.Second},
		{map[string]string{"retry-after": "Fri, 20 Nov 2026 09:00:30 GMT"}, now, 0},
	}
	for _, c := range cases {
		if got := web.RetryAfter(func(name string) string { return c.header[name] }, c.now); got != c.want {
			t.Errorf("%v asks for %v, want %v", c.header, got, c.want)
		}
	}
}
