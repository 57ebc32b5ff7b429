//go:build !js

package hostfs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/host/hostfs"
	"embedded-agent/wasm/internal/host/hosttest"
)

func open(t *testing.T, dir string) host.Host {
	t.Helper()
	f, err := hostfs.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return f.Host()
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestAFolderKeepsTheContractOfAHost(t *testing.T) {
	hosttest.Conform(t, func(t *testing.T) host.Host { return open(t, t.TempDir()) })
}

func TestALinkThatLeavesTheFolderIsRefused(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	write(t, filepath.Join(outside, "secret.md"), "secret")
	write(t, filepath.Join(dir, "in", "note.md"), "note")
	for link, to := range map[string]string{
		"file.md": filepath.Join(outside, "secret.md"), "folder": outside,
		"up": filepath.Dir(dir), "inside": filepath.Join(dir, "in"), "nowhere.md": filepath.Join(outside, "none"),
	} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Skip("no symbolic links here:", err)
		}
	}
	v := open(t, dir).Vault
	ctx := t.Context()
	for _, p := range []string{"file.md", "folder/secret.md"} {
		if _, err := v.Read(ctx, p); !fault.Is(err, fault.Denied) {
			t.Errorf("read %s: %v", p, err)
		}
		if _, err := v.Apply(ctx, host.Op{Kind: host.OpModify, Path: p, Before: []byte("secret"), Data: []byte("x")}); !fault.Is(err, fault.Denied) {
			t.Errorf("modify %s: %v", p, err)
		}
	}
	for _, op := range []host.Op{
		{Kind: host.OpCreate, Path: "folder/new.md"},
		{Kind: host.OpCreate, Path: "folder/deeper/new.md"},
		{Kind: host.OpMkdir, Path: "up/new"},
		{Kind: host.OpRename, Path: "in/note.md", To: "folder/note.md"},
		{Kind: host.OpTrash, Path: "folder/secret.md", Before: []byte("secret")},
		{Kind: host.OpRemove, Path: "folder/secret.md", Before: []byte("secret")},
	} {
		if _, err := v.Apply(ctx, op); !fault.Is(err, fault.Denied) {
			t.Errorf("%s %s: want the error fault.Denied, got %v", op.Kind, op.Path, err)
		}
	}
	if got, err := v.Read(ctx, "inside/note.md"); err != nil || string(got) != "note" {
		t.Errorf("a link that stays inside: %q, %v", got, err)
	}
	if b, err := os.ReadFile(filepath.Join(outside, "secret.md")); err != nil || string(b) != "secret" {
		t.Errorf("outside: %q, %v", b, err)
	}
	list, err := v.Walk(ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range list {
		if i.Path == "file.md" || i.Path == "folder" || i.Path == "nowhere.md" {
			t.Errorf("listed: %s", i.Path)
		}
	}
}

func TestTrashKeepsBothOfTwoFilesWithOneName(t *testing.T) {
	dir := t.TempDir()
	h := open(t, dir)
	for _, text := range []string{"first", "second"} {
		write(t, filepath.Join(dir, "f", "a.md"), text)
		if _, err := h.Vault.Apply(t.Context(), host.Op{Kind: host.OpTrash, Path: "f/a.md", Before: []byte(text)}); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{"a.md": "first", "a (2).md": "second"} {
		if b, err := os.ReadFile(filepath.Join(dir, hostfs.TrashFolder, "f", name)); err != nil || string(b) != want {
			t.Errorf("%s: want no error and equal to want, got %q, %v", name, b, err)
		}
	}
}

func TestAWriteLeavesNoTemporaryFilesAndKeepsTheMode(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.md"), "a")
	if err := os.Chmod(filepath.Join(dir, "a.md"), 0o600); err != nil {
		t.Fatal(err)
	}
	v := open(t, dir).Vault
	for _, op := range []host.Op{
		{Kind: host.OpModify, Path: "a.md", Before: []byte("a"), Data: []byte("b")},
		{Kind: host.OpCreate, Path: "b.md", Data: []byte("b")},
	} {
		if _, err := v.Apply(t.Context(), op); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 3 { // the store is the third
		t.Errorf("in the folder: %v, %v", entries, err)
	}
	if left, err := os.ReadDir(filepath.Join(dir, ".embedded-agent", "tmp")); err != nil || len(left) != 0 {
		t.Errorf("left over: %v, %v", left, err)
	}
	if st, err := os.Stat(filepath.Join(dir, "a.md")); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", st.Mode(), err)
	}
}

func TestTheStoreAndTheTrashCannotBeWrittenThroughTheVault(t *testing.T) {
	v := open(t, t.TempDir()).Vault
	for _, p := range []string{hostfs.StoreFolder + "/run.json", hostfs.TrashFolder + "/a.md", hostfs.StoreFolder} {
		if _, err := v.Apply(t.Context(), host.Op{Kind: host.OpCreate, Path: p}); !fault.Is(err, fault.Denied) {
			t.Errorf("create %s: %v", p, err)
		}
	}
}

func TestOpenRefusesWhatIsNoFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.md")
	write(t, file, "x")
	for _, p := range []string{file, filepath.Join(filepath.Dir(file), "none")} {
		if _, err := hostfs.Open(p); !fault.Is(err, fault.NotFound) {
			t.Errorf("open %s: %v", filepath.Base(p), err)
		}
	}
}

func TestLinkSettingsAreThoseOfTheApp(t *testing.T) {
	for settings, want := range map[string]string{
		`{"newLinkFormat":"relative","useMarkdownLinks":true}`: "relative true",
		`{"newLinkFormat":"absolute"}`:                         "absolute false",
		`{"newLinkFormat":"other"}`:                            "shortest false",
		`{`:                                                    "shortest false",
		"":                                                     "shortest false",
	} {
		dir := t.TempDir()
		if settings != "" {
			write(t, filepath.Join(dir, ".obsidian", "app.json"), settings)
		}
		p := open(t, dir).Platform
		if got := fmt.Sprint(p.LinkFormat, " ", p.MarkdownLinks); got != want {
			t.Errorf("%s: %s, want %s", settings, got, want)
		}
	}
}
