package builtin_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/index"
)

// nearest gives the paths that vault.related finds.
func nearest(t *testing.T, h host.Host, ix *index.Vault, args map[string]any) []string {
	t.Helper()
	data := mustCall(t, envWithIndex(h, ix), "vault.related", args)
	var out []string
	for _, n := range data["notes"].([]any) {
		out = append(out, n.(map[string]any)["path"].(string))
	}
	return out
}

func TestNotesAreNearForAnythingThatFewShare(t *testing.T) {
	given := files{
		"Asked.md": "---\nauthor: \"[[Ann]]\"\ntags: [bread/rye]\n---\nSourdough rests overnight. [[Oven]]\n",
		"Oven.md":  "hot", "Ann.md": "x", "Hub.md": "[[Asked]] [[Beside]]",
		"Word.md": "A sourdough of old.", "Tag.md": "#bread", "Target.md": "See [[Oven]].",
		"Property.md": "---\nauthor: [\"[[Ann]]\"]\n---\n", "Beside.md": "x",
		"麦.md": "麦子发酵一夜", "茶.md": "茶叶 一夜", "Bad.md": "sourdough \xff",
	}
	for i := range 20 {
		given[fmt.Sprintf("Other %d.md", i)] = "Nothing of it rests here, see more. #misc"
	}
	for name, hostOf := range map[string]func(*hosttest.Memory) host.Host{
		"by reading":     func(m *hosttest.Memory) host.Host { return m.Host() },
		"from the cache": caching,
	} {
		t.Run(name, func(t *testing.T) {
			h := hostOf(hosttest.New(hosttest.Options{Files: given}))
			ix := index.Over(h)
			got := nearest(t, h, ix, args{"path": "Asked", "count": 20})
			want := []string{"Ann.md", "Beside.md", "Hub.md", "Oven.md", "Property.md", "Tag.md", "Target.md", "Word.md"}
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("%q, want %q", got, want)
			}
			if got := nearest(t, h, ix, args{"text": "发酵", "count": 1}); !slices.Equal(got, []string{"麦.md"}) {
				t.Errorf("want {\"麦.md\"}, got %q", got)
			}
		})
	}
}

// The index answers for most notes: however many there are, few are read.
func TestNotesThatAreFarAreNotRead(t *testing.T) {
	given := files{}
	for i := range 3000 {
		given[fmt.Sprintf("N/%d.md", i)] = fmt.Sprintf("Common words stand in all. word%d word%d", i%100, i)
	}
	given["N/7.md"] += " zymurgy"
	given["Open.md"] = "zymurgy, and much else that is common and stands in no other note"
	m := hosttest.New(hosttest.Options{Files: given})
	h := m.Host()
	ix := index.Over(h)
	nearest(t, h, ix, args{"text": "zymurgy"})
	m.ResetCounts()
	got := nearest(t, h, ix, args{"text": "zymurgy word7 common", "count": 5})
	if len(got) != 5 || got[0] != "N/7.md" {
		t.Errorf("want 5 of them and got[0] \"N/7.md\", got %q", got)
	}
	if n := m.Counts().Reads; n > 220 {
		t.Errorf("%d notes were read", n)
	}
	// What is staged is seen as it will be.
	env := envWithIndex(h, ix)
	mustCall(t, env, "vault.createFile", args{"path": "New.md", "content": "zymurgy zymurgy"})
	data := mustCall(t, env, "vault.related", args{"text": "zymurgy", "count": 1})
	if first := data["notes"].([]any)[0].(map[string]any)["path"]; first != "New.md" {
		t.Errorf("want first \"New.md\", got %v", first)
	}
}

// BenchmarkRelated answers the questions of bench/rows/related.mjs, which weighs them.
func BenchmarkRelated(b *testing.B) {
	folder := os.Getenv("RELATED")
	if folder == "" {
		b.Skip("make bench ONLY=related makes the notes and the questions")
	}
	given := files{}
	paths, err := filepath.Glob(filepath.Join(folder, "vault", "*.md"))
	if err != nil {
		b.Fatal(err)
	}
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			b.Fatal(err)
		}
		given[filepath.Base(p)] = string(data)
	}
	var asked []map[string]any
	raw, err := os.ReadFile(filepath.Join(folder, "asked.json"))
	if err == nil {
		err = json.Unmarshal(raw, &asked)
	}
	if err != nil {
		b.Fatal(err)
	}
	h := hosttest.New(hosttest.Options{Files: given}).Host()
	ix := index.Over(h)
	e, err := registry(b).Get("vault.related", "")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		found := make([][]string, len(asked))
		for i, args := range asked {
			data, err := e.Run(b.Context(), envWithIndex(h, ix), args)
			if err != nil {
				b.Fatal(err)
			}
			for _, n := range data["notes"].([]any) {
				found[i] = append(found[i], n.(map[string]any)["path"].(string))
			}
		}
		out, err := json.Marshal(found)
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, "found.json"), out, 0o600)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}
