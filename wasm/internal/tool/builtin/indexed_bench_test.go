package builtin_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/index"
)

// still is a vault in which nothing changes.
type still struct{ vault host.Vault }

func (s still) Since(ctx context.Context, generation, _ int64) (host.Changed, error) {
	if generation > 0 {
		return host.Changed{Generation: generation}, nil
	}
	all, err := s.vault.Walk(ctx, "")
	return host.Changed{Generation: 1, All: true, Changed: all}, err
}

// large is a vault of so many notes, each with front matter, links and tasks.
func large(count int) map[string]string {
	files := map[string]string{}
	for i := range count {
		links := ""
		for n := range 8 {
			links += fmt.Sprintf("[[Note %d]] ", (i*31+n*7919)%(count+count/1000))
		}
		files[fmt.Sprintf("Area %d/Topic %d/Note %d.md", i%40, i%25, i)] = fmt.Sprintf(
			"---\ntype: t%d\nrating: %d\ncreated: 2021-%02d-%02d\ntags: [area/%d, t%d]\n---\n# Note\n- [ ] do %s\n%s",
			i%4, i%10, 1+i%12, 1+i%28, i%40, i%500, links, strings.Repeat("some words ", 20))
	}
	return files
}

// BenchmarkWarm answers from an index of 100,000 notes that is there.
func BenchmarkWarm(b *testing.B) {
	files := large(100_000)
	m := hosttest.New(hosttest.Options{Files: files})
	h := m.Host()
	h.Changes = still{h.Vault}
	ix := index.Over(h)
	for _, c := range []struct {
		name, tool string
		args       map[string]any
	}{
		{"search", "vault.searchText", map[string]any{"query": "quetzalcoatlus"}},
		{"query", "vault.query", map[string]any{
			"tags": []any{"area/3"}, "where": []any{map[string]any{"property": "rating", "op": ">", "value": 4.0}}, "sort": "-modified", "limit": 100.0,
		}},
		{"dates", "vault.query", map[string]any{
			"where": []any{map[string]any{"property": "created", "op": "<", "value": "2021-07-01"}}, "sort": "property:created", "limit": 100.0,
		}},
		{"names", "vault.query", map[string]any{"name": "there is none"}},
		{"tasks", "vault.query", map[string]any{"tasks": "any", "sort": "title", "limit": 100.0}},
		{"broken", "vault.query", map[string]any{"brokenLinks": true, "limit": 100.0}},
		{"unlinked", "vault.query", map[string]any{"withoutBacklinks": true, "limit": 100.0}},
	} {
		b.Run(c.name, func(b *testing.B) {
			e, err := registry(b).Get(c.tool, "")
			if err != nil {
				b.Fatal(err)
			}
			run := func() {
				if _, err := e.Run(b.Context(), envWithIndex(h, ix), c.args); err != nil {
					b.Fatal(err)
				}
			}
			run()
			for b.Loop() {
				run()
			}
		})
	}
}
