package builtin_test

import (
	"fmt"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/note"
	"embedded-agent/wasm/internal/tool"
)

// leads says of each note where its links lead, and its text without its links.
func leads(t *testing.T, env *tool.Env, m *hosttest.Memory) (links, texts map[string]string) {
	t.Helper()
	links, texts = map[string]string{}, map[string]string{}
	for _, l := range mustCall(t, env, "links.find", map[string]any{"limit": 100_000.0})["links"].([]any) {
		one := l.(map[string]any)
		target := one["resolved"]
		if target == "" {
			target = strings.TrimSuffix(one["target"].(string), ".md") + "?"
		}
		links[one["path"].(string)] += fmt.Sprintln(target, one["subpath"], one["embed"])
	}
	for path, data := range m.Snapshot() {
		if strings.HasSuffix(path, ".md") {
			var edits note.Edits
			for _, l := range note.Parse(data).Links {
				edits.Replace(l.Span, "…")
			}
			texts[path] = string(edits.Apply(data))
		}
	}
	return links, texts
}

// TestTheLinksOfRealVaultsLeadWhereTheyLedAsTheOtherKind converts all links, and
// back again.
func TestTheLinksOfRealVaultsLeadWhereTheyLedAsTheOtherKind(t *testing.T) {
	for _, vault := range []string{"help-en", "kepano", "oldwinter"} {
		m := realVault(t, vault)
		env := envOf(m.Host())
		links, texts := leads(t, env, m)
		for _, mode := range []string{"markdown", "wiki"} {
			out := mustCall(t, env, "links.rewrite", map[string]any{"mode": mode})
			t.Logf("%s: %v links are %s", vault, out["count"], mode)
			newLinks, newTexts := leads(t, env, m)
			for path := range texts {
				if links[path] != newLinks[path] {
					t.Errorf("%s, %s: links led to\n%.1500snow to\n%.1500s", mode, path, links[path], newLinks[path])
				}
				if texts[path] != newTexts[path] {
					t.Errorf("%s, %s: other text changed\n%.1000s\n%.1000s", mode, path, texts[path], newTexts[path])
				}
			}
		}
	}
}
