//go:build !js

package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The command told the core of no folder of settings: daily notes went to the root,
// without their template, and links were written as by default.
func TestTheAppsOwnSettingsCountOnAFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	plan := filepath.Join(filepath.Dir(dir), "plan.json")
	for path, text := range map[string]string{
		filepath.Join(dir, ".obsidian", "daily-notes.json"): `{"folder":"Daily","template":"Day"}`,
		filepath.Join(dir, ".obsidian", "templates.json"):   `{"folder":"Tpl","dateFormat":"YYYY"}`,
		filepath.Join(dir, ".obsidian", "app.json"):         `{"useMarkdownLinks":true}`,
		filepath.Join(dir, "Tpl", "Day.md"):                 "---\nyear: {{date}}\n---\n",
		plan: `{"goal":"Today","steps":[{"id":"a","tool":"template.apply","args":{}},` +
			`{"id":"b","tool":"vault.appendFile","args":{"path":"$steps.a.path","content":"$steps.a.link"}}]}`,
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var out, stderr bytes.Buffer
	today := time.Now().Format("2006-01-02")
	if code := Run(t.Context(), []string{"-vault", dir, "-yes", plan}, &out, &stderr); code != exitOK {
		t.Fatalf("exit code %d:\n%s%s", code, out.String(), stderr.String())
	}
	got, err := os.ReadFile(filepath.Join(dir, "Daily", today+".md"))
	if err != nil && today != time.Now().Format("2006-01-02") {
		t.Skip("the day has changed meanwhile")
	}
	want := "---\nyear: " + today[:4] + "\n---\n[" + today + "](" + today + ".md)\n"
	if strings.TrimRight(string(got), "\n") != strings.TrimRight(want, "\n") {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}
