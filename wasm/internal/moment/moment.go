// Package moment writes and reads dates in the formats of the Moment library,
// which Obsidian's daily notes and templates use (moment 2.29), in the language of the app.
package moment

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"embedded-agent/wasm/internal/regex"
)

// token splits a format: text in brackets, the long forms, the tokens, and any
// other character. The order of alternatives is that of Moment's own pattern.
var token = regex.Lazy(`(\[[^\[]*\])|(\\)?([Hh]mm(ss)?|Mo|MM?M?M?|Do|DDDo|DD?D?D?|ddd?d?|do?|w[o|w]?|W[o|W]?|Qo?|N{1,5}|YYYYYY|YYYYY|YYYY|YY|y{2,4}|yo?|gg(ggg?)?|GG(GGG?)?|e|E|a|A|hh?|HH?|kk?|mm?|ss?|S{1,9}|x|X|zz?|ZZ?|LTS|LT|LL?L?L?|l{1,4}|.|\s)`)

// expand replaces the long forms by what they stand for, which may have long
// forms itself: five times, as Moment does, and up to a length.
func (l *Locale) expand(format string) string {
	for range 5 {
		next := token().ReplaceAllStringFunc(format, func(t string) string {
			if f, ok := l.Long[t]; ok {
				return f
			}
			return t
		})
		if next == format || len(next) > maxLong*MaxFormat {
			break
		}
		format = next
	}
	return format
}

// MaxFormat is how many characters a format may have. What people use has a tenth
// of it; one of a megabyte would write many times its length.
const MaxFormat = 1000

// TooLong says whether a format has more characters than MaxFormat. It is for
// whoever takes a format from outside: Format writes what it is given.
func TooLong(format string) bool { return utf8.RuneCountInString(format) > MaxFormat }

// Format writes a time. An empty format is ISO 8601, as in Moment.
func (l *Locale) Format(t time.Time, format string) string {
	l = l.of()
	if format == "" {
		format = "YYYY-MM-DDTHH:mm:ssZ"
	}
	format = l.expand(format)
	var b strings.Builder
	for _, m := range token().FindAllString(format, -1) {
		b.WriteString(l.part(t, m, format))
	}
	return l.written(b.String())
}

// part writes one token of a format.
func (l *Locale) part(t time.Time, tok, format string) string {
	if strings.HasPrefix(tok, "[") && strings.HasSuffix(tok, "]") && len(tok) > 1 {
		return tok[1 : len(tok)-1]
	}
	if strings.HasPrefix(tok, `\`) && len(tok) > 1 {
		return tok[1:]
	}
	if layout, ok := layouts[tok]; ok {
		return t.Format(layout)
	}
	for _, write := range []func(time.Time, string) (string, bool){
		func(t time.Time, tok string) (string, bool) { return l.namePart(t, tok, format) },
		l.datePart, l.weekPart, timePart,
	} {
		if s, ok := write(t, tok); ok {
			return s
		}
	}
	return tok
}

// namePart writes what has a name.
func (l *Locale) namePart(t time.Time, tok, format string) (string, bool) {
	day, month := int(t.Weekday()), int(t.Month())-1
	switch tok {
	case "MMM":
		return name(l.MonthsShort, l.monthsShort, month, format), true
	case "MMMM":
		return name(l.Months, l.months, month, format), true
	case "dd":
		return l.WeekdaysMin[day], true
	case "ddd":
		return l.WeekdaysShort[day], true
	case "dddd":
		return name(l.Weekdays, l.weekdays, day, format), true
	case "a":
		return l.halfDay(t).Lower, true
	case "A":
		return l.halfDay(t).Upper, true
	}
	return "", false
}

// layouts are the tokens that the time package has too.
var layouts = map[string]string{
	"M": "1", "MM": "01", "D": "2", "DD": "02", "DDDD": "002",
	"HH": "15", "h": "3", "hh": "03", "hmm": "304", "hmmss": "30405", "m": "4", "mm": "04", "s": "5", "ss": "05",
	"Z": "-07:00", "ZZ": "-0700",
}

func (l *Locale) datePart(t time.Time, tok string) (string, bool) {
	switch tok {
	case "YYYY", "y", "yyyy":
		return pad(t.Year(), 4), true
	case "YY", "yy":
		return pad(t.Year()%100, 2), true
	case "YYYYY":
		return pad(t.Year(), 5), true
	case "YYYYYY":
		return "+" + pad(t.Year(), 6), true
	case "Q":
		return strconv.Itoa((int(t.Month()) + 2) / 3), true
	case "Qo":
		return l.ordinal("Q", (int(t.Month())+2)/3), true
	case "Mo":
		return l.ordinal("M", int(t.Month())), true
	case "Do":
		return l.ordinal("D", t.Day()), true
	case "DDD":
		return strconv.Itoa(t.YearDay()), true
	case "DDDo":
		return l.ordinal("DDD", t.YearDay()), true
	}
	return "", false
}

func (l *Locale) weekPart(t time.Time, tok string) (string, bool) {
	switch tok {
	case "d":
		return strconv.Itoa(int(t.Weekday())), true
	case "e":
		return strconv.Itoa((int(t.Weekday()) + 7 - l.FirstDay) % 7), true
	case "do":
		return l.ordinal("d", int(t.Weekday())), true
	case "E":
		return strconv.Itoa((int(t.Weekday())+6)%7 + 1), true
	}
	isoYear, iso := t.ISOWeek()
	year, week := l.Week(t)
	switch tok {
	case "w":
		return strconv.Itoa(week), true
	case "wo":
		return l.ordinal("w", week), true
	case "ww":
		return pad(week, 2), true
	case "gg":
		return pad(year%100, 2), true
	case "gggg", "ggggg":
		return pad(year, len(tok)), true
	case "W":
		return strconv.Itoa(iso), true
	case "Wo":
		return l.ordinal("W", iso), true
	case "WW":
		return pad(iso, 2), true
	case "GG":
		return pad(isoYear%100, 2), true
	case "GGGG", "GGGGG":
		return pad(isoYear, len(tok)), true
	}
	return "", false
}

func timePart(t time.Time, tok string) (string, bool) {
	switch tok {
	case "H":
		return strconv.Itoa(t.Hour()), true
	case "k":
		return strconv.Itoa((t.Hour()+23)%24 + 1), true
	case "kk":
		return pad((t.Hour()+23)%24+1, 2), true
	case "Hmm":
		return strconv.Itoa(t.Hour()) + t.Format("04"), true
	case "Hmmss":
		return strconv.Itoa(t.Hour()) + t.Format("0405"), true
	case "X":
		return strconv.FormatInt(t.Unix(), 10), true
	case "x":
		return strconv.FormatInt(t.UnixMilli(), 10), true
	case "z", "zz":
		return "", true // Moment gives the zone's name only with a plugin
	}
	if strings.Trim(tok, "S") == "" && tok != "" {
		return fmt.Sprintf("%09d", t.Nanosecond())[:len(tok)], true
	}
	return "", false
}

// AddMonths gives the same day n months on; the last day of a month that is too
// short for it.
func AddMonths(t time.Time, n int) time.Time {
	first := time.Date(t.Year(), t.Month()+time.Month(n), 1, t.Hour(), t.Minute(), t.Second(), 0, t.Location())
	last := first.AddDate(0, 1, -1).Day()
	return first.AddDate(0, 0, min(t.Day(), last)-1)
}

func pad(n, width int) string { return fmt.Sprintf("%0*d", width, n) }
