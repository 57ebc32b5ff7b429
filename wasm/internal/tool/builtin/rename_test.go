package builtin_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/host/hosttest"
)

func TestARenamedFolderTakesLinksAlong(t *testing.T) {
	m := hosttest.New(hosttest.Options{Files: map[string]string{
		"Old/One.md":       "[[Two]] [rel](../Home.md) ![[pic.png]]",
		"Old/Sub/Two.md":   "[up](../One.md) [[Old/One|one]]",
		"Old/pic.png":      "\x89PNG\x00",
		"Home.md":          "---\nup: \"[[Old/One]]\"\nlist:\n  - '[[Old/Sub/Two|It''s two]]'\n---\n[[One]] [[Old/One#Head|h]] ![](Old/pic.png) [enc](Old/Sub/Two.md \"title\")\n",
		"Board.canvas":     `{"nodes":[{"id":"1","type":"file","file":"Old/One.md"},{"id":"2","type":"text","text":"Old/One.md"}]}`,
		"Unrelated.md":     "[[Nowhere]] Old/One.md",
		"Archive/keep.txt": "",
	}})
	d := mustCall(t, envOf(m.Host()), "vault.rename", map[string]any{"path": "Old", "newPath": "Archive/Old stuff"})
	want := map[string]string{
		"Archive/Old stuff/One.md":     "[[Two]] [rel](Home.md) ![[pic.png]]",
		"Archive/Old stuff/Sub/Two.md": "[up](../One.md) [[One|one]]",
		"Home.md":                      "---\nup: \"[[One]]\"\nlist:\n  - '[[Two|It''s two]]'\n---\n[[One]] [[One#Head|h]] ![](pic.png) [enc](Two.md \"title\")\n",
		"Board.canvas":                 `{"nodes":[{"id":"1","type":"file","file":"Archive/Old stuff/One.md"},{"id":"2","type":"text","text":"Old/One.md"}]}`,
		"Unrelated.md":                 "[[Nowhere]] Old/One.md",
	}
	for path, text := range want {
		got, _ := m.File(path)
		if diff := cmp.Diff(text, string(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
	if diff := cmp.Diff([]any{"Archive/Old stuff/One.md", "Archive/Old stuff/Sub/Two.md", "Board.canvas", "Home.md"}, d["linksUpdated"]); diff != "" {
		t.Error("it differs from what was wanted (-want +got):", diff)
	}
}

func TestARenameThatLeavesALinkAmbiguousWritesTheWholePath(t *testing.T) {
	m := hosttest.New(hosttest.Options{Files: map[string]string{
		"A/Plan.md": "1", "B/Draft.md": "2", "Home.md": "[[Draft]] and [[Plan]]",
	}})
	mustCall(t, envOf(m.Host()), "vault.rename", map[string]any{"path": "B/Draft.md", "newPath": "B/Plan.md"})
	if got, _ := m.File("Home.md"); string(got) != "[[B/Plan]] and [[Plan]]" {
		t.Errorf("got %q", got)
	}
}

func TestARenameThatOnlyChangesTheCaseWorksOnEverySystem(t *testing.T) {
	for _, p := range hosttest.Profiles() {
		m := hosttest.New(hosttest.Options{Profile: p, Files: map[string]string{"note.md": "x", "b.md": "[[note]]"}})
		d := mustCall(t, envOf(m.Host()), "vault.rename", map[string]any{"path": "note.md", "newPath": "Note.md"})
		if _, ok := m.File("Note.md"); !ok || d["path"] != "Note.md" {
			t.Errorf("%s: want it to be found and d[\"path\"] \"Note.md\", got %v", p.Name, d)
		}
	}
}

func TestARenameIsARenameFirstAndConsequencesAfter(t *testing.T) {
	m := hosttest.New(hosttest.Options{Files: map[string]string{"a.md": "x", "b.md": "[[a]]", "c.md": "[[a]]"}})
	var ops []string
	env := envOf(m.Host())
	env.Vault = recorder{env.Vault, &ops}
	mustCall(t, env, "vault.rename", map[string]any{"path": "a.md", "newPath": "z.md"})
	if diff := cmp.Diff([]string{"rename a.md false", "modify b.md true", "modify c.md true"}, ops); diff != "" {
		t.Error("it differs from what was wanted (-want +got):", diff)
	}
}

// recorder notes every write.
type recorder struct {
	host.Vault
	ops *[]string
}

func (r recorder) Apply(ctx context.Context, op host.Op) (host.Info, error) {
	*r.ops = append(*r.ops, fmt.Sprint(op.Kind, " ", op.Path, " ", op.Follows))
	return r.Vault.Apply(ctx, op)
}
