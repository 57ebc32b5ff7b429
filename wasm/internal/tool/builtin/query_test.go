package builtin_test

import (
	"strings"
	"testing"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/tool"
)

// queried is the vault that queryCases ask about.
func queried() *hosttest.Memory {
	m := hosttest.New(hosttest.Options{Files: map[string]string{
		"Inbox/Alpha.md":      "---\ntype: Card\nrating: 4\ndue: 2026-11-18\ntags: [x]\npeople: [Ann, \"[[Bob]]\"]\n---\n- [ ] open [[Beta]]\n",
		"Inbox/Beta.md":       "---\ntype: card\nrating: 10\ndue: 2026-12-01\n---\n#x/deep and [[Missing]]\n- [x] done\n",
		"Inbox/Deep/Gamma.md": "---\nempty: true\n---\n\n",
		"Daily/2026-11-19.md": "#daily ![[pic.png]] see [[Inbox/Alpha|A]]\n",
		"Daily/2026-11-20.md": "---\nbroken: [\n---\nText Needle\n",
		"Board.canvas":        `{"nodes":[{"type":"file","file":"Inbox/Beta.md"}]}`,
		"pic.png":             "\x89PNG",
		"unused.pdf":          "%PDF",
		"A very long name that goes on and on and on.md": "x [[Board.canvas]]",
	}})
	day := func(d int) int64 { return now.AddDate(0, 0, -d).UnixMilli() }
	m.SetTimes("Inbox/Alpha.md", day(100), day(40))
	m.SetTimes("Inbox/Beta.md", day(10), day(1))
	m.SetTimes("Inbox/Deep/Gamma.md", day(3), day(3))
	m.SetTimes("Daily/2026-11-19.md", day(1), day(1))
	m.SetTimes("Daily/2026-11-20.md", day(0), day(0))
	m.SetTimes("A very long name that goes on and on and on.md", day(400), day(400))
	return m
}

// queryCase is a question and the titles that answer it.
type queryCase struct {
	name string
	args map[string]any
	want string
}

func queryCases() []queryCase {
	type obj = map[string]any
	type list = []any
	where := func(p, op string, v any) obj { return obj{"where": list{obj{"property": p, "op": op, "value": v}}} }
	return []queryCase{
		{"a folder and below", obj{"folder": "Inbox"}, "Alpha Beta Gamma"},
		{"a name", obj{"name": "2026-*"}, "2026-11-19 2026-11-20"},
		{"a path", obj{"name": "inbox/*/g?mma"}, "Gamma"},
		{"a long name", obj{"nameLongerThan": 40}, "A very long name that goes on and on and on"},
		{"without a folder", obj{"exclude": list{"Inbox", "Daily"}}, "A very long name that goes on and on and on"},
		{"a tag with nested ones", obj{"tags": list{"#x"}}, "Alpha Beta"},
		{"all tags", obj{"tags": list{"x", "daily"}}, ""},
		{"any tag", obj{"anyTag": list{"x", "daily"}}, "2026-11-19 Alpha Beta"},
		{"without tags", obj{"withoutTags": list{"x"}, "folder": "Inbox"}, "Gamma"},
		{"a text property in any case", where("type", "=", "CARD"), "Alpha Beta"},
		{"another value", where("type", "!=", "card"), "A very long name that goes on and on and on 2026-11-19 2026-11-20 Gamma"},
		{"a number", where("rating", ">", 4), "Beta"},
		{"a number, from a text", where("rating", ">=", "4"), "Alpha Beta"},
		{"a date in words", where("due", "<", "today"), "Alpha"},
		{"an element", where("people", "=", "Ann"), "Alpha"},
		{"a part of an element", where("people", "contains", "bob"), "Alpha"},
		{"there", where("due", "exists", nil), "Alpha Beta"},
		{"not there", obj{"where": list{obj{"property": "due", "op": "missing"}}, "folder": "Inbox"}, "Gamma"},
		{"a truth value", where("empty", "=", true), "Gamma"},
		{"changed lately", obj{"modifiedAfter": "2 days ago"}, "2026-11-19 2026-11-20 Beta"},
		{"not changed for long", obj{"modifiedBefore": "30 days ago"}, "A very long name that goes on and on and on Alpha"},
		{"made in a span", obj{"createdAfter": "2026-11-01", "createdBefore": "2026-11-19"}, "Beta Gamma"},
		{"linking to a note", obj{"linksTo": "Inbox/Alpha"}, "2026-11-19"},
		{"linked from a note", obj{"linkedFrom": "Daily/2026-11-19.md", "kind": "any"}, "Alpha pic"},
		{"not linked from a note", obj{"notLinkedFrom": "Daily/2026-11-19.md", "folder": "Inbox"}, "Beta Gamma"},
		{"with broken links", obj{"brokenLinks": true}, "Alpha Beta"},
		{"linked from nowhere", obj{"withoutBacklinks": true, "folder": "Inbox"}, "Gamma"},
		{"attachments that nothing uses", obj{"withoutBacklinks": true, "kind": "attachment"}, "unused"},
		{"open tasks", obj{"tasks": "open"}, "Alpha"},
		{"done tasks", obj{"tasks": "done"}, "Beta"},
		{"no tasks", obj{"tasks": "none", "folder": "Inbox"}, "Gamma"},
		{"a text", obj{"text": "needle"}, "2026-11-20"},
		{"a pattern", obj{"text": "^#daily", "regex": true}, "2026-11-19"},
		{"nothing but front matter", obj{"empty": true}, "Gamma"},
		{"the newest two", obj{"sort": "-modified", "limit": 2, "folder": "Inbox"}, "Beta Gamma"},
		{"by a number", obj{"sort": "-property:rating", "folder": "Inbox"}, "Beta Alpha Gamma"},
		{"all", obj{"kind": "any", "name": "*.p*"}, "pic unused"},
	}
}

func titlesOf(t *testing.T, env *tool.Env, args map[string]any) string {
	t.Helper()
	d := mustCall(t, env, "vault.query", args)
	var got []string
	for _, n := range d["notes"].([]any) {
		got = append(got, n.(map[string]any)["title"].(string))
	}
	return strings.Join(got, " ")
}

func TestQueriesFindByEveryRule(t *testing.T) {
	env := envOf(queried().Host())
	for _, c := range queryCases() {
		if got := titlesOf(t, env, c.args); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestAQueryTellsTheFieldsAskedFor(t *testing.T) {
	m := hosttest.New(hosttest.Options{Files: map[string]string{"a.md": "---\nsaved: 2026-03-05\n---\n# H\n#t [[L#s]] \n- [ ] do\n"}})
	d := mustCall(t, envOf(m.Host()), "vault.query", map[string]any{
		"dateFrom": "saved", "fields": []any{"properties", "tags", "links", "tasks", "headings", "text"},
	})
	n := d["notes"].([]any)[0].(map[string]any)
	if n["month"] != "2026-03" || n["date"] != "2026-03-05" || n["week"] != "2026-W10" {
		t.Errorf("dates: %v", n)
	}
	for _, f := range []string{"properties", "tags", "links", "tasks", "headings"} {
		if v, ok := n[f]; !ok || v == nil {
			t.Errorf("want it to be found and something, got no %s in %v", f, n)
		}
	}
	if n["links"].([]any)[0] != "L#s" || n["tasks"].([]any)[0].(map[string]any)["text"] != "do" {
		t.Errorf("got %v", n)
	}
}

func TestAQueryByNameReadsNoNote(t *testing.T) {
	m := hosttest.New(hosttest.Options{Files: map[string]string{"a.md": "x", "b.md": "y"}})
	mustCall(t, envOf(m.Host()), "vault.query", map[string]any{"name": "a*", "modifiedAfter": "2020-01-01"})
	if c := m.Counts(); c.Reads != 1 {
		t.Errorf("%d reads, want the one listing", c.Reads)
	}
}

// A matcher that tries every way would not come back from any of these.
func TestHostilePatternsEnd(t *testing.T) {
	m := hosttest.New(hosttest.Options{Files: map[string]string{strings.Repeat("a", 200) + ".md": strings.Repeat("a", 100_000)}})
	env := envOf(m.Host())
	mustCall(t, env, "vault.query", map[string]any{"name": strings.Repeat("*a", 100) + "b"})
	mustCall(t, env, "vault.query", map[string]any{"text": "(a*)*b", "regex": true})
	mustCall(t, env, "vault.searchText", map[string]any{"query": strings.Repeat("a", 5000) + "b"})
}
