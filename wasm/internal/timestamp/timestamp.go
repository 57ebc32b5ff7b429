// Package timestamp writes times down: what is kept, sent and shown of a time has
// one of the forms here, so that no two places write one that the other cannot
// read. A date in a form that a person chose is written by package moment.
package timestamp

import (
	"strconv"
	"time"
)

// Milli gives a time in RFC 3339, in UTC with milliseconds: 2026-11-20T09:30:00.000Z.
func Milli(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// Second gives a time in RFC 3339, in UTC with seconds: 2026-11-20T09:30:00Z.
func Second(t time.Time) string { return Zoned(t.UTC()) }

// Nano gives a time in RFC 3339, in UTC with as many digits of the second as it
// has: 2026-11-20T09:30:00.0123Z.
func Nano(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// Zoned gives a time in RFC 3339, in its own zone: 2026-11-20T10:30:00+01:00.
func Zoned(t time.Time) string { return t.Format(time.RFC3339) }

// Local gives a time without its zone: 2026-11-20T10:30:00.
func Local(t time.Time) string { return t.Format("2006-01-02T15:04:05") }

// Day gives the day that a time is on in its own zone: 2026-11-20.
func Day(t time.Time) string { return t.Format(time.DateOnly) }

// Month gives the month that a time is in: 2026-11.
func Month(t time.Time) string { return t.Format("2006-01") }

// Year gives the year that a time is in: 2026.
func Year(t time.Time) string { return t.Format("2006") }

// Week gives the week of ISO 8601 that a time is in: 2026-W47. Around New Year
// its year may be another than the time's.
func Week(t time.Time) string {
	year, week := t.ISOWeek()
	if week < 10 {
		return strconv.Itoa(year) + "-W0" + strconv.Itoa(week)
	}
	return strconv.Itoa(year) + "-W" + strconv.Itoa(week)
}

// Clock gives the time of day: 10:30.
func Clock(t time.Time) string { return t.Format("15:04") }
