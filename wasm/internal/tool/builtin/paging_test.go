package builtin_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/tool"
)

// lists are the tools whose output is one long list: how a call asks for all of
// it, and where the list stands. A tool that has a limit and is not here fails
// the test.
var lists = map[string]struct {
	args map[string]any
	list string
	n    int // how much the vault of crowd has
	page int // how much a model gets at a time
}{
	"vault.listFiles": {map[string]any{}, "files", crowd, 1000},
	"vault.query":     {map[string]any{"sort": "path"}, "notes", crowd, 1000},
	"vault.searchText": {
		map[string]any{"query": "needle"}, "hits", crowd, 100,
	},
	"links.find":      {map[string]any{"kind": "broken"}, "links", crowd, 1000},
	"metadata.values": {map[string]any{"property": "key"}, "properties", crowd, 100},
	"tasks.list":      {map[string]any{}, "tasks", crowd, 1000},
}

const crowd = 3000

func vaultOfMany() *hosttest.Memory {
	files := make(map[string]string, crowd)
	for i := range crowd {
		files[fmt.Sprintf("N%04d.md", i)] = fmt.Sprintf("---\nkey: v%d\n---\nA needle [[Gone %d]].\n- [ ] task %d\n", i, i, i)
	}
	return hosttest.New(hosttest.Options{Files: files})
}

func listOf(t *testing.T, name string, d tool.Data) []any {
	t.Helper()
	if name == "metadata.values" {
		for _, p := range d["properties"].([]any) {
			return p.(map[string]any)["values"].([]any)
		}
		return nil
	}
	list, ok := d[lists[name].list].([]any)
	if !ok {
		t.Fatalf("%s gives %v", name, d)
	}
	return list
}

func with(args map[string]any, more ...any) map[string]any {
	out := map[string]any{}
	for k, v := range args {
		out[k] = v
	}
	for i := 0; i < len(more); i += 2 {
		out[more[i].(string)] = more[i+1]
	}
	return out
}

func TestAPlanGetsEverythingAndWhatALimitCutsIsCounted(t *testing.T) {
	mem := vaultOfMany()
	for _, e := range registry(t).All() {
		if e.Limit == "" || e.Limit == "maxBytes" { // a page of the web: web_test
			if e.InputProperties()["limit"] && e.Limit == "" && e.Name != "plugins.search" {
				t.Errorf("%s has a limit that the review knows nothing of", e.Name)
			}
			continue
		}
		c, ok := lists[e.Name]
		if !ok {
			t.Errorf("%s has a limit and is not in the test", e.Name)
			continue
		}
		t.Run(e.Name, func(t *testing.T) {
			env := envOf(mem.Host())
			whole := mustCall(t, env, e.Name, c.args)
			if got := listOf(t, e.Name, whole); len(got) != c.n || whole["truncated"] != false {
				t.Fatalf("%d of %d, truncated: %v", len(got), c.n, whole["truncated"])
			}
			if n, total := e.Cut(whole); n != 0 || total != 0 {
				t.Errorf("%d of %d are told to be cut", n, total)
			}
			cut := mustCall(t, env, e.Name, with(c.args, "limit", 7.0))
			if n, total := e.Cut(cut); n != 7 || total != c.n {
				t.Errorf("%d of %d, want 7 of %d", n, total, c.n)
			}
			exact := mustCall(t, env, e.Name, with(c.args, "limit", float64(c.n)))
			if n, total := e.Cut(exact); n != 0 || total != 0 || exact["truncated"] != false {
				t.Errorf("a limit that is met exactly: %d of %d, %v", n, total, exact["truncated"])
			}
		})
	}
}

func TestAModelGetsPagesThatTogetherAreEverything(t *testing.T) {
	mem := vaultOfMany()
	for _, e := range registry(t).All() {
		c, ok := lists[e.Name]
		if !ok {
			continue
		}
		t.Run(e.Name, func(t *testing.T) {
			env := envOf(mem.Host())
			whole := listOf(t, e.Name, mustCall(t, env, e.Name, c.args))
			env = envOf(mem.Host())
			env.Model.Paged = true
			for _, limit := range []int{0, 999, crowd + 1} {
				var got []any
				for offset, page := 0.0, 0; ; page++ {
					args := with(c.args, "offset", offset)
					if limit > 0 {
						args["limit"] = float64(limit)
					}
					d := mustCall(t, env, e.Name, args)
					part := listOf(t, e.Name, d)
					if want := max(limit, 0); want == 0 && len(part) > c.page || want > 0 && len(part) > want {
						t.Fatalf("page %d has %d", page, len(part))
					}
					got = append(got, part...)
					next, more := d["next"].(float64)
					if more != (d["truncated"] == true) {
						t.Fatalf("next is %v, truncated %v", d["next"], d["truncated"])
					}
					if !more {
						break
					}
					offset = next
				}
				same := func(a, b any) bool { return strings.TrimSpace(fmt.Sprint(a)) == strings.TrimSpace(fmt.Sprint(b)) }
				if !slices.EqualFunc(got, whole, same) {
					t.Errorf("limit %d: the pages have %d, all have %d, or another order", limit, len(got), len(whole))
				}
			}
		})
	}
}
