// Package moment writes and reads dates in the formats of the Moment library,
// which Obsidian's daily notes and templates use (moment 2.29, English locale).
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

// long are the formats that stand for others, in English.
var long = map[string]string{
	"LT": "h:mm A", "LTS": "h:mm:ss A", "L": "MM/DD/YYYY", "LL": "MMMM D, YYYY",
	"LLL": "MMMM D, YYYY h:mm A", "LLLL": "dddd, MMMM D, YYYY h:mm A",
	"l": "M/D/YYYY", "ll": "MMM D, YYYY", "lll": "MMM D, YYYY h:mm A", "llll": "ddd, MMM D, YYYY h:mm A",
}

// expand replaces the long forms by what they stand for.
func expand(format string) string {
	return token().ReplaceAllStringFunc(format, func(t string) string {
		if f, ok := long[t]; ok {
			return f
		}
		return t
	})
}

// MaxFormat is how many characters a format may have. What people use has a tenth
// of it; one of a megabyte would write many times its length.
const MaxFormat = 1000

// TooLong says whether a format has more characters than MaxFormat. It is for
// whoever takes a format from outside: Format writes what it is given.
func TooLong(format string) bool { return utf8.RuneCountInString(format) > MaxFormat }

// Format writes a time. An empty format is ISO 8601, as in Moment.
func Format(t time.Time, format string) string {
	if format == "" {
		format = "YYYY-MM-DDTHH:mm:ssZ"
	}
	var b strings.Builder
	for _, m := range token().FindAllString(expand(format), -1) {
		b.WriteString(part(t, m))
	}
	return b.String()
}

// part writes one token.
func part(t time.Time, tok string) string {
	if strings.HasPrefix(tok, "[") && strings.HasSuffix(tok, "]") && len(tok) > 1 {
		return tok[1 : len(tok)-1]
	}
	if strings.HasPrefix(tok, `\`) && len(tok) > 1 {
		return tok[1:]
	}
	if layout, ok := layouts[tok]; ok {
		return t.Format(layout)
	}
	if s, ok := datePart(t, tok); ok {
		return s
	}
	if s, ok := weekPart(t, tok); ok {
		return s
	}
	if s, ok := timePart(t, tok); ok {
		return s
	}
	return tok
}

// layouts are the tokens that the time package has too.
var layouts = map[string]string{
	"M": "1", "MM": "01", "MMM": "Jan", "MMMM": "January", "D": "2", "DD": "02", "DDDD": "002", "ddd": "Mon", "dddd": "Monday",
	"HH": "15", "h": "3", "hh": "03", "hmm": "304", "hmmss": "30405", "m": "4", "mm": "04", "s": "5", "ss": "05",
	"a": "pm", "A": "PM", "Z": "-07:00", "ZZ": "-0700",
}

func datePart(t time.Time, tok string) (string, bool) {
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
		return ordinal((int(t.Month()) + 2) / 3), true
	case "Mo":
		return ordinal(int(t.Month())), true
	case "Do":
		return ordinal(t.Day()), true
	case "DDD":
		return strconv.Itoa(t.YearDay()), true
	case "DDDo":
		return ordinal(t.YearDay()), true
	}
	return "", false
}

func weekPart(t time.Time, tok string) (string, bool) {
	switch tok {
	case "d", "e":
		return strconv.Itoa(int(t.Weekday())), true
	case "do":
		return ordinal(int(t.Weekday())), true
	case "dd":
		return t.Weekday().String()[:2], true
	case "E":
		return strconv.Itoa((int(t.Weekday())+6)%7 + 1), true
	}
	isoYear, iso := t.ISOWeek()
	year, week := Week(t)
	switch tok {
	case "w":
		return strconv.Itoa(week), true
	case "wo":
		return ordinal(week), true
	case "ww":
		return pad(week, 2), true
	case "gg":
		return pad(year%100, 2), true
	case "gggg", "ggggg":
		return pad(year, len(tok)), true
	case "W":
		return strconv.Itoa(iso), true
	case "Wo":
		return ordinal(iso), true
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

// Week gives the year and number of a week as Moment's English locale counts:
// weeks start on Sunday, the first is the one with the first of January.
func Week(t time.Time) (year, week int) {
	saturday := t.AddDate(0, 0, 6-int(t.Weekday()))
	return saturday.Year(), (saturday.YearDay()-1)/7 + 1
}

// AddMonths gives the same day n months on; the last day of a month that is too
// short for it.
func AddMonths(t time.Time, n int) time.Time {
	first := time.Date(t.Year(), t.Month()+time.Month(n), 1, t.Hour(), t.Minute(), t.Second(), 0, t.Location())
	last := first.AddDate(0, 1, -1).Day()
	return first.AddDate(0, 0, min(t.Day(), last)-1)
}

func pad(n, width int) string { return fmt.Sprintf("%0*d", width, n) }

func ordinal(n int) string {
	suffix := "th"
	if n%100/10 != 1 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return strconv.Itoa(n) + suffix
}
