package notepage_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"embedded-agent/wasm/internal/costtest"
	"embedded-agent/wasm/internal/notepage"
)

// allowed are the attributes that a page has, by their elements; "" is any.
var allowed = map[string][]string{
	"": {"id", "class"}, "html": {"lang"}, "meta": {"charset", "http-equiv", "content", "name"}, "a": {"href", "rel"},
	"img": {"src", "alt", "width", "height"}, "input": {"type", "disabled", "checked"}, "li": {"value"}, "td": {"style"}, "th": {"style"},
}

// harmless fails where a page could run or load something, or sends its reader
// elsewhere than to an address of the web or of mail. It reads the page as a
// browser does.
func harmless(t testing.TB, page []byte) {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(string(page)))
	if err != nil {
		t.Fatal(err)
	}
	metas, styles := 0, 0
	for n := range doc.Descendants() {
		if n.Type == html.CommentNode {
			t.Errorf("a comment: %q", n.Data)
		}
		if n.Type != html.ElementNode {
			continue
		}
		switch n.Data {
		case "meta":
			metas++
		case "style":
			styles++
		case "script", "iframe", "object", "embed", "link", "base", "form", "button", "svg", "math", "video", "audio", "source", "template", "frame", "portal":
			t.Errorf("an element <%s>", n.Data)
		}
		for _, a := range n.Attr {
			if !slices.Contains(allowed[""], a.Key) && !slices.Contains(allowed[n.Data], a.Key) {
				t.Errorf("<%s> has the attribute %s=%q", n.Data, a.Key, a.Val)
			}
			low := strings.ToLower(strings.TrimSpace(a.Val))
			switch a.Key {
			case "href":
				if !strings.HasPrefix(low, "#") && !strings.HasPrefix(low, "http://") && !strings.HasPrefix(low, "https://") && !strings.HasPrefix(low, "mailto:") {
					t.Errorf("a link to %q", a.Val)
				}
			case "src":
				if !strings.HasPrefix(low, "data:image/") {
					t.Errorf("a picture from %q", a.Val)
				}
			case "style":
				if !slices.Contains([]string{"text-align: left", "text-align: center", "text-align: right"}, a.Val) {
					t.Errorf("the style %q", a.Val)
				}
			}
		}
	}
	if metas != 3 || styles != 1 {
		t.Errorf("%d metas and %d styles, want the page's own 3 and 1", metas, styles)
	}
}

// bombs are notes that cost a careless writer more than their length.
var bombs = map[string]func(n int) string{
	"brackets":          func(n int) string { return strings.Repeat("[", n) },
	"brackets in pairs": func(n int) string { return strings.Repeat("[", n/2) + strings.Repeat("]", n/2) },
	"open links":        func(n int) string { return strings.Repeat("[a](", n/4) },
	"openers":           func(n int) string { return strings.Repeat("**a_ ", n/5) },
	"references":        func(n int) string { return strings.Repeat("[a][b] ", n/7) },
	"definitions":       func(n int) string { return strings.Repeat("[a]: b\n", n/7) },
	"used definitions":  func(n int) string { return "[b]: https://a.example\n\n" + strings.Repeat("[a][b] ", n/7) },
	"footnotes":         func(n int) string { return strings.Repeat("[^1]", n/4) + "\n\n[^1]: x\n" },
	"footnote texts":    func(n int) string { return strings.Repeat("[^1]: x\n", n/8) },
	"carets":            func(n int) string { return strings.Repeat("^[", n/2) },
	"carets, closed":    func(n int) string { return strings.Repeat("^[a] ", n/5) },
	"block ids":         func(n int) string { return strings.Repeat("a ^b ", n/5) },
	"tags of HTML":      func(n int) string { return strings.Repeat("<b>x", n/4) },
	"tags, closed":      func(n int) string { return strings.Repeat("<b>", n/7) + strings.Repeat("</b>", n/7) },
	"blocks of HTML":    func(n int) string { return strings.Repeat("<div><div>\n\n", n/12) },
	"one block of HTML": func(n int) string { return strings.Repeat("<div>", n/5) + strings.Repeat("</div>", n/6) },
	"wikilinks":         func(n int) string { return strings.Repeat("[[a]]", n/5) },
	"own links":         func(n int) string { return strings.Repeat("[[#a]]", n/6) },
	"embeds":            func(n int) string { return strings.Repeat("![[gone]]", n/9) },
	"quotes":            func(n int) string { return strings.Repeat("> a\n", n/4) },
	"lists":             func(n int) string { return strings.Repeat("- a\n\n", n/5) },
	"tables":            func(n int) string { return "|a|\n|-|\n" + strings.Repeat("|b|\n", n/4) },
	"headings":          func(n int) string { return strings.Repeat("# a\n", n/4) },
	"comments":          func(n int) string { return strings.Repeat("%% a ", n/5) },
}

func TestAPageCostsTimeByTheLengthOfItsNotes(t *testing.T) {
	const small = 8 << 10
	for name, write := range map[string]func(notepage.Source, []string, notepage.Options) ([]byte, error){"page": notepage.Write, "note": notepage.Markdown} {
		for bomb, text := range bombs {
			took := func(n int) time.Duration {
				from := newFolder(map[string]string{"A.md": text(n)})
				return costtest.Fastest(func() { _, _ = write(from, []string{"A.md"}, notepage.Options{}) })
			}
			one, eight := took(small), took(8*small)
			t.Logf("%s of %s: %v for 64 kB", name, bomb, eight)
			if eight > 32*one && eight > 200*time.Millisecond {
				t.Errorf("%s of %s: eight times the text took %v, where once took %v", name, bomb, eight, one)
			}
		}
	}
}

func FuzzANoteIsHarmlessInAPage(f *testing.F) {
	for _, bomb := range bombs {
		f.Add(bomb(200), "b")
	}
	for _, s := range []string{
		"<scr<script>ipt>x</script>", "<svg/onload=x>", "<a href=javascript:x>", "[x](javascript&colon;x)", "![x](data:text/html,y)",
		"<!--><script>x</script>-->", "<![CDATA[<script>x</script>]]>", "<style></style><script>x</script>", "`</code><script>x</script>`",
		"[[A\"><script>x</script>]]", "![[pic.png|\" onerror=x]]", "```\"><script>\nx\n```", "|a|\n|:-:|\n|<td onclick=x>|", "<title><script>x</script>",
		"<plaintext>", "<noscript><p title=\"</noscript><img src=x onerror=x>\">", "<math><mtext></form><form><mglyph><style></math><img src onerror=x>",
		"[^1]\n\n[^1]: <script>x</script>\n", "# h\" onclick=x\n[[#h\" onclick=x]]", "![[B]]", "> [!a\"onclick=x] b", "x ^a\n\n![[A#^a]]", "<details open ontoggle=x>",
		"<table><tr><td><table><select><script>x", "<textarea></section></body><script>", "[a]: javascript:x\n\n[a] [b][a] ![c][a]",
	} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		if len(a)+len(b) > 1<<15 {
			return
		}
		files := map[string]string{"A.md": a, "B.md": b, "pic.png": "x"}
		page, err := notepage.Write(newFolder(files), []string{"A.md", "B.md"}, notepage.Options{Title: a, Language: b, Properties: true})
		if err != nil {
			t.Fatal(err)
		}
		harmless(t, page)
		if _, err := notepage.Markdown(newFolder(files), []string{"A.md", "B.md"}, notepage.Options{Path: "C.md"}); err != nil {
			t.Fatal(err)
		}
	})
}
