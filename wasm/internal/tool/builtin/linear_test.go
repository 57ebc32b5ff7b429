//go:build unix

package builtin_test

import (
	"fmt"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/tool"
)

// sized is a call on an input of a size.
type sized func(n int) (files map[string]string, args tool.Args)

// many repeats a line, with its number for each %[1]d.
func many(n int, line string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, line, i)
	}
	return b.String()
}

// manyNotes makes notes of one text, each with its number.
func manyNotes(n int, name, text string) map[string]string {
	out := map[string]string{}
	for i := range n {
		out[fmt.Sprintf(name, i)] = fmt.Sprintf(text, i)
	}
	return out
}

// one is a call on one note, made of a line for each unit of size.
func one(line string, args tool.Args) sized {
	return func(n int) (map[string]string, tool.Args) {
		all := tool.Args{"path": "a.md"}
		for k, v := range args {
			all[k] = v
		}
		return files{"a.md": many(n, line)}, all
	}
}

// all is a call on as many notes as the size says.
func all(name, text string, args tool.Args) sized {
	return func(n int) (map[string]string, tool.Args) { return manyNotes(n, name, text), args }
}

const (
	section  = "## Heading %[1]d\n- [ ] task %[1]d #tag\n\t- [x] sub [[Note %[1]d]] #tag%[1]d\n\nWords of %[1]d, and more of them.\n\n"
	ordinary = "---\ntype: note\nrating: %[1]d\ntags: [a, b]\n---\n# Note %[1]d\nSome text of [[Note 1]] and note 7. #tag\n- [ ] task\n"
)

func front(line string) func(n int) map[string]string {
	return func(n int) map[string]string { return files{"a.md": "---\n" + many(n, line) + "---\n"} }
}

func withFront(line string, args tool.Args) sized {
	make := front(line)
	return func(n int) (map[string]string, tool.Args) {
		args["path"] = "a.md"
		return make(n), args
	}
}

// growing has for each tool the calls whose input can grow: in one note, and in
// the number of notes.
var growing = map[string][]sized{
	"vault.readFile":   {one(section, tool.Args{"heading": "Heading 3"}), one(section, tool.Args{"fromLine": 100.0}), one("para ^b%[1]d\n\n", tool.Args{"block": "b3"})},
	"vault.patchFile":  {one(section, tool.Args{"find": "task 7 ", "replace": "x"}), one(section, tool.Args{"heading": "Heading 3", "content": "x"})},
	"vault.appendFile": {one(section, tool.Args{"content": "x", "heading": "Heading 3"}), one("- a\n", tool.Args{"content": "- a\n- b", "skipIfPresent": true})},
	"vault.replaceText": {
		one(section+"\r\n", tool.Args{"find": "task", "replace": "y\nz", "wholeWord": true}),
		one("a\r\n", tool.Args{"find": `a$`, "replace": "$0!", "regex": true}), all("%d.md", ordinary, tool.Args{"find": "text", "replace": "words"}),
	},
	"vault.writeFile": {func(n int) (map[string]string, tool.Args) {
		return files{"a.md": "x"}, tool.Args{"path": "a.md", "content": many(n, section)}
	}},
	"vault.createFile": {func(n int) (map[string]string, tool.Args) {
		return nil, tool.Args{"path": "a.md", "content": many(n, section)}
	}},
	"vault.copyFile":  {one(section, tool.Args{"newPath": "b.md"})},
	"vault.delete":    {all("F/%d.md", ordinary, tool.Args{"path": "F"})},
	"vault.listFiles": {all("F/%d.md", ordinary, tool.Args{"folder": "F"})},
	"vault.rename":    {all("F/%d.md", "[[F/1]] [[%[1]d]]", tool.Args{"path": "F", "newPath": "G"}), all("F/%d.md", "[[F/1]]", tool.Args{"path": "F/1.md", "newPath": "G/x.md"})},
	"vault.searchText": {all("%d.md", ordinary, tool.Args{"query": "task"}), func(n int) (map[string]string, tool.Args) {
		return files{"a.md": many(n, "task %[1]d\n")}, tool.Args{"query": "task", "limit": 1000.0}
	}},
	"vault.related": {
		all("F/%d.md", ordinary+"word%[1]d", tool.Args{"path": "F/1"}), all("F/%d.md", "[[F/1]] [[F/2]] #a%[1]d", tool.Args{"path": "F/1"}),
		func(n int) (map[string]string, tool.Args) {
			return files{"a.md": many(n, "word%[1]d text "), "b.md": many(n, "text word%[1]d ")}, tool.Args{"path": "a"}
		},
	},
	"vault.query": {all("%d.md", ordinary, tool.Args{"sort": "-modified", "fields": []any{"tags", "links", "tasks", "headings"}})},
	"note.splitAtHeadings": {
		one(section, tool.Args{"level": 2.0, "folder": "Parts"}), one("- item %[1]d\n# H%[1]d\n[[#H1]]\n", tool.Args{"leave": "link"}),
	},
	"note.sort": {
		one(section, tool.Args{"what": "sections", "descending": true}), one("- [x] task %[1]d\n  - [ ] b\n  - [ ] a\n", tool.Args{"by": "done", "deep": true}),
		one("%[1]d. item\n   more\n", tool.Args{"descending": true}),
	},
	"note.movePart": {
		one(section, tool.Args{"heading": "Heading 3", "place": "before", "toHeading": "Heading 1"}),
		one(section, tool.Args{"heading": "Heading 3", "to": "b.md", "create": true, "leave": "link"}),
		one("- item %[1]d\n  - below\n", tool.Args{"line": 1.0, "toLine": 3.0, "place": "after"}),
		func(n int) (map[string]string, tool.Args) {
			f := manyNotes(n, "F/%d.md", "[[a#H]] [[a]]")
			f["a.md"] = "# H\n# I\n"
			return f, tool.Args{"path": "a.md", "heading": "H", "to": "b.md", "create": true}
		},
	},
	"note.export": {
		all("%d.md", ordinary, tool.Args{"folder": "", "path": "N.html", "properties": true}), all("%d.md", ordinary, tool.Args{"folder": "", "path": "N.md"}),
		one(section+"a[^%[1]d] [[#Heading %[1]d]]\n\n[^%[1]d]: b\n", tool.Args{"path": "N.html", "paths": []any{"a.md"}}),
		one(section+"a[^%[1]d] [[#Heading %[1]d]]\n\n[^%[1]d]: b\n", tool.Args{"path": "N.md", "paths": []any{"a.md"}}),
	},
	"note.merge": {
		func(n int) (map[string]string, tool.Args) {
			f, paths := manyNotes(n, "F/%d.md", ordinary), []any{}
			for p := range f {
				paths = append(paths, p)
			}
			return f, tool.Args{"paths": paths, "path": "out.md", "deleteSources": true}
		},
		func(n int) (map[string]string, tool.Args) {
			f := manyNotes(n, "F/%d.md", ordinary)
			f["a.md"] = many(n, "![[F/%[1]d]]\n")
			return f, tool.Args{"embedsOf": "a.md", "path": "out.md"}
		},
	},
	"metadata.get":        {withFront("key %[1]d: [a, %[1]d]\n", tool.Args{})},
	"metadata.set":        {withFront("key %[1]d: [a, %[1]d]\n", tool.Args{"properties": map[string]any{"key 7": "x", "new": 1.0}})},
	"metadata.remove":     {withFront("key %[1]d: v\n", tool.Args{"keys": []any{"key 7", "KEY 8"}}), all("%d.md", ordinary, tool.Args{"keys": []any{"type"}})},
	"metadata.rename":     {withFront("key %[1]d: v\n", tool.Args{"from": "key 7", "to": "x"}), all("%d.md", ordinary, tool.Args{"from": "type", "to": "kind"})},
	"metadata.fromInline": {one("key:: %[1]d\n", nil), all("%d.md", "a:: %[1]d\ntext (b:: c)\n", tool.Args{})},
	"metadata.tidy": {
		withFront("key %[1]d: \"[[x]]\"\n", tool.Args{"plain": []any{"key 3"}, "order": []any{"key 9", "key 8"}, "sort": true}),
		all("%d.md", ordinary, tool.Args{"sort": true, "plain": []any{"tags"}}),
	},
	"metadata.values": {all("%d.md", ordinary, tool.Args{})},
	"tags.add":        {one("#a%[1]d ", tool.Args{"tags": []any{"x"}}), all("%d.md", ordinary, tool.Args{"tags": []any{"x"}})},
	"tags.remove":     {one("#a%[1]d #b ", tool.Args{"tags": []any{"b"}, "duplicates": true}), withFront("tags%[1]d: x\n", tool.Args{"duplicates": true})},
	"tags.rename":     {one("#a/%[1]d #b ", tool.Args{"from": "a", "to": "z"}), all("%d.md", ordinary, tool.Args{"from": "a", "to": "z"})},
	"tasks.list": {
		one(section, tool.Args{"topLevel": true, "limit": 100_000.0}), one(section, tool.Args{"heading": "Heading 7"}), all("%d.md", ordinary, tool.Args{"status": "open"}),
	},
	"tasks.move": {
		one(section, tool.Args{"to": "b.md", "create": true, "status": "open"}),
		one(section, tool.Args{"to": "a.md", "withHeading": true, "status": "open"}), one("- [x] task %[1]d\n- other\n", tool.Args{"to": "a.md"}),
		func(n int) (map[string]string, tool.Args) {
			text := many(n, "- [ ] task %[1]d\n\t- below\n")
			return files{"a.md": text, "b.md": text}, tool.Args{"path": "a.md", "to": "b.md"}
		},
	},
	"tasks.setStatus": {one(section, tool.Args{"to": "done", "withSubtasks": true})},
	"links.find":      {all("Note %d.md", ordinary+"[[none %[1]d]]", tool.Args{"kind": "broken"}), one("[[a]] ", tool.Args{"to": "a.md"})},
	"links.rewrite":   {all("%d.md", "[[20260101 - x%[1]d]] | y", tool.Args{"mode": "alias"}), one("| [[a]] |\n|---|\n\n", tool.Args{"mode": "retarget", "target": "a", "to": "a.md"})},
	"links.unlinkedMentions": {
		all("Note %d.md", "About note %[1]d, note 1, note x and note.", tool.Args{"link": true}),
		func(n int) (map[string]string, tool.Args) {
			f := manyNotes(n, "Note %d.md", "x")
			f["a.md"] = many(n, "[[Note %[1]d]] note %[1]d\n")
			return f, tool.Args{"path": "a.md", "link": true}
		},
	},
	"links.make": {all("F/%d.md", "x", tool.Args{"to": "F/1.md"})},
	"util.parseMarkdownBullets": {func(n int) (map[string]string, tool.Args) {
		return nil, tool.Args{"text": many(n, "- a **b** [[c]]\n  - %[1]d\n")}
	}},
	"list.arrange": {func(n int) (map[string]string, tool.Args) {
		items := make([]any, n)
		for i := range items {
			items[i] = map[string]any{"text": fmt.Sprint(i), "n": float64(i % 7), "tags": []any{"a", "b"}}
		}
		return nil, tool.Args{
			"items": items, "where": []any{map[string]any{"property": "n", "op": "<", "value": 6.0}},
			"distinct": "text", "sort": "-n", "groupBy": "tags", "sum": "n",
		}
	}},
	"util.random": {func(n int) (map[string]string, tool.Args) {
		return nil, tool.Args{"items": make([]any, n), "count": float64(n)}
	}},
	"util.joinLines": {func(n int) (map[string]string, tool.Args) {
		items := make([]any, n)
		for i := range items {
			items[i] = map[string]any{"text": fmt.Sprint(i)}
		}
		return nil, tool.Args{"items": items, "field": "text", "prefix": "- "}
	}},
	"template.apply": {func(n int) (map[string]string, tool.Args) {
		return files{"T.md": many(n, "{{title}} {{date:dddd}} {{x}} %[1]d\n")}, tool.Args{"template": "T.md", "path": "N.md", "variables": map[string]any{"x": "y"}}
	}},
	"dates.dailyNote": {func(n int) (map[string]string, tool.Args) {
		f := files{}
		for i := range n {
			f[now.AddDate(0, 0, -i).Format(time.DateOnly)+".md"] = ""
		}
		return f, tool.Args{"last": true}
	}},
}

// fixed are the tools whose input does not grow, or whose cost is not theirs: a
// name or a date, the editor's and the app's own work, a script's, a server's.
var fixed = strings.Fields(`dates.add dates.format dates.parse util.slugifyTitle vault.ensureFolder
	editor.getActiveFilePath editor.getCursor editor.getSelection editor.insertAtCursor editor.replaceSelection
	workspace.focusPane workspace.getContext workspace.openFile commands.list commands.run
	code.run http.request http.send plugins.search`)

// perDoubling is the most that an input which is twice as large may cost: more than twice,
// since lists and maps grow in leaps.
const perDoubling = 2.3

// TestTwiceTheInputCostsTwice counts what a call allocates and asks of the host
// for an input, and for one that is doubled twice; and takes the processor's time
// for one that is eight times as large, for what costs nothing else.
func TestTwiceTheInputCostsTwice(t *testing.T) {
	known := map[string]bool{}
	for _, name := range fixed {
		known[name] = true
	}
	for _, e := range registry(t).All() {
		if growing[e.Name] == nil && !known[e.Name] {
			t.Errorf("%s has no call that grows", e.Name)
		}
		for i, c := range growing[e.Name] {
			t.Run(fmt.Sprint(e.Name, " ", i+1), func(t *testing.T) { checkLinear(t, e, c) })
		}
	}
}

func checkLinear(t *testing.T, e *tool.Entry, c sized) {
	n, most := 4000, perDoubling*perDoubling
	if testing.Short() { // in small inputs the leaps are larger; the square of four is not
		n, most = 500, 9
	}
	costOf(t, e, c, 10) // what is made once is made here
	asked, allocated, _ := costOf(t, e, c, n)
	asked4, allocated4, _ := costOf(t, e, c, 4*n)
	if float64(asked4) > most*float64(asked) || float64(allocated4) > most*float64(allocated) {
		t.Errorf("%d host calls and %d bytes, and %d and %d for four times the input", asked, allocated, asked4, allocated4)
	}
	if testing.Short() {
		return
	}
	best := func(n int) time.Duration {
		_, _, a := costOf(t, e, c, n)
		_, _, b := costOf(t, e, c, n)
		return min(a, b)
	}
	if a, b := best(1000), best(8000); b > 24*a && b > time.Second/2 {
		t.Errorf("%v of the processor, and %v for eight times the input", a, b)
	}
}

func costOf(t *testing.T, e *tool.Entry, c sized, n int) (asked int, allocated uint64, took time.Duration) {
	t.Helper()
	given, args := c(n)
	if err := e.CheckInput(args); err != nil {
		t.Fatal(err)
	}
	m := hosttest.New(hosttest.Options{Files: given})
	h := m.Host()
	env := viewEnv(h, overlay.New(overlay.NewBase(h.Vault, h.Editor, now)).For("call"))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := processor(t)
	if _, err := e.Run(t.Context(), env, args); err != nil {
		t.Fatal(err)
	}
	took = processor(t) - began
	runtime.ReadMemStats(&after)
	counts := m.Counts()
	return counts.Reads + counts.Writes, after.TotalAlloc - before.TotalAlloc, took
}

// processor gives the time that the processor has spent on this program: what
// else runs on the machine is not in it.
func processor(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano())
}
