package webpage

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestAPageBecomesMarkdown(t *testing.T) {
	for name, c := range map[string]struct{ html, want string }{
		"words and marks": {
			"<p>One   <b> two </b>three <i>four</i>, <code>five</code>\nsix</p>", "One **two** three *four*, `five` six",
		},
		"paragraphs, breaks and rules": {"<p>a<p>b<br>c<hr>d", "a\n\nb\nc\n\n---\n\nd"},
		"headings":                     {"<h1> A <a href='/x'>b</a></h1><h3>C</h3>text", "# A [b](https://example.com/x)\n\n### C\n\ntext"},
		"lists":                        {"<ul><li>a<li><p>b</p><ol><li>x</li><li>y</ol><li>c</ul>", "- a\n- b\n\n  1. x\n  2. y\n\n- c"},
		"quotes":                       {"<blockquote><p>a</p><p>b</p></blockquote><p>c", "> a\n>\n> b\n\nc"},
		"code":                         {"<pre><code>if a &lt; b {\n\n  x*y\n}</code></pre>z", "```\nif a < b {\n\n  x*y\n}\n```\n\nz"},
		"tables":                       {"<table><tr><th>A<th>B</tr><tr><td>1|2<td><p>x</p><p>y</p></table>", "| A | B |\n| --- | --- |\n| 1\\|2 | x y |"},
		"links":                        {`<a href="../q?a=1&amp;b=(2)">t</a> <a href="javascript:alert(1)">u</a> <a>v</a> <a href="/e"></a>`, "[t](https://example.com/q?a=1&b=%282%29) u v"},
		"links around blocks":          {"<a href=/x><div>a</div><div>b</div></a>", "[a b](https://example.com/x)"},
		"pictures":                     {`<img src=p.png alt="a picture"><img alt="only words"><img>`, "![a picture](https://example.com/dir/p.png)only words"},
		"what is left out":             {"<nav>menu</nav><script>var a = '<p>';</script><style>p{}</style><svg><text>x</text></svg>a<!-- <p> -->b<footer>f</footer>", "ab"},
		"characters":                   {"&lt;p&gt; &amp;amp; &eacute; &#8364; &#x1F600; &nosuch; &#0; a&nbsp;b & c", "\\<p> &amp; é € 😀 &nosuch; \ufffd a b & c"},
		"text that looks like Markdown": {
			"<p># no heading</p><p>1. no item</p><p>- no item</p><p>a*b_c_ [x] `y` snake_case ~~z", "\\# no heading\n\n1\\. no item\n\n\\- no item\n\na\\*b_c\\_ \\[x\\] \\`y\\` snake_case \\~~z",
		},
		"what is not closed":       {"<div><p>a <b>b<div>c", "a **b**\n\nc"},
		"ends without a beginning": {"a</b></div>b", "ab"},
		"attributes of any kind":   {`<a class=x data-y='>' HREF = "/z" hidden>t</a>`, "[t](https://example.com/z)"},
		"links from another place": {`<base href="//o.example/d/"><base href="javascript:x"><a href=z>z</a>`, "[z](https://o.example/d/z)"},
		"nothing":                  {"<html><head><meta charset=utf-8></head><body></body></html>", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Convert(c.html, "https://example.com/dir/page").Markdown; got != c.want {
				t.Errorf("got:\n%s\n(%q)\nwant:\n%s", got, got, c.want)
			}
		})
	}
}

func TestThePageHasItsTitle(t *testing.T) {
	p := Convert("<html><head><TITLE>\n A &amp;  B </title></head><body>c", "https://example.com/")
	if p.Title != "A & B" || p.Markdown != "c" {
		t.Errorf("want Title \"A & B\" and Markdown \"c\", got %+v", p)
	}
}

func FuzzConvert(f *testing.F) {
	for _, s := range []string{
		"<p>a<b>b</p></b>", "<table><td><table><tr></table>", "<pre>\n</pre", "<li><blockquote><pre>a\nb", "<a href='x",
		"</title><title>", "<script></scrip></script>", "&#x;&;&amp", "<h1><a href=x><h2>y", "<b></b><i> </i>", "<td></td></td>",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, html string) {
		got := Convert(html, "https://example.com/")
		if utf8.ValidString(html) && !utf8.ValidString(got.Markdown) {
			t.Errorf("%q gives %q", html, got.Markdown)
		}
		if len(got.Markdown) > 60*(len(html)+10) {
			t.Errorf("%d bytes give %d", len(html), len(got.Markdown))
		}
	})
}

func TestADeepPageTakesNoMoreTimeThanALongOne(t *testing.T) {
	html := strings.Repeat("<div><blockquote><b><li>x ", 20_000) + strings.Repeat("</p>", 20_000)
	if got := Convert(html, ""); !strings.Contains(got.Markdown, "x") {
		t.Errorf("want Markdown with \"x\", got %.100q", got.Markdown)
	}
}

func TestAHostilePageGivesNoMoreTextThanABrowserCouldShow(t *testing.T) {
	for _, unit := range []string{"<ul><li>x", "<ol><li>x", "<blockquote>x", "<h1>x", "<pre>\n", "<table><tr><td>x", "<li>", "<p><b>x"} {
		page := strings.Repeat(unit, 400_000/len(unit))
		if got := Convert(page, ""); len(got.Markdown) > 10*len(page) {
			t.Errorf("%q: %d bytes give %d", unit, len(page), len(got.Markdown))
		}
	}
}
