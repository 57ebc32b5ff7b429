package runnable

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// forms are texts with what they hold.
var forms = []struct{ text, want string }{
	// What acts for nobody.
	{"# Title\n\n- [ ] milk `code` **b** [[Note]] [web](https://example.org) <https://example.org> a@b.c\n", ""},
	{"```js\nconsole.log(1)\n```\n\n~~~python\nprint(1)\n~~~\n", ""},
	{"![[picture.png]] ![local](assets/a.png) <b>bold</b> a < b && c > d, x = 1", ""},
	{"See https://example.org/a.png and [[a|b]] and ![a [b](c.png)](d.png)", ""},
	{"C:\\Users and time: 12:30 [ref]: notes/a.md", ""},
	{"<div class=\"x\"><a href=\"https://example.org\">x</a></div> on = off", ""},
	{"`a = b` ``c``", ""},
	// Templater.
	{"<% tp.date.now() %>", "code Templater 1"},
	{"a\n<%* await tp.user.shell('x') -%>", "code Templater 2"},
	{"<%+ tp.x %> <%~ y", "code Templater 1, code Templater 1"},
	{"```\n<% x %>\n```", "code Templater 2"},
	{"---\ntitle: <% x %>\n---\n", "code Templater 2"},
	// Code blocks of plugins.
	{"```dataviewjs\ndv.list()\n```", "code Dataview 1"},
	{"~~~dataviewjs\nx\n~~~", "code Dataview 1"},
	{"`````  DataviewJS  extra\nx\n`````", "code Dataview 1"},
	{"> [!note]\n> ```dataviewjs\n> x\n> ```", "code Dataview 2"},
	{"- a\n\t- ```dataviewjs\n\t  x\n\t  ```", "code Dataview 2"},
	{"1. ```dataviewjs\n   x\n   ```", "code Dataview 1"},
	{"        ```dataviewjs\n        x\n        ```", "code Dataview 1"},
	{">>> ~~~~ dataviewjs\n>>> x", "code Dataview 1"},
	{"a\r```dataviewjs\rx\r```", "code Dataview 2"},
	{"a\r\n```dataviewjs\r\nx\r\n```\r\n", "code Dataview 2"},
	{"```data&#118;iewjs\nx\n```", "code Dataview 1"},
	{"```\\dataviewjs\nx\n```", ""},
	{"``` {.dataviewjs}\nx\n```", "code Dataview 1"},
	{"````\n```dataviewjs\nx\n```\n````", "code Dataview 2"},
	{"```dataview\nLIST\n```", "query Dataview 1"},
	{"```js-engine\nx\n```", "code JS Engine 1"},
	{"```button\nname x\n```", "button Buttons 1"},
	{"```meta-bind-button\nx\n```", "button Meta Bind 1"},
	{"```meta-bind-js-view\nx\n```", "code Meta Bind 1"},
	{"```run-python\nx\n```", "button Execute Code 1"},
	{"```js quickadd\nx\n```", "code QuickAdd 1"},
	{"```customjs\nx\n```", "code CustomJS 1"},
	{"```tasks\nnot done\n```", "query Tasks 1"},
	{"```query\ntag:x\n```", "query Obsidian 1"},
	{"{{MACRO:evil}} {{ macro:x}} {{date}}", "code QuickAdd 1, code QuickAdd 1"},
	// In a line.
	{"`$= dv.current()`", "code Dataview 1"},
	{"`` $=x ``", "code Dataview 1"},
	{"a `\n$= x`", "code Dataview 1"},
	{"> a `\n> $= x`", "code Dataview 1"},
	{"`= this.file.name`", "query Dataview 1"},
	{"`BUTTON[go]` `INPUT[text:x]` `VIEW[{x}]`", "button Meta Bind 1, button Meta Bind 1, button Meta Bind 1"},
	{"`button-go`", "button Buttons 1"},
	// HTML.
	{"<script>alert(1)</script>", "page <script> 1"},
	{"a\n<SCRIPT src=x>", "page <script> 2"},
	{"<iframe src=\"https://evil.example/x\"></iframe>", "page <iframe> 1, load evil.example 1"},
	{"<img src=x onerror=alert(1)>", "page onerror 1"},
	{"<img src=x\nonerror = 'alert(1)'>", "page onerror 2"},
	{"<svg/onload=alert(1)>", "page onload 1"},
	{"<img alt=\">\" onerror=x>", "page onerror 1"},
	{"<img alt='\"' onerror=x>", "page onerror 1"},
	{"<object data=x></object><embed src=x>", "page <object> 1, page <embed> 1"},
	{"<webview src=x>", "page <webview> 1"},
	{"<img src=\"http://evil.example/p?q=1\">", "load evil.example 1"},
	{"<img src=//evil.example/p>", "load evil.example 1"},
	{"<img src='\\\\evil.example\\p'>", "load evil.example 1"},
	{"<img src=\"&#104;ttp://evil.example\">", "load evil.example 1"},
	{"<img src=\"ht\ntp://evil.example\">", "load evil.example 1"},
	{"<img srcset=\"a.png 1x, https://evil.example/b 2x\">", "load evil.example 1"},
	{"<video poster=https://evil.example/x></video>", "load evil.example 1"},
	{"<audio src=https://user@evil.example/x>", "load evil.example 1"},
	{"<table background=\"HTTPS://EVIL.example\">", "load evil.example 1"},
	{"<p style=\"background: url('https://evil.example/x')\">", "load evil.example 1, load evil.example 1"},
	{"<style>@import 'https://evil.example/x';</style>", "page <style> 1, load evil.example 1"},
	{"<link rel=stylesheet href=https://evil.example/x>", "page <link> 1, load evil.example 1"},
	{"<img src=file://evil.example/share/x>", "load evil.example 1"},
	{"<a href=\"javascript:alert(1)\">x</a>", "page javascript: 1"},
	{"<a href=\"&#106;ava&#9;script:x\">x</a>", "page javascript: 1"},
	{"<a href=\"data:text/html,x\">x</a>", "page data: 1"},
	// Pictures and links.
	{"![a](https://evil.example/p.png)", "load evil.example 1"},
	{"![a](<https://evil.example/p q.png>)", "load evil.example 1"},
	{"![a](  \nhttps://evil.example/p.png 'title')", "load evil.example 1"},
	{"![a](//evil.example/p)", "load evil.example 1"},
	{"![a](HTTPS:\\\\evil.example/p)", "load evil.example 1"},
	{"![a](&#104;ttps://evil.example)", "load evil.example 1"},
	{"![a](https\\://evil.example)", "load evil.example 1"},
	{"![a [b](c) d](https://evil.example)", "load evil.example 1"},
	{"![a `]` b](https://evil.example)", "load evil.example 1"},
	{"![a \\] b](https://evil.example)", "load evil.example 1"},
	{"[![a](https://evil.example/p)](https://example.org)", "load evil.example 1"},
	{"![a][Ref  1]\n\n[ref 1]: https://evil.example/p", "load evil.example 1"},
	{"![ref][]\n\n[REF]: <https://evil.example/p>", "load evil.example 1"},
	{"![ref]\n\n[ref]:\n  https://evil.example/p", "load evil.example 1"},
	{"[ref]\n\n[ref]: https://example.org", ""},
	{"[a](javascript:alert(1))", "page javascript: 1"},
	{"[a](java\\script:x)", ""},
	{"[a](&#x6A;avascript:x)", "page javascript: 1"},
	{"[a]: vbscript:x", "page vbscript: 1"},
	{"<javascript:x>", "page javascript: 1"},
	{"[a](obsidian://advanced-uri?commandid=x)", "link obsidian: 1"},
	{"OBSIDIAN://open?vault=x", "link obsidian: 1"},
	{"[a](ms-msdt:/id)", "link ms-msdt: 1"},
	{"[a](vscode://file/x) [b](mailto:a@b.c)", "link vscode: 1"},
}

func said(found []Found) string {
	var all []string
	for _, f := range found {
		all = append(all, fmt.Sprintf("%s %s %d", f.Kind, f.What, f.Line))
	}
	return strings.Join(all, ", ")
}

func TestWhatMayRunOrLoadIsFoundWithItsLine(t *testing.T) {
	for _, c := range forms {
		if got := said(Find("a.md", []byte(c.text))); got != c.want {
			t.Errorf("%q:\n  %s\nwant\n  %s", c.text, got, c.want)
		}
	}
}

func TestFilesThatAComputerRunsAreFoundByTheirName(t *testing.T) {
	for path, want := range map[string]string{
		"a.md": "", "a.txt": "", "a.canvas": "", "a.png": "", "v1.2/a": "", "a.exe": "program .exe 0", "Invoice.pdf.LNK": "program .lnk 0",
		"a.bat.": "program .bat 0", "x.html": "program .html 0", "Scripts/a.js": "program .js 0", "a.url": "program .url 0", "a.command": "program .command 0",
	} {
		if got := said(Find(path, []byte("text"))); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

func TestACanvasIsLookedIntoByItsCards(t *testing.T) {
	const c = `{"nodes":[{"type":"text","text":"\u0060\u0060\u0060dataviewjs\nx\n"},{"type":"link","url":"https://evil.example/x"},{"type":"file","file":"a.md"}]}`
	if got := said(Find("a.canvas", []byte(c))); got != "code Dataview 1, load evil.example 1" {
		t.Error("want \"code Dataview 1, load evil.example 1\", got:", got)
	}
}

func TestOnlyWhatAWriteAddsIsTold(t *testing.T) {
	const block = "```dataviewjs\na\n```\n"
	for _, c := range []struct{ name, from, before, path, after, want string }{
		{"nothing", "", block, "a.md", block, ""},
		{"moved down", "", block, "a.md", "text\n\n" + block, ""},
		{"line ends", "", block, "a.md", strings.ReplaceAll(block, "\n", "\r\n"), ""},
		{"one more", "", block, "a.md", block + block, "code Dataview 4"},
		{"another body", "", block, "a.md", "```dataviewjs\nevil\n```\n", "code Dataview 1"},
		{"taken out of a block", "", "````\n" + block + "````\n", "a.md", "\n" + block, "code Dataview 2"},
		{"taken out of a comment", "", "<!--\n<% x %>\n-->", "a.md", "\n<% x %>\n", "code Templater 2"},
		{"taken away", "", block, "a.md", "text", ""},
		{"renamed", "b.md", block, "a.md", block, ""},
		{"made a note", "a.txt", block, "a.md", block, "code Dataview 1"},
		{"made a program", "a.txt", "x", "a.bat", "x", "program .bat 0"},
		{"was a program", "", "x", "a.bat", "y", ""},
	} {
		if got := said(Added(c.from, []byte(c.before), c.path, []byte(c.after))); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	if got := said(Added("", nil, "a.md", []byte(block))); got != "code Dataview 1" {
		t.Error("want \"code Dataview 1\", got:", got)
	}
}

func TestATextWithTooManyPlacesIsNewWithEveryChange(t *testing.T) {
	many := []byte(strings.Repeat("<% x %>\n", Most+10))
	if got := Added("", many, "a.md", many); len(got) > 0 {
		t.Errorf("%d places", len(got))
	}
	if got := Added("", many, "a.md", append(many, "<% y %>"...)); said(got) != "page ? 1" {
		t.Error("want \"page ? 1\", got:", said(got))
	}
}

// acting are short forms that must be found wherever they are put.
var acting = []struct {
	text string
	kind Kind
}{
	{"```dataviewjs\nx\n```", Code},
	{"~~~DataviewJS\nx\n~~~", Code},
	{"````js-engine\nx\n````", Code},
	{"<% x %>", Code},
	{"`$= x`", Code},
	{"<script>x</script>", Page},
	{"<img src=x onerror=y>", Page},
	{"![a](https://evil.example/p)", Load},
	{"<img src='https://evil.example'>", Load},
	{"[a](obsidian://x)", Link},
}

func TestWhatActsIsFoundWhateverStandsAroundIt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.SampledFrom(acting).Draw(t, "acting")
		lines := strings.Split(a.text, "\n")
		for range rapid.IntRange(0, 3).Draw(t, "containers") {
			prefix := rapid.SampledFrom([]string{"> ", ">", "  ", "\t", "    ", "- ", "* ", "12. ", "1) ", "> [!note]- x\n> "}).Draw(t, "container")
			first, rest := prefix, strings.Repeat(" ", len(prefix))
			if strings.HasPrefix(prefix, ">") {
				rest = "> "
			}
			for i := range lines {
				if i == 0 {
					lines[i] = first + lines[i]
				} else {
					lines[i] = rest + lines[i]
				}
			}
		}
		around := rapid.SliceOfN(rapid.SampledFrom([]string{
			"", "text", "# H", "```", "~~~~", "```js", "<!--", "-->", "%%", "<b", "<a title=\"", "'", "`", "``", "[", "![", "](", "](x)", "\\", "- a", "> q", "$$", "---", "<%", "{{", "<div>", "=", "[x]: y", "|a|b|",
		}), 0, 6)
		before, after := around.Draw(t, "before"), around.Draw(t, "after")
		end := rapid.SampledFrom([]string{"\n", "\r\n", "\r"}).Draw(t, "end")
		all := append(append(append([]string{}, before...), ""), strings.Split(strings.Join(lines, "\n"), "\n")...)
		note := strings.Join(append(append(all, ""), after...), end)
		for _, f := range Find("a.md", []byte(note)) {
			if f.Kind == a.kind {
				return
			}
		}
		t.Fatalf("%q is not found in %q", a.text, note)
	})
}

func FuzzFind(f *testing.F) {
	for _, c := range forms {
		f.Add(c.text)
	}
	f.Fuzz(func(t *testing.T, s string) {
		last := 0
		for _, x := range Find("a.md", []byte(s)) {
			if x.Line < last || x.Line > strings.Count(s, "\n")+strings.Count(s, "\r")+1 || x.What == "" {
				t.Fatalf("want Line at least last, Line at most strings.Count(s, \"\\n\")+strings.Count(s, \"\\r\")+1 and What set, got %+v in %q", x, s)
			}
			last = x.Line
		}
		if added := Added("", []byte(s), "a.md", []byte(s)); len(added) > 0 {
			t.Fatalf("%+v added by nothing in %q", added, s)
		}
	})
}
