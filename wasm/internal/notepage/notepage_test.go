package notepage_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/notepage"
)

// body gives what stands between the tags of the page's body.
func body(t *testing.T, page []byte) string {
	t.Helper()
	_, rest, ok := strings.Cut(string(page), "<body>\n")
	text, _, end := strings.Cut(rest, "</body>")
	if !ok || !end {
		t.Fatalf("no page: %s", page)
	}
	return text
}

func TestWhatANoteHasIsInThePageAsPeopleReadIt(t *testing.T) {
	for name, c := range map[string]struct {
		note string
		want []string // each is in the page
		not  []string
		left []string
	}{
		"words with marks": {
			note: "a *b* **c** ~~d~~ ==e== `f<` \\*g\\*\n",
			want: []string{"<p>a <em>b</em> <strong>c</strong> <del>d</del> <mark>e</mark> <code>f&lt;</code> *g*</p>"},
		},
		"a comment is left out":             {note: "a %%secret%% b\n\n%%\nmore\n\nsecret\n%%\n\nend <!-- secret -->\n", want: []string{"<p>a  b</p>", "end"}, not: []string{"secret"}},
		"a comment in code is code":         {note: "`%% kept %%`\n", want: []string{"<code>%% kept %%</code>"}},
		"front matter is left out":          {note: "---\nk: secret\n---\nbody\n", want: []string{"<p>body</p>"}, not: []string{"secret"}},
		"math stays as it is written":       {note: "$a_1 * b_2 * c$ and\n\n$$\nx\n- y\n$$\n", want: []string{`<code class="math">$a_1 * b_2 * c$</code>`, "<pre class=\"math\">$$\nx\n- y\n$$</pre>"}},
		"a tag is words":                    {note: "see #a/b now\n", want: []string{"<p>see #a/b now</p>"}},
		"a block id is a place":             {note: "words ^abc\n", want: []string{`<p><a id="n1-b-abc"></a>words</p>`}, not: []string{"^abc"}},
		"a numbered list goes on":           {note: "3. c\n4. d\n", want: []string{`<li value="3">c`, "<li>d"}},
		"a line's end is one":               {note: "a\nb\n", want: []string{"a<br>\nb"}},
		"tasks have boxes":                  {note: "- [ ] a\n- [x] b\n- [/] c\n", want: []string{`disabled> a`, `disabled checked> b`, `disabled> c`}},
		"a callout has a title":             {note: "> [!tip]- Hear *this*\n> words\n", want: []string{`<div class="callout">`, "Hear <em>this</em>", "<p>words</p>"}, not: []string{"[!tip]"}},
		"a callout without a title":         {note: "> [!note]\n> x\n", want: []string{"<div class=\"callout-title\">\nNote\n</div>\n<p>x</p>"}},
		"a table":                           {note: "| a | b |\n|--:|---|\n| [[N\\|x]] | 2 |\n", want: []string{`<th style="text-align: right">a</th>`, `<td style="text-align: right">x</td><td>2</td>`}},
		"a code block is as it is":          {note: "```js run\n<script>x</script>\n```\n", want: []string{`<pre><code class="language-js">&lt;script&gt;x&lt;/script&gt;`}},
		"a footnote":                        {note: "a[^x] b[^x]\n\n[^x]: The *note*.\n", want: []string{`<sup id="f1-r1"><a href="#f1-1">1</a></sup>`, `b<sup><a href="#f1-1">1</a></sup>`, `<li id="f1-1">`, "The <em>note</em>."}},
		"a footnote in its line":            {note: "a^[said [so](https://a.example)] b\n", want: []string{`<a href="#f1-1">1</a></sup> b`, `said <a href="https://a.example" rel="noopener noreferrer">so</a>`}},
		"a footnote without a text":         {note: "a[^nope]\n", want: []string{"a[^nope]"}},
		"an address by a label":             {note: "[words][L] and [l]\n\n[L]: https://a.example/x\n", want: []string{`<a href="https://a.example/x" rel="noopener noreferrer">words</a> and <a href="https://a.example/x"`}},
		"an address in any script":          {note: "[a](https://münchen.example/ü?q=1&r)\n", want: []string{`<a href="https://münchen.example/ü?q=1&amp;r" rel="noopener noreferrer">a</a>`}},
		"mail":                              {note: "[a](mailto:a@b.example)\n", want: []string{`href="mailto:a@b.example"`}},
		"a link that runs something":        {note: "[a](javascript:x) [b](JaVa&#115;cript:x) [c](data:text/html,x) [d](file:///etc) [e](obsidian://x) <javascript:x>\n", not: []string{"<a "}},
		"a link to a note outside is words": {note: "[[Other]] and [x](Other.md) and [[Other#A|y]]\n", want: []string{"Other and x and y"}, not: []string{"<a "}},
		"a link to its own heading":         {note: "[[#Some *Head*]]\n\n## Some Head\n", want: []string{`<a href="#n1-h-some-head">`, `<h2 id="n1-h-some-head">`}},
		"a link to a heading that is not there leads to the note": {note: "[[#Gone|g]]\n", want: []string{`<a href="#n1">g</a>`}},
		"HTML that only sets words apart":                         {note: "a<br>b H<sub onclick=x>2</sub>O <b>open\n", want: []string{"a<br>b H<sub>2</sub>O &lt;b&gt;open"}},
		"HTML that could run something": {
			note: "<img src=x onerror=alert(1)> <script>alert(1)</script>\n\n<script>\nalert(2)\n</script>\n\n<div onclick=\"x\">kept <iframe src=y></iframe></div>\n",
			want: []string{"&lt;img src=x onerror=alert(1)&gt;", "<div>kept </div>"}, not: []string{"<script", "<iframe", "alert(2)", "<img"}, left: []string{"A.md html"},
		},
		"elements that a block leaves open are closed": {note: "<details><summary>s</summary>\n\nwords\n\n</details>\n</section>\n", want: []string{"<details><summary>s</summary></details>\n<p>words</p>"}},
		"a picture is in the page":                     {note: "![[pic.png|300]] ![alt](pic.png) ![[pic.png|Words|10x20]]\n", want: []string{`<img src="data:image/png;base64,AAAA" alt="" width="300">`, `alt="alt">`, `alt="Words" width="10" height="20">`}},
		"a picture that is too large":                  {note: "![[large.png]]\n", want: []string{"(large.png: picture)"}, not: []string{"<img"}, left: []string{"large.png picture"}},
		"a picture of the web is a link":               {note: "![alt](https://a.example/p.png)\n", want: []string{`<a href="https://a.example/p.png" rel="noopener noreferrer">alt</a>`}, not: []string{"<img"}, left: []string{"A.md remote"}},
		"a film is not in it":                          {note: "![[film.mp4]]\n", want: []string{"(film.mp4: kind)"}, left: []string{"film.mp4 kind"}},
		"an embed that is not there":                   {note: "before ![[Gone#x]] after\n", want: []string{"<p>before </p>\n<p class=\"left\">(Gone: missing)</p>\n<p> after</p>"}, left: []string{"Gone#x missing"}},
		"an embed in itself":                           {note: "![[A]]\n", want: []string{"(A: cycle)"}, left: []string{"A.md cycle"}},
		"an embed of a heading":                        {note: "# T\n## U\n![[Other#Two]]\n", want: []string{"<div class=\"embed\">\n<h3>Two</h3>\n<p>two</p>\n</div>"}, not: []string{"one"}},
		"an embed of a block":                          {note: "- x\n\n  ![[Other#^blk]]\n", want: []string{"<div class=\"embed\">\n<p>block</p>\n</div>"}},
		"an embed has footnotes of its own":            {note: "a[^1]\n\n![[Notes]]\n\n[^1]: mine\n", want: []string{`href="#f2-1"`, `<li id="f2-1">`, "theirs", `<li id="f1-1">`, "mine"}},
	} {
		t.Run(name, func(t *testing.T) {
			from := newFolder(map[string]string{
				"A.md": c.note, "pic.png": "x", "large.png": strings.Repeat("x", 50), "film.mp4": "x",
				"Other.md": "# One\none\n# Two\ntwo\n# Three\nblock ^blk\n", "Notes.md": "b[^1]\n\n[^1]: theirs\n",
			})
			page, err := notepage.Write(from, []string{"A.md"}, notepage.Options{Title: "A"})
			if err != nil {
				t.Fatal(err)
			}
			text := body(t, page)
			for _, w := range c.want {
				if !strings.Contains(text, w) {
					t.Errorf("the page has no\n%s\nin\n%s", w, text)
				}
			}
			for _, w := range c.not {
				if strings.Contains(text, w) {
					t.Errorf("the page has\n%s\nin\n%s", w, text)
				}
			}
			slices.Sort(from.left)
			if left := slices.Compact(from.left); !slices.Equal(left, c.left) {
				t.Errorf("left out are %q, want %q", left, c.left)
			}
			harmless(t, page)
		})
	}
}

func TestNotesOfOnePageLinkToEachOther(t *testing.T) {
	from := newFolder(map[string]string{
		"a/One.md": "To [[Two]], [[Two#Deep *x*|there]], [[Two#^b]], [[Out]].\n\n# A\n## B\n",
		"a/Two.md": "---\ntags: [x, y]\nlink: \"[[One|first]]\"\n---\n# Two\n## Deep x\nwords ^b\n",
		"Out.md":   "",
	})
	page, err := notepage.Write(from, []string{"a/One.md", "a/Two.md"}, notepage.Options{Title: `T</title><b>`, Language: "de", Properties: true})
	if err != nil {
		t.Fatal(err)
	}
	harmless(t, page)
	for _, want := range []string{
		"<title>T&lt;/title&gt;&lt;b&gt;</title>", `<html lang="de">`,
		"<section id=\"n1\">\n<h1>One</h1>\n", "<h2 id=\"n1-h-a\">A</h2>\n<h3 id=\"n1-h-b\">B</h3>",
		`<a href="#n2">Two</a>, <a href="#n2-h-deep-x">there</a>, <a href="#n2-b-b">Two &gt; ^b</a>, Out.`,
		"<tr><th>tags</th><td>x, y</td></tr>\n<tr><th>link</th><td>first</td></tr>",
		"<h1 id=\"n2-h-two\">Two</h1>\n<h2 id=\"n2-h-deep-x\">",
	} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page has no\n%s\nin\n%s", want, page)
		}
	}
}

func TestEmbedsThatMultiplyEndAtTheSizeOfAPage(t *testing.T) {
	files := map[string]string{}
	for i := range 9 {
		files[string(rune('a'+i))+".md"] = strings.Repeat("![["+string(rune('b'+i))+"]]\n\n", 12)
	}
	files["j.md"] = strings.Repeat("words ", 50)
	for name, write := range map[string]func(notepage.Source, []string, notepage.Options) ([]byte, error){"page": notepage.Write, "note": notepage.Markdown} {
		if _, err := write(newFolder(files), []string{"a.md"}, notepage.Options{}); !errors.Is(err, notepage.ErrSize) {
			t.Errorf("%s: 12⁹ embeds gave %v, want the error that it is too large", name, err)
		}
	}
}
