package moment

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// plain is the locale of a host that names none.
var plain *Locale

var friday = time.Date(2026, 11, 20, 9, 5, 7, 123e6, time.FixedZone("", 3600))

func TestFormatWritesWhatMomentWrites(t *testing.T) {
	for format, want := range map[string]string{
		"YYYY-MM-DD":           "2026-11-20",
		"YY/M/D":               "26/11/20",
		"dddd, MMMM Do YYYY":   "Friday, November 20th 2026",
		"ddd dd d E e":         "Fri Fr 5 5 5",
		"HH:mm:ss.SSS":         "09:05:07.123",
		"H h hh k a A":         "9 9 09 9 am AM",
		"hmm hmmss Hmm Hmmss":  "905 90507 905 90507",
		"k kk hh MMM SS":       "9 09 09 Nov 12",
		"[Week] ww, gggg":      "Week 47, 2026",
		"GGGG-[W]WW":           "2026-W47",
		"DDD DDDD Q Qo Mo":     "324 324 4 4th 11th",
		"X x Z ZZ":             "1795161907 1795161907123 +01:00 +0100",
		"L LL LT":              "11/20/2026 November 20, 2026 9:05 AM",
		"YYYY/MM MMM/[daily] ": "2026/11 Nov/daily ",
		"[a] \\D 年":            "a D 年",
		"":                     "2026-11-20T09:05:07+01:00",
		"YYYYMMDDHHmm":         "202611200905",
	} {
		if got := plain.Format(friday, format); got != want {
			t.Errorf("%q: %q, want %q", format, got, want)
		}
	}
}

func TestWeeksOfTheTurnOfTheYear(t *testing.T) {
	for day, want := range map[string]string{
		"2026-12-31": "2027 01 2026 53", "2027-01-01": "2027 01 2026 53", "2027-01-03": "2027 02 2026 53",
		"2024-12-30": "2025 01 2025 01", "2023-01-01": "2023 01 2022 52", "2022-12-31": "2022 53 2022 52",
	} {
		d, err := time.Parse(time.DateOnly, day)
		if err != nil {
			t.Fatal(err)
		}
		if got := plain.Format(d, "gggg ww GGGG WW"); got != want {
			t.Errorf("%s: %s, want %s", day, got, want)
		}
	}
}

func TestParseReadsWhatFormatWrites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		format := rapid.SampledFrom([]string{
			"YYYY-MM-DD", "D.M.YYYY", "YYYY/MM/[x]DD", "dddd, MMMM Do YYYY", "MMM D, YYYY", "YYYYMMDD", "YYYY DDDD", "[note] YYYY-MM-DD dddd",
		}).Draw(t, "format")
		day := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, rapid.IntRange(0, 20000).Draw(t, "days"))
		p, ok := plain.NewParser(format)
		if !ok {
			t.Fatalf("no parser for %q", format)
		}
		got, ok := p.Parse(plain.Format(day, format), time.UTC)
		if !ok || !got.Equal(day) {
			t.Fatalf("%q: %v, want %v", plain.Format(day, format), got, day)
		}
	})
}

func TestParseGivesTheFirstDayOfAWeek(t *testing.T) {
	for format, want := range map[string]string{"GGGG-[W]WW": "2026-11-16", "gggg-[W]ww": "2026-11-15"} {
		p, ok := plain.NewParser(format)
		if !ok {
			t.Fatal("want it to be found, got:", format)
		}
		got, ok := p.Parse("2026-W47", time.UTC)
		if !ok || got.Format(time.DateOnly) != want {
			t.Errorf("%s: %v, want %s", format, got, want)
		}
	}
}

func TestParseRefusesWhatIsNoDate(t *testing.T) {
	p, _ := plain.NewParser("YYYY-MM-DD")
	for _, s := range []string{"2026-02-30", "2026-13-01", "note", "2026-11-20 x", "x2026-11-20", ""} {
		if got, ok := p.Parse(s, time.UTC); ok {
			t.Errorf("want a text that is no date refused, got %q is %v", s, got)
		}
	}
	if _, ok := plain.NewParser("[only text]"); ok {
		t.Error("a format without a date has a parser")
	}
}
