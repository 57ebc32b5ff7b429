package moment

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"embedded-agent/wasm/internal/protocol"
)

// Locale writes and reads dates in one language. The nil Locale is English. It
// never changes and may be used by several at once.
type Locale struct {
	protocol.Locale
	json                          string         // the tables
	months, monthsShort, weekdays *regexp.Regexp // of Names.When; nil where there are no other forms
	// toOwn and toPlain exchange the language's own digits and comma with the plain
	// ones; nil where it has none of its own. Made once: a date is written or read
	// for each note of a list.
	toOwn, toPlain *strings.Replacer
}

// of gives the locale itself, or English.
func (l *Locale) of() *Locale {
	if l == nil {
		return english()
	}
	return l
}

// NewLocale checks tables and makes a locale of them. It gives an error for
// tables that lack something.
func NewLocale(in protocol.Locale) (*Locale, error) {
	l := &Locale{Locale: in}
	var err error
	for _, n := range []struct {
		what  string
		names protocol.Names
		n     int
		when  **regexp.Regexp
	}{
		{"months", in.Months, 12, &l.months},
		{"short months", in.MonthsShort, 12, &l.monthsShort},
		{"weekdays", in.Weekdays, 7, &l.weekdays},
	} {
		if *n.when, err = checkNames(n.names, n.n); err != nil {
			return nil, fmt.Errorf("%s: %w", n.what, err)
		}
	}
	if len(in.WeekdaysShort) != 7 || len(in.WeekdaysMin) != 7 {
		return nil, fmt.Errorf("short weekdays: %d and %d names instead of 7", len(in.WeekdaysShort), len(in.WeekdaysMin))
	}
	if err := checkRest(in); err != nil {
		return nil, err
	}
	l.toOwn, l.toPlain = l.digits()
	text, err := json.Marshal(in)
	l.json = string(text)
	return l, err
}

// Read makes a locale of tables as JSON. It is nil, which is English, for an
// empty text and for tables that lack something.
func Read(tables string) *Locale {
	var in protocol.Locale
	if json.Unmarshal([]byte(tables), &in) != nil {
		return nil
	}
	l, err := NewLocale(in)
	if err != nil {
		return nil
	}
	return l
}

// JSON gives the tables as Read takes them; empty for nil.
func (l *Locale) JSON() string {
	if l == nil {
		return ""
	}
	return l.json
}

func checkNames(names protocol.Names, n int) (*regexp.Regexp, error) {
	if len(names.Plain) != n || slices.Contains(names.Plain, "") {
		return nil, fmt.Errorf("%d names instead of %d, or an empty one", len(names.Plain), n)
	}
	if len(names.Inside) == 0 {
		return nil, nil
	}
	if len(names.Inside) != n || slices.Contains(names.Inside, "") {
		return nil, fmt.Errorf("%d other forms instead of %d, or an empty one", len(names.Inside), n)
	}
	return regexp.Compile(names.When)
}

// ordinalTokens are the tokens that have ordinals, with the greatest number each.
var ordinalTokens = map[string]int{"M": 12, "Q": 4, "D": 31, "DDD": 366, "d": 6, "w": 53, "W": 53}

// longTokens stand for other tokens, of at most maxLong bytes.
var longTokens = []string{"LT", "LTS", "L", "LL", "LLL", "LLLL", "l", "ll", "lll", "llll"}

const maxLong = 100

func checkRest(in protocol.Locale) error {
	for tok, most := range ordinalTokens {
		if len(in.Ordinals[tok]) != most+1 {
			return fmt.Errorf("ordinals of %s: %d instead of %d", tok, len(in.Ordinals[tok]), most+1)
		}
	}
	for _, tok := range longTokens {
		if n := len(in.Long[tok]); n == 0 || n > maxLong {
			return fmt.Errorf("what stands for %s has %d bytes, of 1 to %d", tok, n, maxLong)
		}
	}
	if len(in.HalfDays) == 0 || in.HalfDays[0].From != 0 {
		return fmt.Errorf("no part of the day begins at midnight")
	}
	for _, h := range in.HalfDays {
		if len(h.Hours) != 13 || h.Lower == "" || h.Upper == "" {
			return fmt.Errorf("the part of the day %q has no hours or no name", h.Lower)
		}
	}
	if len(in.Digits) != 0 && len(in.Digits) != 10 {
		return fmt.Errorf("%d digits instead of 10", len(in.Digits))
	}
	if in.FirstDay < 0 || in.FirstDay > 6 || in.FirstWeek < 0 || in.FirstWeek > 13 {
		return fmt.Errorf("weeks begin with day %d, years with week %d", in.FirstDay, in.FirstWeek)
	}
	return nil
}

// name gives the form of a name that a format asks for.
func name(names protocol.Names, when *regexp.Regexp, i int, format string) string {
	if when != nil && when.MatchString(format) {
		return names.Inside[i]
	}
	return names.Plain[i]
}

// ordinal gives a number with its ordinal sign, as a token writes it.
func (l *Locale) ordinal(tok string, n int) string { return l.Ordinals[tok][n] }

// halfDay gives the part of the day that a time lies in.
func (l *Locale) halfDay(t time.Time) protocol.HalfDay {
	minute := t.Hour()*60 + t.Minute()
	found := l.HalfDays[0]
	for _, h := range l.HalfDays {
		if h.From <= minute {
			found = h
		}
	}
	return found
}

// written gives a text with the language's own digits and commas.
func (l *Locale) written(s string) string {
	if l.toOwn == nil {
		return s
	}
	return l.toOwn.Replace(s)
}

// Read gives a text with plain digits and commas in place of the language's own.
func (l *Locale) Read(s string) string {
	if l.toPlain == nil {
		return s
	}
	return l.toPlain.Replace(s)
}

// digits makes what exchanges the language's own digits and comma with the plain
// ones.
func (l *Locale) digits() (toOwn, toPlain *strings.Replacer) {
	if len(l.Digits) == 0 {
		return nil, nil
	}
	var there, back []string
	add := func(plain, own string) {
		there, back = append(there, plain, own), append(back, own, plain)
	}
	for i, digit := range l.Digits {
		add(string(rune('0'+i)), digit)
	}
	if l.Comma != "" {
		add(",", l.Comma)
	}
	return strings.NewReplacer(there...), strings.NewReplacer(back...)
}

// Week gives the year and number of a week as the language counts them.
func (l *Locale) Week(t time.Time) (year, week int) {
	l = l.of()
	year = t.Year()
	week = (t.YearDay()-l.firstWeek(year)-1)/7 + 1
	if t.YearDay() <= l.firstWeek(year) {
		return year - 1, l.weeksIn(year - 1)
	}
	if n := l.weeksIn(year); week > n {
		return year + 1, week - n
	}
	return year, week
}

// firstWeek gives how many days of a year lie before its first week; negative
// where the week began in the year before.
func (l *Locale) firstWeek(year int) int {
	day := 7 + l.FirstDay - l.FirstWeek // of January; it always lies in the first week
	weekday := int(time.Date(year, 1, day, 0, 0, 0, 0, time.UTC).Weekday())
	return day - 1 - (7+weekday-l.FirstDay)%7
}

func (l *Locale) weeksIn(year int) int {
	days := time.Date(year, 12, 31, 0, 0, 0, 0, time.UTC).YearDay()
	return (days - l.firstWeek(year) + l.firstWeek(year+1)) / 7
}
