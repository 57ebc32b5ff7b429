package builtin_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/index"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/tool"
)

// indexedEnv is a tool's surroundings as the server makes them: an overlay over
// an index.
func indexedEnv(h host.Host, ix *index.Vault, opts ...overlay.Option) (*tool.Env, *overlay.View) {
	h.Vault = ix
	env := envOf(h)
	view := overlay.New(overlay.NewBase(ix, h.Editor, now), opts...).For("test")
	env.Vault = view
	return env, view
}

// caching gives a host the app's metadata cache, which has not seen the last
// change yet.
func caching(m *hosttest.Memory) host.Host {
	h := m.Host()
	h.Metadata = m.Cache()
	return h
}

func TestAnIndexAnswersEveryQueryAsTheFilesDo(t *testing.T) {
	for name, hostOf := range map[string]func(*hosttest.Memory) host.Host{
		"by reading":     func(m *hosttest.Memory) host.Host { return m.Host() },
		"from the cache": caching,
	} {
		t.Run(name, func(t *testing.T) {
			m := queried()
			h := hostOf(m)
			ix := index.Over(h)
			for _, state := range []string{"cold", "warm", "after an edit"} {
				if state == "after an edit" {
					old, _ := m.File("Inbox/Alpha.md")
					m.Put("Inbox/Alpha.md", "nothing")
					mustCall(t, envWithIndex(h, ix), "vault.query", map[string]any{"tags": []any{"x"}})
					m.Put("Inbox/Alpha.md", string(old))
					day := func(d int) int64 { return now.AddDate(0, 0, -d).UnixMilli() }
					m.SetTimes("Inbox/Alpha.md", day(100), day(40))
				}
				for _, c := range queryCases() {
					if got := titlesOf(t, envWithIndex(h, ix), c.args); got != c.want {
						t.Errorf("%s, %s: %q, want %q", state, c.name, got, c.want)
					}
				}
			}
		})
	}
}

func envWithIndex(h host.Host, ix *index.Vault) *tool.Env {
	env, _ := indexedEnv(h, ix)
	return env
}

func TestAWarmQueryReadsNoNote(t *testing.T) {
	m := queried()
	h := m.Host()
	ix := index.Over(h)
	args := map[string]any{"tags": []any{"x"}, "where": []any{map[string]any{"property": "rating", "op": ">", "value": 1}}, "sort": "-property:rating"}
	titlesOf(t, envWithIndex(h, ix), args)
	m.ResetCounts()
	if got := titlesOf(t, envWithIndex(h, ix), args); got != "Beta Alpha" {
		t.Errorf("got %q", got)
	}
	if n := m.Counts().Reads; n != 0 {
		t.Errorf("%d reads", n)
	}
}

func TestABaseGoesOnWithWhatItHasRead(t *testing.T) {
	m := queried()
	ix := index.Over(m.Host())
	env, view := indexedEnv(m.Host(), ix)
	if _, err := view.Read(t.Context(), "Daily/2026-11-20.md"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		m.Put("Daily/2026-11-20.md", "no more")
		if got := searched(t, env, map[string]any{"query": "needle"}); got != "Daily/2026-11-20.md:4" {
			t.Errorf("found: %q", got)
		}
		if got := titlesOf(t, env, map[string]any{"tags": []any{"more"}}); got != "" {
			t.Errorf("tagged: %q", got)
		}
		m.Put("Daily/2026-11-20.md", "#more")
	}
	fresh, _ := indexedEnv(m.Host(), ix)
	if got := titlesOf(t, fresh, map[string]any{"tags": []any{"more"}}); got != "2026-11-20" {
		t.Errorf("another base: %q", got)
	}
}

func TestTheFirstQueryReadsEachNoteOnce(t *testing.T) {
	m := queried()
	env, _ := indexedEnv(m.Host(), index.Over(m.Host()))
	titlesOf(t, env, map[string]any{"tags": []any{"x"}})
	if n := m.Counts().Reads; n > 6 {
		t.Errorf("%d reads of 6 notes", n)
	}
}

func TestQueriesAndSearchesSeeWhatIsStaged(t *testing.T) {
	m := queried()
	ix := index.Over(m.Host())
	env, view := indexedEnv(m.Host(), ix)
	tagged := map[string]any{"tags": []any{"x"}}
	titlesOf(t, env, tagged) // the rows are there
	alpha, _ := m.File("Inbox/Alpha.md")
	for _, op := range []host.Op{
		{Kind: host.OpModify, Path: "Inbox/Alpha.md", Before: alpha, Data: []byte("needle")},
		{Kind: host.OpCreate, Path: "New.md", Data: []byte("#x needle")},
		{Kind: host.OpRename, Path: "Inbox/Beta.md", To: "Moved.md"},
	} {
		if _, err := view.Apply(t.Context(), op); err != nil {
			t.Fatal(err)
		}
	}
	if got := titlesOf(t, env, tagged); got != "Moved New" {
		t.Errorf("tagged: %q", got)
	}
	if got := searched(t, env, map[string]any{"query": "needle"}); got != "Daily/2026-11-20.md:4 Inbox/Alpha.md:1 New.md:1" {
		t.Errorf("found: %q", got)
	}
}

func searched(t *testing.T, env *tool.Env, args map[string]any) string {
	t.Helper()
	var out []string
	for _, h := range mustCall(t, env, "vault.searchText", args)["hits"].([]any) {
		hit := h.(map[string]any)
		out = append(out, fmt.Sprint(hit["path"], ":", hit["line"]))
	}
	return strings.Join(out, " ")
}

func TestANoteThatThePolicyHidesIsNotFound(t *testing.T) {
	m := queried()
	ix := index.Over(m.Host())
	hide := overlay.WithSight(func(path string) error {
		if strings.HasPrefix(path, "Inbox") {
			return fault.New(fault.Denied, "error.path.denied", fault.P{"path": path})
		}
		return nil
	})
	titlesOf(t, envWithIndex(m.Host(), ix), map[string]any{"tags": []any{"x"}})
	env, _ := indexedEnv(m.Host(), ix, hide)
	for range 2 {
		if got := titlesOf(t, env, map[string]any{"tags": []any{"x"}}); got != "" {
			t.Errorf("tagged: %q", got)
		}
		if got := searched(t, env, map[string]any{"query": "open"}); got != "" {
			t.Errorf("found: %q", got)
		}
	}
}

func TestToolsOverAnIndexGiveWhatToolsOverFilesGive(t *testing.T) {
	texts := []string{
		"---\ntags: [x, Y/z]\nn: 3\ndue: 2026-11-01\n---\n# H\n- [ ] do [[b]]\n", "#x [[a]] [[F/c|C]] needle\n- [x] done\n", "---\nn: text\n---\n",
		"needle in a NEEDLE\n[[none]]", "---\nbroken: [\n---\n#y", "", "Ünï needle\r\n", "```\n- [ ] no task\n#no\n```\n",
	}
	paths := []string{"a.md", "B.md", "F/c.md", "F/d e.md", "z.canvas"}
	queries := []map[string]any{
		{"tags": []any{"x"}},
		{"withoutTags": []any{"y"}},
		{"tasks": "open"},
		{"tasks": "none"},
		{"empty": true},
		{"empty": false},
		{"brokenLinks": true},
		{"withoutBacklinks": true},
		{"text": "needle"},
		{"text": "n.e+dle$", "regex": true},
		{"sort": "-property:n"},
		{"sort": "title", "limit": 2},
		{"where": []any{map[string]any{"property": "n", "op": ">=", "value": 2}}, "fields": []any{"properties", "tags", "links", "tasks", "text"}},
		{"where": []any{map[string]any{"property": "due", "op": "<", "value": "today"}}, "dateFrom": "due", "sort": "-date"},
	}
	rapid.Check(t, func(r *rapid.T) {
		m := hosttest.New(hosttest.Options{})
		h := caching(m)
		ix := index.Over(h)
		for range rapid.IntRange(1, 5).Draw(r, "rounds") {
			for range rapid.IntRange(0, 4).Draw(r, "edits") {
				path := rapid.SampledFrom(paths).Draw(r, "path")
				if rapid.IntRange(0, 5).Draw(r, "delete") == 0 {
					m.Delete(path)
					continue
				}
				m.Put(path, rapid.SampledFrom(texts).Draw(r, "text"))
			}
			for range 3 {
				args := rapid.SampledFrom(queries).Draw(r, "args")
				got := mustCall(t, envWithIndex(h, ix), "vault.query", args)
				want := mustCall(t, envOf(m.Host()), "vault.query", args)
				if d := cmp.Diff(want, got); d != "" {
					r.Fatalf("%v:\n%s", args, d)
				}
			}
			args := map[string]any{"query": rapid.SampledFrom([]string{"needle", "ÜNÏ", "no", "x"}).Draw(r, "search")}
			if got, want := searched(t, envWithIndex(h, ix), args), searched(t, envOf(m.Host()), args); got != want {
				r.Fatalf("%v: %q, want %q", args, got, want)
			}
		}
	})
}

func TestAnIndexAsksNothingOfLineEnds(t *testing.T) {
	m := hosttest.New(hosttest.Options{Files: map[string]string{"crlf.md": "first line\r\nsecond line\r\n", "lf.md": "first line\nsecond line\n"}})
	ix := index.Over(m.Host())
	searched(t, envWithIndex(m.Host(), ix), map[string]any{"query": "the signatures are made"})
	for _, c := range []struct {
		query string
		regex bool
	}{{"line\nsecond", false}, {`line\nsecond`, true}, {`line\x0asecond`, true}, {"line\nsecond", true}, {"line$", true}} {
		got := searched(t, envWithIndex(m.Host(), ix), map[string]any{"query": c.query, "regex": c.regex, "limit": 2})
		if !strings.Contains(got, "crlf.md:1") || c.query != "line$" && !strings.Contains(got, " lf.md:1") {
			t.Errorf("%q: found %q", c.query, got)
		}
	}
}
