package builtin_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/tool"
)

// realVault loads one of the real vaults, where they are there.
func realVault(t *testing.T, name string) *hosttest.Memory {
	t.Helper()
	root := filepath.Join("..", "..", "..", "..", "..", "shared", "vaults", name)
	if _, err := os.Stat(root); err != nil || runtime.GOOS == "js" {
		t.Skip("the real vaults are not here, or not read:", name)
	}
	files := map[string]string{}
	err := filepath.WalkDir(root, func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		b, err := os.ReadFile(p)
		files[filepath.ToSlash(rel)] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return hosttest.New(hosttest.Options{Files: files})
}

// TestCallsOnRealVaultsDoWhatTheirSimulationSaysAndAreTakenBack makes far-
// reaching calls on real vaults: simulated, run, and taken back byte for byte.
func TestCallsOnRealVaultsDoWhatTheirSimulationSaysAndAreTakenBack(t *testing.T) {
	type obj = map[string]any
	calls := map[string][]struct {
		tool string
		args obj
		min  int // writes at least
	}{
		"help-en": {
			{"vault.rename", obj{"path": "Editing and formatting", "newPath": "Archive/It's (old) & gone"}, 2},
			{"vault.rename", obj{"path": "Home.md", "newPath": "Start/Home page"}, 2},
			{"vault.delete", obj{"path": "Obsidian Sync"}, 10},
			{"vault.replaceText", obj{"find": "Obsidian", "replace": "the app", "skip": []any{"code", "links", "frontMatter"}}, 100},
			{"links.unlinkedMentions", obj{"folder": "Plugins", "link": true}, 10},
			{"links.rewrite", obj{"mode": "plain", "folder": "Getting started"}, 3},
			{"metadata.rename", obj{"from": "description", "to": "summary"}, 1},
			{"note.merge", obj{"embedsOf": "Home.md", "title": "All of it"}, 1},
			{"note.splitAtHeadings", obj{"path": "Plugins/Search.md", "folder": "Parts"}, 3},
		},
		"kepano": {
			{"vault.rename", obj{"path": "Categories", "newPath": "Kinds"}, 1},
			{"metadata.rename", obj{"from": "categories", "to": "kinds"}, 20},
			{"tags.add", obj{"tags": []any{"seen"}}, 20},
			{"tags.rename", obj{"from": "notes", "to": "note"}, 0},
			{"metadata.remove", obj{"keys": []any{"created", "tags"}}, 10},
		},
		"oldwinter": {
			{"vault.rename", obj{"path": "Cards", "newPath": "卡片"}, 10},
			{"links.rewrite", obj{"mode": "case"}, 0},
			{"metadata.fromInline", obj{}, 0},
			{"tags.add", obj{"tags": []any{"新"}, "folder": "Spaces"}, 0},
		},
	}
	for vault, cs := range calls {
		for _, c := range cs {
			t.Run(vault+"/"+c.tool, func(t *testing.T) {
				e, err := registry(t).Get(c.tool, "")
				if err != nil {
					t.Fatal(err)
				}
				if err := e.CheckInput(c.args); err != nil {
					t.Fatal(err)
				}
				n := runAndTakeBack(t, realVault(t, vault), e, c.args)
				t.Logf("%d writes", n)
				if n < c.min {
					t.Errorf("%d writes, want at least %d", n, c.min)
				}
			})
		}
	}
}

func runAndTakeBack(t *testing.T, m *hosttest.Memory, e *tool.Entry, args tool.Args) int {
	t.Helper()
	before := m.Snapshot()
	h := m.Host()
	base := overlay.NewBase(h.Vault, h.Editor, now)
	simulation := overlay.New(base)
	if _, err := e.Run(t.Context(), viewEnv(h, simulation.For("call")), args); err != nil {
		t.Fatal(err)
	}
	done := makeReal(t, h.Vault, simulation)
	changes, err := simulation.Changes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	after := m.Snapshot()
	for _, c := range changes {
		if c.After != nil && string(after[c.Path]) != string(c.After) {
			t.Errorf("%s is not as the simulation showed it", c.Path)
		}
	}
	takeBack(t, h.Vault, done)
	if d := before.Diff(m.Snapshot()); d != "" {
		t.Errorf("taken back, the vault is not what it was:\n%.2000s", d)
	}
	return len(done)
}

// TestMergingAndSplittingRealNotesBreaksNoLink counts the broken links of real
// vaults before and after their notes are merged into others, and split.
func TestMergingAndSplittingRealNotesBreaksNoLink(t *testing.T) {
	type obj = map[string]any
	for _, c := range []struct {
		vault, tool string
		args        obj
	}{
		{"help-en", "note.merge", obj{"paths": []any{"Plugins/Search", "Plugins/Graph view", "Home"}, "path": "Archive/All of it.md", "deleteSources": true}},
		{"help-en", "note.merge", obj{"paths": []any{"Linking notes and files/Internal links", "Editing and formatting/Properties"}, "title": "Links", "headings": true, "deleteSources": true}},
		{"help-en", "note.splitAtHeadings", obj{"path": "Plugins/Search", "folder": "Parts/Deep"}},
		{"help-en", "note.splitAtHeadings", obj{"path": "Editing and formatting/Basic formatting syntax", "leave": "headingAndEmbed"}},
		{"kepano", "note.merge", obj{"paths": []any{"Categories/Books", "Categories/Movies"}, "path": "Kinds.md", "deleteSources": true}},
	} {
		t.Run(c.vault+"/"+c.tool, func(t *testing.T) {
			env := envOf(realVault(t, c.vault).Host())
			broken := func() int {
				return len(mustCall(t, env, "links.find", obj{"kind": "broken", "limit": 10_000.0})["links"].([]any))
			}
			before := broken()
			mustCall(t, env, c.tool, c.args)
			if after := broken(); after != before {
				t.Errorf("%d links are broken, %d were", after, before)
			}
		})
	}
}
