package timestamp_test

import (
	"testing"
	"time"

	"embedded-agent/wasm/internal/timestamp"
)

func TestEveryFormIsWhatItSays(t *testing.T) {
	// Monday in Berlin, still Sunday in UTC; the first week of another year.
	at := time.Date(2024, 12, 30, 0, 5, 7, 12_300_000, time.FixedZone("", 3600))
	for _, c := range []struct {
		name string
		form func(time.Time) string
		want string
	}{
		{"Milli", timestamp.Milli, "2024-12-29T23:05:07.012Z"},
		{"Second", timestamp.Second, "2024-12-29T23:05:07Z"},
		{"Nano", timestamp.Nano, "2024-12-29T23:05:07.0123Z"},
		{"Zoned", timestamp.Zoned, "2024-12-30T00:05:07+01:00"},
		{"Local", timestamp.Local, "2024-12-30T00:05:07"},
		{"Day", timestamp.Day, "2024-12-30"},
		{"Month", timestamp.Month, "2024-12"},
		{"Year", timestamp.Year, "2024"},
		{"Week", timestamp.Week, "2025-W01"},
		{"Clock", timestamp.Clock, "00:05"},
	} {
		if got := c.form(at); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	if got := timestamp.Week(time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)); got != "2026-W47" {
		t.Errorf("Week: %s", got)
	}
}

func TestMilliIsRFC3339InUTCWithMilliseconds(t *testing.T) {
	east := time.FixedZone("", 2*3600)
	for want, at := range map[string]time.Time{
		"2026-11-20T09:05:07.123Z": time.Date(2026, 11, 20, 11, 5, 7, 123_999_999, east),
		"2026-01-01T00:00:00.000Z": time.Date(2026, 1, 1, 2, 0, 0, 0, east),
		"0007-02-03T04:05:06.078Z": time.Date(7, 2, 3, 4, 5, 6, 78e6, time.UTC),
	} {
		if got := timestamp.Milli(at); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
