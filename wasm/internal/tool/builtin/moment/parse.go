package moment

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// field is what a token of a format says of a date.
type field struct {
	pattern string
	set     func(d *date, s string) bool
}

// date is what has been read so far.
type date struct {
	year, month, day, hour, minute, second int
	yearDay, isoYear, isoWeek              int
	weekYear, week                         int
	pm, am                                 bool
}

func number(set func(d *date, n int)) func(*date, string) bool {
	return func(d *date, s string) bool {
		n, err := strconv.Atoi(s)
		set(d, n)
		return err == nil
	}
}

// fields are the tokens that Parse understands; weekday names are read and
// not used.
var fields = map[string]field{
	"YYYY": {`\d{4}`, number(func(d *date, n int) { d.year = n })},
	"YY":   {`\d{2}`, number(func(d *date, n int) { d.year = twoDigits(n) })},
	"M":    {`\d{1,2}`, number(func(d *date, n int) { d.month = n })},
	"MM":   {`\d{2}`, number(func(d *date, n int) { d.month = n })},
	"MMM":  {`[A-Za-z]{3}`, monthName},
	"MMMM": {`[A-Za-z]+`, monthName},
	"D":    {`\d{1,2}`, number(func(d *date, n int) { d.day = n })},
	"DD":   {`\d{2}`, number(func(d *date, n int) { d.day = n })},
	"Do":   {`\d{1,2}(?:st|nd|rd|th)`, func(d *date, s string) bool { d.day, _ = strconv.Atoi(s[:len(s)-2]); return true }},
	"DDD":  {`\d{1,3}`, number(func(d *date, n int) { d.yearDay = n })},
	"DDDD": {`\d{3}`, number(func(d *date, n int) { d.yearDay = n })},
	"H":    {`\d{1,2}`, number(func(d *date, n int) { d.hour = n })},
	"HH":   {`\d{2}`, number(func(d *date, n int) { d.hour = n })},
	"h":    {`\d{1,2}`, number(func(d *date, n int) { d.hour = n })},
	"hh":   {`\d{2}`, number(func(d *date, n int) { d.hour = n })},
	"m":    {`\d{1,2}`, number(func(d *date, n int) { d.minute = n })},
	"mm":   {`\d{2}`, number(func(d *date, n int) { d.minute = n })},
	"s":    {`\d{1,2}`, number(func(d *date, n int) { d.second = n })},
	"ss":   {`\d{2}`, number(func(d *date, n int) { d.second = n })},
	"a":    {`[aApP][mM]`, halfDay},
	"A":    {`[aApP][mM]`, halfDay},
	"GGGG": {`\d{4}`, number(func(d *date, n int) { d.isoYear = n })},
	"W":    {`\d{1,2}`, number(func(d *date, n int) { d.isoWeek = n })},
	"WW":   {`\d{2}`, number(func(d *date, n int) { d.isoWeek = n })},
	"gggg": {`\d{4}`, number(func(d *date, n int) { d.weekYear = n })},
	"w":    {`\d{1,2}`, number(func(d *date, n int) { d.week = n })},
	"ww":   {`\d{2}`, number(func(d *date, n int) { d.week = n })},
	"dd":   {`[A-Za-z]{2}`, ignored},
	"ddd":  {`[A-Za-z]{3}`, ignored},
	"dddd": {`[A-Za-z]+`, ignored},
	"d":    {`\d`, ignored},
	"e":    {`\d`, ignored},
	"E":    {`\d`, ignored},
	"Q":    {`\d`, ignored},
}

func ignored(*date, string) bool { return true }

func twoDigits(n int) int {
	if n > 68 {
		return 1900 + n
	}
	return 2000 + n
}

func monthName(d *date, s string) bool {
	for m := time.January; m <= time.December; m++ {
		if strings.EqualFold(m.String(), s) || strings.EqualFold(m.String()[:3], s) {
			d.month = int(m)
			return true
		}
	}
	return false
}

func halfDay(d *date, s string) bool {
	d.pm, d.am = s[0] == 'p' || s[0] == 'P', s[0] == 'a' || s[0] == 'A'
	return true
}

// Parser reads texts of one format.
type Parser struct {
	re     *regexp.Regexp
	fields []field
}

// NewParser prepares the reading of a format. ok is false for a format with
// tokens that say no date (or that are not understood), and for one that is too long.
func NewParser(format string) (*Parser, bool) {
	if TooLong(format) {
		return nil, false
	}
	p := &Parser{}
	var b strings.Builder
	b.WriteString(`^`)
	for _, tok := range token().FindAllString(expand(format), -1) {
		f, ok := fields[tok]
		switch {
		case ok:
			b.WriteString("(" + f.pattern + ")")
			p.fields = append(p.fields, f)
		case strings.HasPrefix(tok, "[") && len(tok) > 1:
			b.WriteString(regexp.QuoteMeta(tok[1 : len(tok)-1]))
		case strings.HasPrefix(tok, `\`) && len(tok) > 1:
			b.WriteString(regexp.QuoteMeta(tok[1:]))
		case len(tok) == 1 && !isLetter(tok[0]), len(tok) > 1 && tok[0] >= 0x80:
			b.WriteString(regexp.QuoteMeta(tok))
		case len(tok) == 1:
			b.WriteString(regexp.QuoteMeta(tok)) // a letter that is no token
		default:
			return nil, false
		}
	}
	b.WriteString(`$`)
	re, err := regexp.Compile(b.String())
	p.re = re
	return p, err == nil && len(p.fields) > 0
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// Parse reads a text as a time at a place; false when it is not of the format or
// is no date.
func (p *Parser) Parse(s string, loc *time.Location) (time.Time, bool) {
	m := p.re.FindStringSubmatch(s)
	if m == nil {
		return time.Time{}, false
	}
	d := date{month: 1, day: 1}
	for i, f := range p.fields {
		if !f.set(&d, m[i+1]) {
			return time.Time{}, false
		}
	}
	return d.time(loc)
}

// time gives the moment that the fields name.
func (d *date) time(loc *time.Location) (time.Time, bool) {
	switch {
	case d.pm && d.hour < 12:
		d.hour += 12
	case d.am && d.hour == 12:
		d.hour = 0
	}
	if d.hour > 23 || d.minute > 59 || d.second > 59 {
		return time.Time{}, false
	}
	at := func(y, m, day int) time.Time {
		return time.Date(y, time.Month(m), day, d.hour, d.minute, d.second, 0, loc)
	}
	switch {
	case d.isoYear > 0 && d.isoWeek > 0:
		jan4 := at(d.isoYear, 1, 4)
		t := jan4.AddDate(0, 0, (d.isoWeek-1)*7-(int(jan4.Weekday())+6)%7)
		y, w := t.ISOWeek()
		return t, y == d.isoYear && w == d.isoWeek
	case d.weekYear > 0 && d.week > 0:
		jan1 := at(d.weekYear, 1, 1)
		t := jan1.AddDate(0, 0, (d.week-1)*7-int(jan1.Weekday()))
		y, w := Week(t)
		return t, y == d.weekYear && w == d.week
	case d.year > 0 && d.yearDay > 0:
		t := at(d.year, 1, d.yearDay)
		return t, t.Year() == d.year
	}
	t := at(d.year, d.month, d.day)
	return t, d.year > 0 && t.Year() == d.year && int(t.Month()) == d.month && t.Day() == d.day
}
