package moment

import (
	"testing"
	"time"

	"embedded-agent/wasm/internal/moment/momenttest"
	"embedded-agent/wasm/internal/protocol"
)

func TestEachLanguageIsWrittenAsMomentWritesIt(t *testing.T) {
	g := momenttest.Read(t)
	for _, language := range g.Languages {
		l, err := NewLocale(language.Locale)
		if err != nil {
			t.Fatalf("%s: want no error, got %v", language.Locale.Language, err)
		}
		for i, text := range g.Times {
			at, err := time.Parse("2006-01-02T15:04:05", text)
			if err != nil {
				t.Fatal(err)
			}
			for j, format := range g.Formats {
				if got, want := l.Format(at, format), language.Written[i][j]; got != want {
					t.Errorf("%s, %s, %q: %q, want %q", language.Locale.Language, text, format, got, want)
				}
			}
		}
	}
}

func TestTheBuiltInEnglishIsMoments(t *testing.T) {
	g := momenttest.Read(t)
	for i, text := range g.Times {
		at, err := time.Parse("2006-01-02T15:04:05", text)
		if err != nil {
			t.Fatal(err)
		}
		for j, format := range g.Formats {
			if got, want := plain.Format(at, format), g.Languages[0].Written[i][j]; got != want {
				t.Errorf("%s, %q: %q, want %q", text, format, got, want)
			}
		}
	}
}

func TestEachLanguageReadsWhatItWrites(t *testing.T) {
	formats := []string{
		"YYYY-MM-DD", "Do MMMM YYYY", "D MMM YYYY", "dddd, D. MMMM YYYY", "dddd ddd dd D/M/YYYY", "LL", "L", "gggg-[W]ww e", "GGGG-[W]WW E",
		"YYYY-MM-DD h:mm A", "YYYY-MM-DD hh:mm a", "YYYY-MM-DD HH:mm:ss",
	}
	for _, language := range momenttest.Read(t).Languages {
		l, err := NewLocale(language.Locale)
		if err != nil {
			t.Fatal(err)
		}
		for _, format := range formats {
			p, ok := l.NewParser(format)
			if !ok {
				t.Fatalf("%s: no parser for %q", language.Locale.Language, format)
			}
			for n := range 120 {
				at := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(n) * 163 * time.Hour)
				text := l.Format(at, format)
				back, ok := p.Parse(text, time.UTC)
				if !ok || l.Format(back, format) != text && !isWeek(format) {
					t.Fatalf("%s, %q: %q was read as %v (%v)", language.Locale.Language, format, text, back, ok)
				}
				if year, week := l.Week(at); isWeek(format) && format[0] == 'g' {
					if y, w := l.Week(back); y != year || w != week {
						t.Fatalf("%s: %q was read as week %d of %d", language.Locale.Language, text, w, y)
					}
				}
			}
		}
	}
}

// isWeek: of a week, reading gives the first day.
func isWeek(format string) bool { return format[0] == 'g' || format[0] == 'G' }

func TestTablesThatLackSomethingAreRefused(t *testing.T) {
	whole := momenttest.Read(t).Languages[1].Locale
	for name, spoil := range map[string]func(l *protocol.Locale){
		"eleven months":        func(l *protocol.Locale) { l.Months.Plain = l.Months.Plain[1:] },
		"a nameless weekday":   func(l *protocol.Locale) { l.Weekdays.Plain = append([]string{""}, l.Weekdays.Plain[1:]...) },
		"no condition's forms": func(l *protocol.Locale) { l.Months.Inside = []string{"x"} },
		"no expression":        func(l *protocol.Locale) { l.Months.Inside, l.Months.When = l.Months.Plain, "(" },
		"six short weekdays":   func(l *protocol.Locale) { l.WeekdaysShort = l.WeekdaysShort[1:] },
		"no ordinals":          func(l *protocol.Locale) { l.Ordinals = nil },
		"nothing for LL":       func(l *protocol.Locale) { l.Long = map[string]string{"L": "D"} },
		"no parts of the day":  func(l *protocol.Locale) { l.HalfDays = nil },
		"hours missing":        func(l *protocol.Locale) { l.HalfDays = []protocol.HalfDay{{Lower: "a", Upper: "A"}} },
		"nine digits":          func(l *protocol.Locale) { l.Digits = []string{"a"} },
		"an eighth day":        func(l *protocol.Locale) { l.FirstDay = 7 },
		"a year that never is": func(l *protocol.Locale) { l.FirstWeek = -1 },
	} {
		spoiled := whole
		spoil(&spoiled)
		if _, err := NewLocale(spoiled); err == nil {
			t.Errorf("%s: a locale was made of it", name)
		}
	}
	if l, err := NewLocale(whole); err != nil || Read(l.JSON()).Format(time.Now(), "LLLL") != l.Format(time.Now(), "LLLL") {
		t.Errorf("the tables do not come back as they were: %v", err)
	}
	for _, text := range []string{"", "{}", "no"} {
		if Read(text) != nil {
			t.Errorf("%q is a locale", text)
		}
	}
}

func TestLongFormsThatStandForEachOtherEnd(t *testing.T) {
	in := momenttest.Read(t).Languages[1].Locale
	in.Long = map[string]string{}
	for _, tok := range longTokens {
		in.Long[tok] = "LLLL LLLL LLLL LLLL LLLL LLLL LLLL LLLL LLLL LLLL LLLL LLLL LLLL LLLL LLLL"
	}
	l, err := NewLocale(in)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(l.Format(time.Now(), "LLLL")); n > 200*MaxFormat {
		t.Errorf("four letters became %d bytes", n)
	}
}

// BenchmarkALanguageWithItsOwnDigits writes and reads a date in Arabic.
func BenchmarkALanguageWithItsOwnDigits(b *testing.B) {
	l, err := NewLocale(momenttest.Locale(b, "ar"))
	if err != nil {
		b.Fatal(err)
	}
	at := time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC)
	b.ReportAllocs()
	for b.Loop() {
		l.Read(l.Format(at, "dddd, D MMMM YYYY"))
	}
}
