package moment

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// field is the part of a date that a token of a format stands for.
type field struct {
	pattern string
	set     func(d *date, s string) bool
}

// date has the parts that have been read so far.
type date struct {
	year, month, day, hour, minute, second int
	yearDay, isoYear, isoWeek              int
	weekYear, week                         int
	halfDay                                []int // what 0 to 12 o'clock mean; nil where nothing was said
}

func number(set func(d *date, n int)) func(*date, string) bool {
	return func(d *date, s string) bool {
		n, err := strconv.Atoi(s)
		set(d, n)
		return err == nil
	}
}

// numbers are the tokens that are read as numbers, in every language.
var numbers = map[string]field{
	"YYYY": {`\d{4}`, number(func(d *date, n int) { d.year = n })},
	"YY":   {`\d{2}`, number(func(d *date, n int) { d.year = twoDigits(n) })},
	"M":    {`\d{1,2}`, number(func(d *date, n int) { d.month = n })},
	"MM":   {`\d{2}`, number(func(d *date, n int) { d.month = n })},
	"D":    {`\d{1,2}`, number(func(d *date, n int) { d.day = n })},
	"DD":   {`\d{2}`, number(func(d *date, n int) { d.day = n })},
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
	"GGGG": {`\d{4}`, number(func(d *date, n int) { d.isoYear = n })},
	"W":    {`\d{1,2}`, number(func(d *date, n int) { d.isoWeek = n })},
	"WW":   {`\d{2}`, number(func(d *date, n int) { d.isoWeek = n })},
	"gggg": {`\d{4}`, number(func(d *date, n int) { d.weekYear = n })},
	"w":    {`\d{1,2}`, number(func(d *date, n int) { d.week = n })},
	"ww":   {`\d{2}`, number(func(d *date, n int) { d.week = n })},
	"d":    {`\d`, ignored},
	"e":    {`\d`, ignored},
	"E":    {`\d`, ignored},
	"Q":    {`\d`, ignored},
}

// field gives how a token is read in the language. Names of weekdays are read
// and not used.
func (l *Locale) field(tok string) (field, bool) {
	switch tok {
	case "MMM":
		return l.named(func(d *date, n int) { d.month = n + 1 }, l.MonthsShort.Plain, l.MonthsShort.Inside), true
	case "MMMM":
		return l.named(func(d *date, n int) { d.month = n + 1 }, l.Months.Plain, l.Months.Inside), true
	case "Do":
		return l.named(func(d *date, n int) { d.day = n }, l.Ordinals["D"]), true
	case "dd":
		return l.named(nothing, l.WeekdaysMin), true
	case "ddd":
		return l.named(nothing, l.WeekdaysShort), true
	case "dddd":
		return l.named(nothing, l.Weekdays.Plain, l.Weekdays.Inside), true
	case "a", "A":
		return l.halfDayField(), true
	}
	f, ok := numbers[tok]
	return f, ok
}

func nothing(*date, int) {}

// named reads one of several lists of names as its number.
func (l *Locale) named(set func(d *date, n int), lists ...[]string) field {
	byName := map[string]int{}
	var all []string
	for _, names := range lists {
		for n, name := range names {
			name = strings.ToLower(l.Read(name))
			byName[name], all = n, append(all, name)
		}
	}
	return field{anyOf(all), func(d *date, s string) bool {
		n, ok := byName[strings.ToLower(s)]
		set(d, n)
		return ok
	}}
}

// halfDayField reads the name of a part of the day.
func (l *Locale) halfDayField() field {
	byName := map[string][]int{}
	var all []string
	for _, h := range l.HalfDays {
		for _, name := range []string{strings.ToLower(h.Lower), strings.ToLower(h.Upper)} {
			byName[name], all = h.Hours, append(all, name)
		}
	}
	return field{anyOf(all), func(d *date, s string) bool {
		d.halfDay = byName[strings.ToLower(s)]
		return true
	}}
}

// anyOf is the expression of any of the names: the longest first, so that one
// that another begins with does not hide that.
func anyOf(names []string) string {
	slices.SortFunc(names, func(a, b string) int { return len(b) - len(a) })
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = regexp.QuoteMeta(name)
	}
	return `(?i:` + strings.Join(quoted, "|") + `)`
}

func ignored(*date, string) bool { return true }

func twoDigits(n int) int {
	if n > 68 {
		return 1900 + n
	}
	return 2000 + n
}

// Parser reads texts of one format.
type Parser struct {
	locale *Locale
	re     *regexp.Regexp
	fields []field
}

// NewParser prepares the reading of a format. ok is false for a format with
// tokens that say no date (or that are not understood), and for one that is too long.
func (l *Locale) NewParser(format string) (*Parser, bool) {
	if TooLong(format) {
		return nil, false
	}
	l = l.of()
	p := &Parser{locale: l}
	var b strings.Builder
	b.WriteString(`^`)
	for _, tok := range token().FindAllString(l.expand(format), -1) {
		f, ok := l.field(tok)
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
	m := p.re.FindStringSubmatch(p.locale.Read(s))
	if m == nil {
		return time.Time{}, false
	}
	d := date{month: 1, day: 1}
	for i, f := range p.fields {
		if !f.set(&d, m[i+1]) {
			return time.Time{}, false
		}
	}
	return d.time(p.locale, loc)
}

// time gives the moment that the fields name.
func (d *date) time(l *Locale, loc *time.Location) (time.Time, bool) {
	if d.halfDay != nil && d.hour < len(d.halfDay) {
		d.hour = d.halfDay[d.hour]
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
		t := at(d.weekYear, 1, 1).AddDate(0, 0, l.firstWeek(d.weekYear)+(d.week-1)*7)
		y, w := l.Week(t)
		return t, y == d.weekYear && w == d.week
	case d.year > 0 && d.yearDay > 0:
		t := at(d.year, 1, d.yearDay)
		return t, t.Year() == d.year
	}
	t := at(d.year, d.month, d.day)
	return t, d.year > 0 && t.Year() == d.year && int(t.Month()) == d.month && t.Day() == d.day
}
