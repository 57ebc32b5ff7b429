package sandbox

import (
	"fmt"
	"time"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"embedded-agent/wasm/internal/moment"
	"embedded-agent/wasm/internal/timestamp"
)

// clockModule is "time". Times are texts in RFC 3339, as the other tools have
// them, so that they can be given back; the clock is the run's, which stands
// still. Dates are written in the app's language.
func clockModule(now time.Time, dates *moment.Locale) *starlarkstruct.Module {
	return &starlarkstruct.Module{Name: "time", Members: starlark.StringDict{
		"now": starlark.NewBuiltin("time.now", func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
			if err := starlark.UnpackArgs(b.Name(), args, kw); err != nil {
				return nil, err
			}
			return timeText(now), nil
		}),
		"parse": starlark.NewBuiltin("time.parse", func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
			return parseTime(b, args, kw, now.Location(), dates)
		}),
		"format": starlark.NewBuiltin("time.format", func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
			var text, format string
			if err := starlark.UnpackArgs(b.Name(), args, kw, "time", &text, "format", &format); err != nil {
				return nil, err
			}
			t, err := readTime(text, now.Location())
			if err != nil {
				return nil, err
			}
			if moment.TooLong(format) {
				return nil, fmt.Errorf("time.format: the format has more than %d characters", moment.MaxFormat)
			}
			return starlark.String(dates.Format(t, format)), nil
		}),
		"add": starlark.NewBuiltin("time.add", func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
			return addTime(b, args, kw, now.Location())
		}),
		"diff": starlark.NewBuiltin("time.diff", func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
			var a, c string
			if err := starlark.UnpackArgs(b.Name(), args, kw, "a", &a, "b", &c); err != nil {
				return nil, err
			}
			ta, err := readTime(a, now.Location())
			if err != nil {
				return nil, err
			}
			tc, err := readTime(c, now.Location())
			if err != nil {
				return nil, err
			}
			return starlark.MakeInt64(ta.Unix() - tc.Unix()), nil
		}),
	}}
}

func timeText(t time.Time) starlark.String { return starlark.String(timestamp.Zoned(t)) }

// forms are the ways in which a time may be written where no format is named.
var forms = []string{time.RFC3339, "2006-01-02", "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04"}

func readTime(text string, loc *time.Location) (time.Time, error) {
	for _, form := range forms {
		if t, err := time.ParseInLocation(form, text, loc); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is not a time: write YYYY-MM-DD or YYYY-MM-DDTHH:mm:ss, or use time.parse(text, format)", text)
}

// parseTime gives a time, or None for what is none in the format.
func parseTime(b *starlark.Builtin, args starlark.Tuple, kw []starlark.Tuple, loc *time.Location, dates *moment.Locale) (starlark.Value, error) {
	var text, format string
	if err := starlark.UnpackArgs(b.Name(), args, kw, "text", &text, "format?", &format); err != nil {
		return nil, err
	}
	if format == "" {
		t, err := readTime(text, loc)
		if err != nil {
			return starlark.None, nil // what is no time is an answer here
		}
		return timeText(t), nil
	}
	p, ok := dates.NewParser(format)
	if !ok {
		return nil, fmt.Errorf("time.parse: the format %.100q cannot be read back", format)
	}
	t, ok := p.Parse(text, loc)
	if !ok {
		return starlark.None, nil
	}
	return timeText(t), nil
}

// maxAdd bounds each of the numbers that time.add takes: years beyond 9999 have
// no text.
const maxAdd = 1_000_000

func addTime(b *starlark.Builtin, args starlark.Tuple, kw []starlark.Tuple, loc *time.Location) (starlark.Value, error) {
	var text string
	var years, months, weeks, days, hours, minutes int
	err := starlark.UnpackArgs(b.Name(), args, kw, "time", &text, "years?", &years, "months?", &months, "weeks?", &weeks,
		"days?", &days, "hours?", &hours, "minutes?", &minutes)
	if err != nil {
		return nil, err
	}
	for _, n := range []int{years, months, weeks, days, hours, minutes} {
		if n > maxAdd || n < -maxAdd {
			return nil, fmt.Errorf("time.add: %d is too far away", n)
		}
	}
	t, err := readTime(text, loc)
	if err != nil {
		return nil, err
	}
	t = moment.AddMonths(t, 12*years+months).AddDate(0, 0, 7*weeks+days)
	t = t.Add(time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute)
	if t.Year() < 0 || t.Year() > 9999 {
		return nil, fmt.Errorf("time.add: the year %d is too far away", t.Year())
	}
	return timeText(t), nil
}
