package builtin_test

import (
	"strings"
	"testing"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/moment"
	"embedded-agent/wasm/internal/moment/momenttest"
)

func TestDatesInWords(t *testing.T) { // today is Friday, 20 November 2026
	env := envOf(hosttest.New(hosttest.Options{}).Host())
	for text, want := range map[string]string{
		"today": "2026-11-20", "Tomorrow": "2026-11-21", "yesterday": "2026-11-19",
		"friday": "2026-11-27", "next Friday": "2026-11-27", "last friday": "2026-11-13", "this friday": "2026-11-20",
		"monday": "2026-11-23", "last monday": "2026-11-16", "this mon": "2026-11-16", "last sat": "2026-11-14", "sunday": "2026-11-22",
		"in 3 days": "2026-11-23", "3 days ago": "2026-11-17", "two weeks ago": "2026-11-06", "in a month": "2026-12-20",
		"next week": "2026-11-27", "last month": "2026-10-20", "30d": "2026-12-20", "-30 days": "2026-10-21",
		"start of month": "2026-11-01", "end of this month": "2026-11-30", "end of next week": "2026-11-29", "start of last year": "2025-01-01",
		"end of quarter": "2026-12-31", "this week": "2026-11-16",
		"20 November 2026": "2026-11-20", "Nov 3, 2026": "2026-11-03", "3rd March 2026": "2026-03-03", "20.11.2026": "2026-11-20",
		"25/12/2026": "2026-12-25", "12/25/2026": "2026-12-25", "5/5/2026": "2026-05-05", "20261120": "2026-11-20",
		"2026-W47": "2026-11-16", "2026-11": "2026-11-01", "2026-11-20T08:15": "2026-11-20", "2026-11-20T23:30:00Z": "2026-11-20",
	} {
		if d := mustCall(t, env, "dates.parse", map[string]any{"text": text}); d["date"] != want {
			t.Errorf("%q is %v, want %s", text, d["date"], want)
		}
	}
	for _, text := range []string{"someday", "2026-02-30", "3/4/2026", "32.1.2026", "in days", "next", "", "99999999 years ago"} {
		if d, err := call(t, env, "dates.parse", map[string]any{"text": text}); !fault.Is(err, fault.Validation) {
			t.Errorf("want the error fault.Validation, got %q is %v (%v)", text, d, err)
		}
	}
}

func TestDatesAreWrittenAndReadInTheAppsLanguage(t *testing.T) { // today is Friday, 20 November 2026
	env := envOf(hosttest.New(hosttest.Options{}).Host())
	env.Platform.Dates = german(t)
	for _, tt := range []struct {
		tool string
		args map[string]any
		out  string
		want string
	}{
		{"dates.format", map[string]any{"format": "dddd, D. MMMM, [KW] w"}, "text", "Freitag, 20. November, KW 47"},
		{"dates.format", map[string]any{"date": "2026-11-22", "format": "dddd gggg-[W]ww"}, "text", "Sonntag 2026-W47"},
		{"dates.format", map[string]any{"date": "2. März 2026", "format": "L"}, "text", "02.03.2026"},
		{"dates.parse", map[string]any{"text": "Montag, 7. Dezember 2026"}, "date", "2026-12-07"},
		{"dates.parse", map[string]any{"text": "Mo., 7. Dez. 2026", "format": "ddd, D. MMM YYYY"}, "date", "2026-12-07"},
		{"dates.parse", map[string]any{"text": "3 March 2026"}, "date", "2026-03-03"},
		{"dates.dailyNote", map[string]any{"format": "YYYY/MM-MMMM/dddd DD", "date": "2026-03-01"}, "path", "2026/03-März/Sonntag 01.md"},
		{"dates.add", map[string]any{"date": "1. Mai 2026", "days": 1}, "date", "2026-05-02"},
	} {
		if d := mustCall(t, env, tt.tool, tt.args); d[tt.out] != tt.want {
			t.Errorf("%s %v: %v, want %s", tt.tool, tt.args, d[tt.out], tt.want)
		}
	}
	if d, err := call(t, env, "dates.parse", map[string]any{"text": "irgendwann 2026"}); !fault.Is(err, fault.Validation) {
		t.Errorf("a text without a date is %v (%v)", d, err)
	}
}

// german is the locale that the app has in German.
func german(t *testing.T) *moment.Locale {
	t.Helper()
	l, err := moment.NewLocale(momenttest.Locale(t, "de"))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestADateFormatIsReadUpToALength holds for every way in which a format comes
// from outside: what is refused says how long a format may be.
func TestADateFormatIsReadUpToALength(t *testing.T) {
	long := strings.Repeat("LLLL", moment.MaxFormat/4)
	for name, call1 := range map[string]func(t *testing.T, format string) error{
		"dates.format": func(t *testing.T, format string) error {
			_, err := call(t, envOf(hosttest.New(hosttest.Options{}).Host()), "dates.format", map[string]any{"format": format})
			return err
		},
		"dates.parse": func(t *testing.T, format string) error {
			_, err := call(t, envOf(hosttest.New(hosttest.Options{}).Host()), "dates.parse", map[string]any{"text": "2026", "format": format})
			return err
		},
		"dates.dailyNote": func(t *testing.T, format string) error {
			_, err := call(t, envOf(hosttest.New(hosttest.Options{}).Host()), "dates.dailyNote", map[string]any{"format": format})
			return err
		},
		"template.apply": func(t *testing.T, format string) error {
			m := hosttest.New(hosttest.Options{Files: map[string]string{"T.md": "{{date:" + format + "}} {{title}}"}})
			_, err := call(t, envOf(m.Host()), "template.apply", map[string]any{"template": "T.md", "path": "N.md"})
			if _, made := m.Snapshot()["N.md"]; made != (err == nil) {
				t.Errorf("the note was made: %v, with %v", made, err)
			}
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			tooLong := func(err error) bool {
				f := fault.From(err)
				return f != nil && f.Key == "tools.dates.formatTooLong" && f.Code == fault.Validation && f.Params["n"] == "1004" && f.Params["max"] == "1000"
			}
			if err := call1(t, long+"YYYY"); !tooLong(err) {
				t.Errorf("a format that is too long: %v", err)
			}
			// As long as it may be, it is read; whether it says a date is another matter.
			if err := call1(t, long); err != nil && tooLong(err) {
				t.Error(err)
			}
		})
	}
}

func TestATemplateIsFilledInOnePass(t *testing.T) {
	m := hosttest.New(hosttest.Options{Files: map[string]string{"T.md": "{{title}} {{a}} {{date:[{{a}}]}} {{unknown}} ${x} {{a:b}}"}})
	mustCall(t, envOf(m.Host()), "template.apply", map[string]any{
		"template": "T.md", "title": "N {{a}}", "variables": map[string]any{"a": "{{title}}", "b": 1},
	})
	files := m.Snapshot()
	for p, data := range files {
		if p != "T.md" && string(data) != title(p)+" {{title}} {{date:[{{title}}]}} {{unknown}} ${x} {{a:b}}" {
			t.Errorf("%s: want the template's text with its title alone filled in, got %q", p, data)
		}
	}
	if len(files) != 2 {
		t.Errorf("%d files", len(files))
	}
}

func title(path string) string { return path[:len(path)-3] }
