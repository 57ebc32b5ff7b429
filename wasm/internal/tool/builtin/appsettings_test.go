package builtin_test

import (
	"testing"

	"embedded-agent/wasm/internal/host/hosttest"
)

func TestDailySettingsCountWhereDailyNotesAreOn(t *testing.T) {
	const settings = `{"folder":"/Journal/","format":"YYYY-[W]WW","template":"T"}`
	for core, on := range map[string]bool{
		"none":                                   true, // no file: the app's own default
		``:                                       true,
		`{`:                                      true,
		`null`:                                   true,
		`[]`:                                     false,
		`["graph","daily-notes"]`:                true,
		`["graph"]`:                              false,
		`{"graph":true,"daily-notes":true}`:      true,
		`{"graph":true,"daily-notes":false}`:     false,
		`{"graph":false}`:                        true,
		`{"daily-notes":"odd","other":[1,{}]}`:   true,
		"{\r\n  \"daily-notes\": false\r\n}\r\n": false,
	} {
		files := map[string]string{".obsidian/daily-notes.json": settings, "Journal/2026-W46.md": ""}
		if core != "none" {
			files[".obsidian/core-plugins.json"] = core
		}
		d := mustCall(t, envOf(hosttest.New(hosttest.Options{Files: files}).Host()), "dates.dailyNote", map[string]any{})
		want := map[string]any{"path": "2026-11-20.md", "folder": "", "template": "", "enabled": false}
		if on {
			want = map[string]any{"path": "Journal/2026-W47.md", "folder": "Journal", "template": "T", "enabled": true}
		}
		for k, v := range want {
			if d[k] != v {
				t.Errorf("%q: %s is %v, want %v", core, k, d[k], v)
			}
		}
	}
}

func TestWhatACallNamesCountsWithDailyNotesOff(t *testing.T) {
	m := hosttest.New(hosttest.Options{Files: map[string]string{
		".obsidian/core-plugins.json": `{"daily-notes":false}`, ".obsidian/daily-notes.json": `{"folder":"Old"}`, "Log/19.11.2026.md": "",
	}})
	args := map[string]any{"folder": "Log", "format": "DD.MM.YYYY", "last": true}
	if d := mustCall(t, envOf(m.Host()), "dates.dailyNote", args); d["path"] != "Log/19.11.2026.md" {
		t.Errorf("want d[\"path\"] \"Log/19.11.2026.md\", got %v", d)
	}
}

func TestTemplatesAreFilledByTheAppsSettingsWhereTheyAreOn(t *testing.T) {
	for core, want := range map[string]string{
		`["templates"]`:       "20/11 9 o'clock",
		`{"templates":true}`:  "20/11 9 o'clock",
		`{"templates":false}`: "2026-11-20 09:30",
		`["daily-notes"]`:     "2026-11-20 09:30",
	} {
		m := hosttest.New(hosttest.Options{Files: map[string]string{
			".obsidian/core-plugins.json": core,
			".obsidian/templates.json":    `{"folder":"Tpl","dateFormat":"DD/MM","timeFormat":"H [o'clock]"}`,
			"T.md":                        "{{date}} {{time}}", "Tpl/T.md": "not this one: a path comes first",
		}})
		mustCall(t, envOf(m.Host()), "template.apply", map[string]any{"template": "T", "path": "N.md"})
		if got, _ := m.File("N.md"); string(got) != want {
			t.Errorf("%s: %q, want %q", core, got, want)
		}
	}
}
