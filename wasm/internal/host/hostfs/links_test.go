//go:build unix

package hostfs_test

import (
	"os"
	"path/filepath"
	"testing"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
)

func link(t *testing.T, to, at string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(to, at); err != nil {
		t.Fatal(err)
	}
}

func TestAStoreThatIsOrHoldsALinkIsRefusedAndNothingGoesThroughIt(t *testing.T) {
	for _, at := range []string{".embedded-agent", ".embedded-agent/tmp", ".embedded-agent/runs", ".embedded-agent/runs/r", ".embedded-agent/policy.json"} {
		for _, inside := range []bool{false, true} {
			dir, elsewhere := t.TempDir(), t.TempDir()
			write(t, filepath.Join(dir, "a.md"), "a")
			if inside {
				elsewhere = filepath.Join(dir, "shared")
				write(t, filepath.Join(elsewhere, "kept.md"), "kept")
			}
			link(t, elsewhere, filepath.Join(dir, at))
			h := open(t, dir)
			before, err := os.ReadDir(elsewhere)
			if err != nil {
				t.Fatal(err)
			}
			_, modified := h.Vault.Apply(t.Context(), host.Op{Kind: host.OpModify, Path: "a.md", Before: []byte("a"), Data: []byte("b")})
			appended := h.Store.Append(t.Context(), "runs/r/journal.jsonl", []byte("x"))
			_, read := h.Store.Read(t.Context(), "policy.json")
			if !fault.Is(modified, fault.Denied) && !fault.Is(appended, fault.Denied) && !fault.Is(read, fault.Denied) {
				t.Errorf("%s: modified %v, appended %v, read %v", at, modified, appended, read)
			}
			if after, err := os.ReadDir(elsewhere); err != nil || len(after) != len(before) {
				t.Errorf("%s: something went through the link: %v, %v", at, after, err)
			}
		}
	}
}

func TestALinkToItselfIsLeftOutOfTheLists(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.md"), "a")
	write(t, filepath.Join(dir, "Sub", "b.md"), "b")
	link(t, "loop.md", filepath.Join(dir, "loop.md"))
	link(t, "two", filepath.Join(dir, "Sub", "one"))
	link(t, "one", filepath.Join(dir, "Sub", "two"))
	v := open(t, dir).Vault
	list, err := v.Walk(t.Context(), "")
	if err != nil || len(list) != 3 {
		t.Errorf("want no error and 3 list, got %v, %v", list, err)
	}
	if _, err := v.Read(t.Context(), "loop.md"); err == nil {
		t.Error("read")
	}
	if _, err := v.Backlinks(t.Context(), "a.md"); err != nil {
		t.Error(err)
	}
}

func TestHiddenFilesCannotBeWrittenThroughTheVaultHoweverTheyAreSpelled(t *testing.T) {
	dir := t.TempDir()
	for _, p := range []string{".git/config", ".GIT/config", ".obsidian/app.json", "Sub/.hidden", " .git/config", "\u200b.git/config"} {
		for _, op := range []host.Op{
			{Kind: host.OpCreate, Path: p},
			{Kind: host.OpMkdir, Path: p},
			{Kind: host.OpRename, Path: "a.md", To: p},
			{Kind: host.OpTrash, Path: p},
			{Kind: host.OpRemove, Path: p},
			{Kind: host.OpModify, Path: p},
		} {
			if _, err := open(t, dir).Vault.Apply(t.Context(), op); !fault.Is(err, fault.Denied) {
				t.Errorf("%s %q: want the error fault.Denied, got %v", op.Kind, p, err)
			}
		}
	}
}
