package builtin

import (
	"strconv"
	"time"
	"unicode/utf8"

	"embedded-agent/wasm/internal/compare"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/moment"
	"embedded-agent/wasm/internal/timestamp"
	"embedded-agent/wasm/internal/tool"
)

// readDate reads a date as conditions have it, and in the app's language, too.
func readDate(env *tool.Env, text string) (time.Time, error) {
	return compare.DateIn(env.Platform.Dates, text, env.Now)
}

// checkFormat refuses a format that is longer than any that is meant.
func checkFormat(format string) error {
	if moment.TooLong(format) {
		return fault.New(fault.Validation, "tools.dates.formatTooLong", fault.P{
			"n": strconv.Itoa(utf8.RuneCountInString(format)), "max": strconv.Itoa(moment.MaxFormat),
		})
	}
	return nil
}

// formatDate writes a date in a format that came from a plan, a note or the app's
// settings, in the app's language.
func formatDate(env *tool.Env, t time.Time, format string) (string, error) {
	if err := checkFormat(format); err != nil {
		return "", err
	}
	return env.Platform.Dates.Format(t, format), nil
}

// dateData describes a date for output.
func dateData(t time.Time) map[string]any {
	return map[string]any{
		"date": timestamp.Day(t), "time": timestamp.Clock(t), "year": t.Year(), "month": timestamp.Month(t),
		"week": timestamp.Week(t), "weekday": t.Weekday().String(),
	}
}
