package web

import (
	"strconv"
	"strings"
	"time"
)

// RetryAfter reads how long an answer asks to wait, a day at most: retry-after-ms, or Retry-After in seconds or as a
// date (RFC 9110, section 10.2.3). A date counts from the answer's own Date; where it has none, from now, and where now
// is zero too it says nothing. header gives the value of a header.
func RetryAfter(header func(string) string, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(strings.TrimSpace(header("retry-after-ms")), 64); err == nil {
		return duration(ms / 1000)
	}
	value := strings.TrimSpace(header("retry-after"))
	if s, err := strconv.ParseFloat(value, 64); err == nil {
		return duration(s)
	}
	until, err := time.Parse(time.RFC1123, value)
	if err != nil {
		return 0
	}
	if date, err := time.Parse(time.RFC1123, strings.TrimSpace(header("date"))); err == nil {
		now = date
	}
	if now.IsZero() {
		return 0
	}
	return duration(until.Sub(now).Seconds())
}

// duration refuses what is not a sensible number of seconds.
func duration(seconds float64) time.Duration {
	const day = 24 * 60 * 60
	if !(seconds > 0) {
		return 0
	}
	return time.Duration(min(seconds, day) * float64(time.Second))
}
