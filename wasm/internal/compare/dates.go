package compare

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/moment"
	"embedded-agent/wasm/internal/regex"
)

// Date reads a date as people write it: ISO 8601, dates with the month's
// name, numeric dates that can be read in one way only, and words relative to
// now ("tomorrow", "last Friday", "3 days ago", "start of next month").
func Date(text string, now time.Time) (time.Time, error) { return DateIn(nil, text, now) }

// Day reads a date that says itself which one it is, without words like "today".
func Day(text string, now time.Time) (time.Time, bool) { return absoluteDate(folded(text), now, now) }

func folded(text string) string { return strings.ToLower(strings.Join(strings.Fields(text), " ")) }

// DateIn reads the names of months and days in a language, too.
func DateIn(l *moment.Locale, text string, now time.Time) (time.Time, error) {
	s := folded(text)
	day := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	for _, read := range []func(string, time.Time, time.Time) (time.Time, bool){absoluteDate, wordDate, relativeDate, weekdayDate, periodDate} {
		if t, ok := read(s, day, now); ok {
			return t, nil
		}
	}
	if l != nil && strings.ContainsAny(l.Read(s), "0123456789") && len(s) <= maxDate {
		for _, p := range readersOf(l) {
			if t, ok := p.Parse(s, now.Location()); ok {
				return t, nil
			}
		}
	}
	return time.Time{}, fault.New(fault.Validation, "tools.dates.unknown", fault.P{"text": text})
}

// absoluteFormats are read as they are; two numbers that could each be the
// month are refused below.
var absoluteFormats = []string{
	"YYYY-MM-DD", "YYYY-MM-DD HH:mm", "YYYY-MM-DD HH:mm:ss", "YYYY-MM-DD[t]HH:mm", "YYYY-MM-DD[t]HH:mm:ss", "YYYY/MM/DD",
	"YYYYMMDD", "YYYY-M-D", "D MMMM YYYY", "D MMM YYYY", "Do MMMM YYYY", "Do MMM YYYY", "MMMM D, YYYY", "MMM D, YYYY",
	"MMMM D YYYY", "MMM D YYYY", "MMMM Do, YYYY", "MMMM Do YYYY", "D. MMMM YYYY", "D.M.YYYY", "GGGG-[w]WW", "YYYY-MM",
	"dddd, MMMM D, YYYY", "dddd, D MMMM YYYY", "dddd, MMMM Do YYYY",
}

// absolute are the readers of absoluteFormats, and of dates with slashes by day
// and by month first; made once, since a query may read thousands of dates.
var absolute = sync.OnceValue(func() (ps struct{ all, dayFirst, monthFirst []*moment.Parser }) {
	ps.all, ps.dayFirst, ps.monthFirst = readers(nil, absoluteFormats...), readers(nil, "D/M/YYYY"), readers(nil, "M/D/YYYY")
	return ps
})

func readers(l *moment.Locale, formats ...string) (out []*moment.Parser) {
	for _, f := range formats {
		if p, ok := l.NewParser(f); ok {
			out = append(out, p)
		}
	}
	return out
}

// localeReaders has the readers of absoluteFormats, and of the language's own long
// forms, by locale: []*moment.Parser by *moment.Locale. A host has one locale.
var localeReaders sync.Map

func readersOf(l *moment.Locale) []*moment.Parser {
	if kept, ok := localeReaders.Load(l); ok {
		return kept.([]*moment.Parser)
	}
	made := readers(l, append(slices.Clone(absoluteFormats), "LL", "ll", "dddd, D. MMMM YYYY", "ddd, D. MMM YYYY", "D. MMM YYYY")...)
	localeReaders.Store(l, made)
	return made
}

// maxDate is how many bytes a date in words may have.
const maxDate = 60

func absoluteDate(s string, _, now time.Time) (time.Time, bool) {
	if t, err := time.ParseInLocation(time.DateOnly, s, now.Location()); err == nil {
		return t, true
	}
	if !strings.ContainsAny(s, "0123456789") || len(s) > maxDate {
		return time.Time{}, false
	}
	if t, err := time.Parse(time.RFC3339, strings.ToUpper(s)); err == nil {
		return t.In(now.Location()), true
	}
	read := func(ps []*moment.Parser) (time.Time, bool) {
		for _, p := range ps {
			if t, ok := p.Parse(s, now.Location()); ok {
				return t, true
			}
		}
		return time.Time{}, false
	}
	if t, ok := read(absolute().all); ok {
		return t, true
	}
	a, dayFirst := read(absolute().dayFirst)
	b, monthFirst := read(absolute().monthFirst)
	switch {
	case dayFirst && monthFirst && !a.Equal(b):
		return time.Time{}, false // 3/4/2026: nobody knows
	case dayFirst:
		return a, true
	}
	return b, monthFirst
}

func wordDate(s string, day, now time.Time) (time.Time, bool) {
	switch s {
	case "now":
		return now, true
	case "today":
		return day, true
	case "tomorrow":
		return day.AddDate(0, 0, 1), true
	case "yesterday":
		return day.AddDate(0, 0, -1), true
	case "the day after tomorrow", "day after tomorrow":
		return day.AddDate(0, 0, 2), true
	case "the day before yesterday", "day before yesterday":
		return day.AddDate(0, 0, -2), true
	}
	return time.Time{}, false
}

var relative = regex.Lazy(`^(in )?([+-]?)(\d{1,5}|an?|one|two|three|four|five|six|seven|eight|nine|ten|next|last) ?(d|days?|w|weeks?|fortnights?|months?|y|years?|quarters?)( ago| from now)?$`)

var counts = map[string]int{
	"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
	"next": 1, "last": -1,
}

func relativeDate(s string, day, _ time.Time) (time.Time, bool) {
	m := relative().FindStringSubmatch(s)
	if m == nil {
		return time.Time{}, false
	}
	n, ok := counts[m[3]]
	if !ok {
		n, _ = strconv.Atoi(m[3])
	}
	if m[2] == "-" || m[5] == " ago" {
		n = -n
	}
	return addUnits(day, n, m[4]), true
}

// addUnits moves a date; months and years keep the day where the month has it,
// and take its last one otherwise.
func addUnits(t time.Time, n int, unit string) time.Time {
	switch {
	case strings.HasPrefix(unit, "d"):
		return t.AddDate(0, 0, n)
	case strings.HasPrefix(unit, "w"):
		return t.AddDate(0, 0, 7*n)
	case strings.HasPrefix(unit, "f"):
		return t.AddDate(0, 0, 14*n)
	case strings.HasPrefix(unit, "q"):
		return moment.AddMonths(t, 3*n)
	case strings.HasPrefix(unit, "y"):
		return moment.AddMonths(t, 12*n)
	}
	return moment.AddMonths(t, n)
}

// weekdayDate reads "friday" and "next friday" (the next one after today),
// "last friday" (the one before today), "this friday" (of this week, Monday
// first).
func weekdayDate(s string, day, _ time.Time) (time.Time, bool) {
	which, name, ok := strings.Cut(s, " ")
	if !ok {
		which, name = "next", s
	}
	for d := time.Sunday; d <= time.Saturday; d++ {
		full := strings.ToLower(d.String())
		if name != full && name != full[:3] {
			continue
		}
		ahead := (int(d)-int(day.Weekday())+6)%7 + 1
		switch which {
		case "next", "on", "coming":
			return day.AddDate(0, 0, ahead), true
		case "last", "past", "previous":
			return day.AddDate(0, 0, ahead-7-7*(ahead/7)), true
		case "this":
			return StartOf(day, "week").AddDate(0, 0, (int(d)+6)%7), true
		}
	}
	return time.Time{}, false
}

// periodDate reads "start of next month", "end of this week", "this year".
func periodDate(s string, day, _ time.Time) (time.Time, bool) {
	end := strings.HasPrefix(s, "end of ")
	rest := strings.TrimPrefix(strings.TrimPrefix(s, "end of "), "start of ")
	rest = strings.TrimPrefix(strings.TrimPrefix(rest, "beginning of "), "the ")
	which, unit, ok := strings.Cut(rest, " ")
	if !ok {
		which, unit = "this", rest
	}
	n, known := map[string]int{"this": 0, "next": 1, "last": -1, "previous": -1, "current": 0}[which]
	if !known || unit != "day" && unit != "week" && unit != "month" && unit != "quarter" && unit != "year" {
		return time.Time{}, false
	}
	start := StartOf(addUnits(StartOf(day, unit), n, unit), unit)
	if end {
		return addUnits(start, 1, unit).AddDate(0, 0, -1), true
	}
	return start, true
}

// StartOf gives the first day of a period; weeks start on Monday (ISO 8601).
func StartOf(t time.Time, unit string) time.Time {
	at := func(m time.Month, d int) time.Time { return time.Date(t.Year(), m, d, 0, 0, 0, 0, t.Location()) }
	switch unit {
	case "week":
		return at(t.Month(), t.Day()).AddDate(0, 0, -(int(t.Weekday())+6)%7)
	case "month":
		return at(t.Month(), 1)
	case "quarter":
		return at((t.Month()-1)/3*3+1, 1)
	case "year":
		return at(1, 1)
	}
	return at(t.Month(), t.Day())
}
