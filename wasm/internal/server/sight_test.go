package server

import (
	"strings"
	"testing"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/protocol"
)

func TestToolsThatWalkTheVaultSeeOnlyTheAllowedFolders(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: map[string]string{
		"Work/Plan.md": "the word\n", "Private/Diary.md": "the word, and a secret\n", "Work/salary.md": "the word\n",
	}})
	ui := newPanel(t, mem, protocol.Settings{Provider: "openai", AllowedRoots: []string{"Work"}, DenyPatterns: []string{"salary"}})
	r, err := ui.s.tx.OpenPlan(t.Context(), []byte(`{"goal":"look","assumptions":[],"steps":[
{"id":"list","tool":"vault.listFiles","args":{}},
{"id":"find","tool":"vault.searchText","args":{"query":"the word"},"dependsOn":["list"]}]}`), nil, true)
	if err != nil {
		t.Fatal(err)
	}
	se, err := ui.s.tx.Open(r.Run)
	if err != nil {
		t.Fatal(err)
	}
	for _, st := range se.Report.Steps {
		out := history.ShortJSON(st.Results[0].Data)
		if !strings.Contains(out, "Work/Plan.md") || strings.Contains(out, "Private") || strings.Contains(out, "salary") {
			t.Errorf("%s saw %s", st.Node.Step.ID, out)
		}
	}
}

func TestOfTheAppsFolderTheSettingsThatToolsNeedAreSeenAndNothingElse(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: map[string]string{
		".obsidian/core-plugins.json": `{"daily-notes":true,"templates":true}`,
		".obsidian/daily-notes.json":  `{"folder":"Work/Daily"}`,
		".obsidian/templates.json":    `{"dateFormat":"YYYY"}`,
		".obsidian/app.json":          `{}`, "Work/T.md": "{{date}}",
	}})
	ui := newPanel(t, mem, protocol.Settings{Provider: "openai", AllowedRoots: []string{"Work"}, DenyPatterns: []string{"obsidian", "json"}})
	ui.s.guard.SetPlatform(protocol.Platform{ConfigDir: ".obsidian"}) // as a handshake says it
	if err := ui.s.configure(ui.s.guard.Settings()); err != nil {
		t.Fatal(err)
	}
	see := ui.s.guard.Policy().MaySee
	for path, seen := range map[string]bool{
		".obsidian/core-plugins.json": true, ".obsidian/daily-notes.json": true, ".obsidian/templates.json": true,
		".obsidian/app.json": false, ".obsidian/plugins/daily-notes.json": false, "daily-notes.json": false,
		".obsidian": false, ".obsidian/": false, ".other/templates.json": false, "Private/x.md": false, "Work/T.md": true,
	} {
		if err := see(path); (err == nil) != seen {
			t.Errorf("%s: want it seen: %v, got %v", path, seen, err)
		}
	}
	r, err := ui.s.tx.OpenPlan(t.Context(), []byte(`{"goal":"the day","assumptions":[],"steps":[
{"id":"day","tool":"dates.dailyNote","args":{}},
{"id":"make","tool":"template.apply","args":{"template":"Work/T.md","path":"$steps.day.path"},"dependsOn":["day"]}]}`), nil, true)
	if err != nil {
		t.Fatal(err)
	}
	se, err := ui.s.tx.Open(r.Run)
	if err != nil {
		t.Fatal(err)
	}
	if out := history.ShortJSON(se.Report.Steps[0].Results[0].Data); !strings.Contains(out, `"Work/Daily/`) || !strings.Contains(out, `"enabled":true`) {
		t.Errorf("the app's settings were not seen: %s", out)
	}
	_, err = ui.s.tx.OpenPlan(t.Context(), []byte(`{"goal":"peek","assumptions":[],"steps":[
{"id":"peek","tool":"vault.readFile","args":{"path":".obsidian/daily-notes.json"}}]}`), nil, true)
	if !fault.Is(err, fault.Validation) {
		t.Errorf("a step that names the file itself: %v", err)
	}
}
