//go:build unix

package builtin_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/tool"
)

// units are texts that, repeated, are there to cost a reader of Markdown more
// than their length.
var units = map[string]string{
	"wikilinks":              "[[a]]",
	"wikilinks with words":   "[[a|b]] a ",
	"embeds":                 "![[a]]",
	"open wikilinks":         "[[",
	"open aliases":           "[[a|",
	"open brackets":          "[",
	"closing brackets":       "]",
	"open links":             "[a](",
	"links":                  "[a](b.md) ",
	"titles in parentheses":  "[a](b (",
	"carets in one line":     " ^a",
	"single quotes":          "[a](b '",
	"escapes in links":       `[a](\`,
	"links in angles":        "[a](<",
	"titles":                 `[a](b "`,
	"definitions":            "[a]: b\n",
	"parentheses":            "[a]((",
	"backticks":              "`",
	"backticks of lengths":   "`a``b```c````",
	"backticks, spaced":      "` `` ",
	"code":                   "`a` ",
	"fences":                 "```\n",
	"dollars":                "$a ",
	"math":                   "$$",
	"comments":               "%%",
	"comments of HTML":       "<!--",
	"tags of HTML":           "<a ",
	"hashes":                 "#",
	"tags":                   "#a ",
	"long tags":              "#a/b/c/d/e ",
	"carets":                 " ^a\n",
	"backslashes":            "\\",
	"quotes":                 "> ",
	"dashes":                 "- ",
	"items":                  "- a\n",
	"tasks":                  "- [ ] a\n",
	"numbers":                "1. a\n",
	"stars":                  "*",
	"emphasis":               "*a ",
	"underscores":            "_a_",
	"highlights":             "==",
	"headings":               "# a\n",
	"empty headings":         "#\n",
	"underlined headings":    "a\n=\n",
	"rules":                  "---\n",
	"tables":                 "|a",
	"rows":                   "|a|b|\n|-|-|\n",
	"inline fields":          "a:: ",
	"fields in brackets":     "[a:: b] ",
	"open fields":            "[a:: ",
	"open fields, mixed":     "([a:: ",
	"fields line by line":    "a:: b\n",
	"fields of one letter":   "a::\n",
	"colons":                 ":",
	"empty lines":            "\n",
	"carriage returns":       "\r",
	"line ends of Windows":   "a\r\n",
	"tabs":                   "\t",
	"spaces":                 " ",
	"indented":               "    a\n",
	"words":                  "a ",
	"one word":               "a",
	"template marks":         "{{",
	"template fields":        "{{a}}",
	"exclamation marks":      "!",
	"ampersands":             "&amp;",
	"combining marks":        "e\u0301",
	"Chinese":                "漢",
	"emoji":                  "👩‍💻",
	"bytes that are no text": "\xff",
	"zero width":             "\u200b",
	"addresses":              "https://a.b/ ",
}

// shapes are bombs that are no repetition.
var shapes = map[string]func(n int) string{
	"links in links":          func(n int) string { return strings.Repeat("[", n/6) + strings.Repeat("](b)", n/6) },
	"embeds in embeds":        func(n int) string { return strings.Repeat("![", n/7) + strings.Repeat("](b)", n/7) },
	"fields in fields":        func(n int) string { return strings.Repeat("[a:: ", n/6) + strings.Repeat("]", n/6) },
	"fields in fields, mixed": func(n int) string { return strings.Repeat("([a:: ", n/8) + strings.Repeat("])", n/8) },
	"runs of backticks": func(n int) string {
		var b strings.Builder
		for i := 1; b.Len() < n; i++ {
			b.WriteString(strings.Repeat("`", i) + " ")
		}
		return b.String()
	},
	"open links in front matter":   func(n int) string { return "---\na: " + strings.Repeat("[[", n/2) + "a]]\n---\n" },
	"quoted links in front matter": func(n int) string { return "---\na: \"" + strings.Repeat("[[", n/2) + "a]]\"\n---\n" },
	"embeds of lines":              func(n int) string { return strings.Repeat("![[n7]]", n/7) },
	"stairs of items": func(n int) string {
		var b strings.Builder
		for i := 0; b.Len() < n; i++ {
			b.WriteString(strings.Repeat("\t", i%200) + "- a\n")
		}
		return b.String()
	},
	"quotes in quotes":             func(n int) string { return strings.Repeat(strings.Repeat("> ", 200)+"a\n", n/402) },
	"a long line of front matter":  func(n int) string { return "---\na: " + strings.Repeat("x", n) + "\n---\n" },
	"many properties":              func(n int) string { return "---\n" + many(n/10, "k%[1]d: [a]\n") + "---\n" },
	"one property again and again": func(n int) string { return "---\n" + strings.Repeat("a: 1\n", n/5) + "---\n" },
	"one tag again and again":      func(n int) string { return "---\ntags:\n" + strings.Repeat("  - a\n", n/6) + "---\n" },
	"many tags":                    func(n int) string { return "---\ntags:\n" + many(n/10, "  - a%[1]d\n") + "---\n" },
	"tags in one text":             func(n int) string { return "---\ntags: " + strings.Repeat("a ", n/2) + "\n---\n" },
	"many inline tags":             func(n int) string { return many(n/8, "#a%[1]d ") },
	"links in front matter":        func(n int) string { return "---\n" + many(n/16, "k%[1]d: \"[[a]]\"\n") + "---\n" },
	"many links in one property":   func(n int) string { return "---\nk:\n" + strings.Repeat("  - \"[[a]]\"\n", n/12) + "---\n" },
	"many block ids":               func(n int) string { return many(n/12, "a ^b%[1]d\n\n") },
	"many headings":                func(n int) string { return many(n/10, "# a%[1]d\n\n") },
	"links to many":                func(n int) string { return many(n/10, "[[n%[1]d]] ") },
	"brackets of front matter":     func(n int) string { return "---\na: " + strings.Repeat("[", n) + "\n---\n" },
	"aliases of aliases": func(n int) string {
		var b strings.Builder
		b.WriteString("---\na0: &a0 [x,x,x,x,x,x,x,x,x]\n")
		for i := 1; i < 10; i++ {
			fmt.Fprintf(&b, "a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i-1), 9), ","))
		}
		b.WriteString("tags: *a9\na: *a9\n---\n")
		return b.String() + strings.Repeat("a ", n/2)
	},
	"a cycle":                      func(n int) string { return "---\ntags: &a [*a]\n---\n" + strings.Repeat("a ", n/2) },
	"front matter that never ends": func(n int) string { return "---\n" + strings.Repeat("a: 1\n", n/5) },
	"everything":                   func(n int) string { return strings.Repeat(section, n/len(section)) },
}

func bombOf(name string, n int) string {
	if unit, ok := units[name]; ok {
		return strings.Repeat(unit, n/len(unit))
	}
	return shapes[name](n)
}

// onBomb has for each tool that reads notes, or works on a text, its calls on a
// note "B.md" (or on its text).
var onBomb = map[string]func(text string) []tool.Args{
	"vault.readFile":   always(tool.Args{"path": "B.md", "heading": "a"}, tool.Args{"path": "B.md", "block": "b3"}),
	"vault.patchFile":  always(tool.Args{"path": "B.md", "find": "a", "replace": "z"}, tool.Args{"path": "B.md", "heading": "a", "content": "x"}),
	"vault.appendFile": always(tool.Args{"path": "B.md", "content": "- a", "skipIfPresent": true}, tool.Args{"path": "B.md", "content": "- a", "heading": "zzz"}),
	"vault.replaceText": always(tool.Args{"path": "B.md", "find": "a", "replace": "zz", "wholeWord": true},
		tool.Args{"path": "B.md", "find": "(a|b)*c", "replace": "$1", "regex": true}),
	"vault.writeFile":  func(text string) []tool.Args { return []tool.Args{{"path": "B.md", "content": text}} },
	"vault.createFile": func(text string) []tool.Args { return []tool.Args{{"path": "N.md", "content": text}} },
	"vault.copyFile":   always(tool.Args{"path": "B.md", "newPath": "N.md"}),
	"vault.related":    func(text string) []tool.Args { return []tool.Args{{"path": "B.md"}, {"path": "a.md"}, {"text": text}} },
	"vault.delete":     always(tool.Args{"path": "B.md"}),
	"vault.rename":     always(tool.Args{"path": "a.md", "newPath": "z.md"}, tool.Args{"path": "B.md", "newPath": "z.md"}),
	"vault.listFiles":  always(tool.Args{}),
	"vault.searchText": always(tool.Args{"query": "a"}, tool.Args{"query": "(a+)+b", "regex": true}),
	"vault.query": always(tool.Args{"fields": []any{"tags", "links", "tasks", "headings", "properties"}, "tags": []any{"a"}},
		tool.Args{"where": []any{map[string]any{"property": "a", "op": "contains", "value": "x"}}}),
	"note.splitAtHeadings":      always(tool.Args{"path": "B.md", "folder": "P", "leave": "link"}),
	"note.sort":                 always(tool.Args{"path": "B.md", "deep": true, "descending": true}, tool.Args{"path": "B.md", "what": "sections", "descending": true}),
	"note.movePart":             always(tool.Args{"path": "B.md", "heading": "a", "place": "start"}, tool.Args{"path": "B.md", "line": 1.0, "to": "N.md", "create": true}),
	"note.export":               always(tool.Args{"paths": []any{"B.md", "a.md"}, "path": "N.md"}, tool.Args{"paths": []any{"B.md", "a.md"}, "path": "N.html", "properties": true}, tool.Args{"linksOf": "B.md", "path": "N.html"}),
	"note.merge":                always(tool.Args{"paths": []any{"B.md", "a.md"}, "path": "N.md", "deleteSources": true}, tool.Args{"embedsOf": "B.md", "path": "N.md"}),
	"metadata.get":              always(tool.Args{"path": "B.md"}),
	"metadata.set":              always(tool.Args{"path": "B.md", "properties": map[string]any{"a": "x", "zz": 1.0}}),
	"metadata.remove":           always(tool.Args{"keys": []any{"a", "k7"}}),
	"metadata.rename":           always(tool.Args{"from": "a", "to": "zz"}),
	"metadata.fromInline":       always(tool.Args{}),
	"metadata.tidy":             always(tool.Args{"plain": []any{"a", "tags", "k"}, "sort": true}),
	"metadata.values":           always(tool.Args{}),
	"tags.add":                  always(tool.Args{"path": "B.md", "tags": []any{"x", "y"}}),
	"tags.remove":               always(tool.Args{"tags": []any{"a", "b"}, "duplicates": true}),
	"tags.rename":               always(tool.Args{"from": "a", "to": "z"}),
	"tasks.list":                always(tool.Args{"limit": 100_000.0}),
	"tasks.move":                always(tool.Args{"path": "B.md", "to": "N.md", "create": true}),
	"tasks.setStatus":           always(tool.Args{"path": "B.md", "to": "done", "withSubtasks": true}),
	"links.find":                always(tool.Args{"kind": "broken"}, tool.Args{"to": "a.md"}, tool.Args{"path": "B.md"}),
	"links.rewrite":             always(tool.Args{"mode": "retarget", "target": "a", "to": "a.md"}, tool.Args{"mode": "alias"}, tool.Args{"mode": "plain"}),
	"links.unlinkedMentions":    always(tool.Args{"path": "B.md", "link": true}, tool.Args{"link": true}),
	"links.make":                always(tool.Args{"to": "B.md"}),
	"util.parseMarkdownBullets": func(text string) []tool.Args { return []tool.Args{{"text": text}} },
	"list.arrange": func(text string) []tool.Args {
		return []tool.Args{{
			"items": []any{text, text}, "where": []any{map[string]any{"property": "", "op": "<", "value": text}}, "distinct": "", "sort": "-", "groupBy": "", "sum": "",
		}}
	},
	"util.joinLines":    func(text string) []tool.Args { return []tool.Args{{"items": []any{text, text}, "prefix": "- "}} },
	"util.slugifyTitle": func(text string) []tool.Args { return []tool.Args{{"title": text}} },
	"template.apply": func(text string) []tool.Args {
		return []tool.Args{{"template": "B.md", "path": "N.md", "variables": map[string]any{"a": "{{a}}"}}}
	},
	"editor.insertAtCursor":   func(text string) []tool.Args { return []tool.Args{{"text": text}} },
	"editor.replaceSelection": func(text string) []tool.Args { return []tool.Args{{"text": text}} },
	"editor.getCursor":        always(tool.Args{}),
	"util.random":             func(text string) []tool.Args { return []tool.Args{{"items": []any{text}}} },
	"dates.parse":             func(text string) []tool.Args { return []tool.Args{{"text": text}} },
	// A format is a line, however long a note is.
	"dates.format": func(text string) []tool.Args {
		return []tool.Args{{"date": "2026-11-20", "format": text[:min(len(text), 500)]}}
	},
}

func always(calls ...tool.Args) func(string) []tool.Args {
	return func(string) []tool.Args { return calls }
}

// noText are the tools that read no note and work on no text.
var noText = strings.Fields(`dates.add dates.dailyNote vault.ensureFolder editor.getActiveFilePath editor.getSelection
	workspace.focusPane workspace.getContext workspace.openFile commands.list commands.run
	code.run http.request http.send plugins.search`)

// cost of a call.
type cost struct {
	bytes uint64
	took  time.Duration
}

// callOn makes a call on a bomb, and gives what it cost. Any answer will do, an
// error of the tool's own too; a broken program (a panic) will not.
func callOn(t *testing.T, e *tool.Entry, text string, args tool.Args) cost {
	t.Helper()
	m := hosttest.New(hosttest.Options{Files: files{"B.md": text, "a.md": "[[B]] a", "n7.md": "a\nb"}})
	h := m.Host()
	env := viewEnv(h, overlay.New(overlay.NewBase(h.Vault, h.Editor, now)).For("call"))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := processor(t)
	ended := make(chan error, 1)
	go func() { _, err := e.Run(ctx, env, args); ended <- err }()
	select {
	case err := <-ended:
		if fault.Is(err, fault.Internal) || errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: want an error that names its cause in time, got %v", e.Name, err)
		}
	case <-time.After(30 * time.Second):
		t.Fatalf("%s does not end", e.Name)
	}
	took := processor(t) - began
	runtime.ReadMemStats(&after)
	return cost{after.TotalAlloc - before.TotalAlloc, took}
}

// What a call may allocate for each byte of a note, and beside that; the reader
// of YAML takes the most, and some tools read a note twice.
const (
	bombPerByte = 2_500
	bombBeside  = 24 << 20
)

func TestEveryToolIsCalledOnBombs(t *testing.T) {
	for _, e := range registry(t).All() {
		calls := onBomb[e.Name]
		if calls == nil {
			if !slices.Contains(noText, e.Name) {
				t.Errorf("%s is called on no bomb, and is not said to read no text", e.Name)
			}
			continue
		}
		for _, args := range calls("x") {
			if err := e.CheckInput(args); err != nil {
				t.Errorf("%s: want no error, got %v", e.Name, err)
			}
		}
	}
}

// TestNoNoteCostsAToolMoreThanItsLength calls every tool on every bomb and on one
// four times as long: what it allocates is bounded by the length, and neither
// that nor the processor's time grows by the square of it.
func TestNoNoteCostsAToolMoreThanItsLength(t *testing.T) {
	if raced {
		t.Skip("memory is measured without the race detector, natively and as wasm: it counts its own")
	}
	names := slices.Collect(maps.Keys(units))
	names = slices.AppendSeq(names, maps.Keys(shapes))
	slices.Sort(names)
	n := 16_000
	if testing.Short() {
		n = 3_000
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			small, large := bombOf(name, n), bombOf(name, 4*n)
			for _, e := range registry(t).All() {
				if onBomb[e.Name] == nil {
					continue
				}
				ofLarge := onBomb[e.Name](large)
				for i, args := range onBomb[e.Name](small) {
					ofSmall := sync.OnceValue(func() cost { return callOn(t, e, small, args) }) // asked for where the large one is dear
					checkGrowth(t, e, len(large), ofSmall, callOn(t, e, large, ofLarge[i]))
				}
			}
		})
	}
}

func checkGrowth(t *testing.T, e *tool.Entry, length int, small func() cost, large cost) {
	t.Helper()
	if most := uint64(bombBeside + bombPerByte*length); large.bytes > most {
		t.Errorf("%s allocates %d MB for a note of %d bytes", e.Name, large.bytes>>20, length)
	}
	if large.bytes > bombBeside && large.bytes > 9*small().bytes {
		t.Errorf("%s allocates %d bytes, and %d for four times the note", e.Name, small().bytes, large.bytes)
	}
	if large.took > time.Second && large.took > 12*small().took {
		t.Errorf("%s takes %v of the processor, and %v for four times the note", e.Name, small().took, large.took)
	}
}
