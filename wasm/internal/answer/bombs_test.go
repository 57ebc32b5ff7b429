package answer

import (
	"strings"
	"testing"

	"embedded-agent/wasm/internal/costtest"
)

// bombs are texts that cost a careless reader the square of their length, or
// more.
var bombs = map[string]func(n int) string{
	"brackets":              func(n int) string { return strings.Repeat("[", n) },
	"brackets of images":    func(n int) string { return strings.Repeat("![", n/2) },
	"images in images":      func(n int) string { return strings.Repeat("![", n/12) + strings.Repeat("](https://a)", n/12) },
	"links in links":        func(n int) string { return strings.Repeat("[", n/6) + strings.Repeat("](b)", n/6) },
	"brackets before links": func(n int) string { return strings.Repeat("[", n/2) + strings.Repeat("[a](b)", n/12) },
	"open links":            func(n int) string { return strings.Repeat("[a](", n/4) },
	"open angles":           func(n int) string { return strings.Repeat("[a](<b", n/6) },
	"open titles":           func(n int) string { return strings.Repeat(`[a](b "`, n/7) },
	"wikilinks":             func(n int) string { return strings.Repeat("[[a]]", n/5) },
	"open wikilinks":        func(n int) string { return strings.Repeat("[[a", n/3) },
	"stars":                 func(n int) string { return strings.Repeat("*", n) },
	"openers":               func(n int) string { return strings.Repeat("*a ", n/3) },
	"openers and closers":   func(n int) string { return strings.Repeat("*a ", n/6) + strings.Repeat("a* ", n/6) },
	"mixed openers":         func(n int) string { return strings.Repeat("*a _b ~~c ==d ", n/14) },
	"emphasis":              func(n int) string { return strings.Repeat("*a* ", n/4) },
	"crossed emphasis":      func(n int) string { return strings.Repeat("*a **b*c** ", n/11) },
	"underscores":           func(n int) string { return strings.Repeat("_a__b", n/5) },
	"backticks": func(n int) string {
		var b strings.Builder
		for i := 1; b.Len() < n; i++ {
			b.WriteString("a" + strings.Repeat("`", i))
		}
		return b.String()
	},
	"single backticks":   func(n int) string { return strings.Repeat("` `` ", n/5) },
	"angles":             func(n int) string { return strings.Repeat("<a ", n/3) },
	"comments":           func(n int) string { return strings.Repeat("<!--", n/4) },
	"dollars":            func(n int) string { return strings.Repeat("$a ", n/3) },
	"percents":           func(n int) string { return strings.Repeat("%% a ", n/5) },
	"entities":           func(n int) string { return strings.Repeat("&#", n/2) },
	"addresses":          func(n int) string { return strings.Repeat("https://a.b/(", n/13) },
	"quotes":             func(n int) string { return strings.Repeat(">", n) },
	"deep lines":         func(n int) string { return strings.Repeat(strings.Repeat("> ", 12)+"a\n", n/26) },
	"lists on a line":    func(n int) string { return strings.Repeat("- ", n/2) },
	"lists":              func(n int) string { return strings.Repeat("- a\n", n/4) },
	"empty items":        func(n int) string { return strings.Repeat("-\n\n", n/3) },
	"numbered items":     func(n int) string { return strings.Repeat("1. a\n\n", n/6) },
	"tables":             func(n int) string { return "|a|\n|-|\n" + strings.Repeat("|b|\n", n/4) },
	"bars":               func(n int) string { return strings.Repeat("|", n/2) + "\n" + strings.Repeat("|-", n/4) },
	"heads of no tables": func(n int) string { return strings.Repeat("a|b\n--|--|--\n", n/13) },
	"headings":           func(n int) string { return strings.Repeat("# a\n", n/4) },
	"paragraphs":         func(n int) string { return strings.Repeat("a\n\n", n/3) },
	"one paragraph":      func(n int) string { return strings.Repeat("word ", n/5) },
	"lines":              func(n int) string { return strings.Repeat("a\n", n/2) },
	"fences":             func(n int) string { return strings.Repeat("```\n", n/4) },
	"definitions":        func(n int) string { return strings.Repeat("[a]: b\n", n/7) },
	"html":               func(n int) string { return strings.Repeat("<div>\n\n", n/7) },
	"marks":              func(n int) string { return strings.Repeat("a\u200b", n/4) },
	"combining marks":    func(n int) string { return "a" + strings.Repeat("\u0301", n/2) },
	"spaces":             func(n int) string { return "a" + strings.Repeat(" ", n) + "b" },
	"nested lists": func(n int) string {
		var b strings.Builder
		for i := 0; b.Len() < n; i = (i + 1) % 60 {
			b.WriteString(strings.Repeat("  ", i) + "- a\n")
		}
		return b.String()
	},
	"stairs": func(n int) string {
		var b strings.Builder
		for i := 0; b.Len() < n; i++ {
			b.WriteString(strings.Repeat(" ", i) + "- a\n")
		}
		return b.String()
	},
}

func TestABombIsBoundedAndCostsTimeByItsLength(t *testing.T) {
	const small = 16 << 10
	for name, bomb := range bombs {
		t.Run(name, func(t *testing.T) {
			nodes := draw(bomb(512 << 10))
			if n := check(t, nodes); n > 3*maxNodes {
				t.Errorf("%d nodes", n)
			}
			costtest.Linear(t, small, bomb, func(text string) { draw(text) })
		})
	}
}

func FuzzDraw(f *testing.F) {
	for _, w := range ways(f) {
		f.Add(w.Text)
	}
	for _, bomb := range bombs {
		f.Add(bomb(300))
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 1<<16 {
			return
		}
		nodes := draw(s)
		check(t, nodes)
		if !strings.Contains(s, "&") {
			if left := missing(strings.ToValidUTF8(s, ""), drawnText(nodes)); left != "" {
				t.Errorf("not drawn from %q on:\n%s", left, outline(nodes))
			}
		}
	})
}
