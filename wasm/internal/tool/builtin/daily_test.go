//go:build !js

package builtin_test

import (
	"os"
	"path/filepath"
	"testing"

	"embedded-agent/wasm/internal/host/hostfs"
)

func TestDailyNotesOfAFolderOnDiskFollowItsSettings(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, ".obsidian"), 0o755); err != nil {
		t.Fatal(err)
	}
	settings := `{"folder":"Journal","format":"YYYY-[W]WW"}`
	if err := os.WriteFile(filepath.Join(dir, ".obsidian", "daily-notes.json"), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := hostfs.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if d := mustCall(t, envOf(f.Host()), "dates.dailyNote", map[string]any{}); d["path"] != "Journal/2026-W47.md" {
		t.Errorf("got %v", d)
	}
}
