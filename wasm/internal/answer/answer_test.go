package answer

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/tools/txtar"
	"pgregory.net/rapid"

	"embedded-agent/wasm/internal/protocol"
)

var update = flag.Bool("update", false, "write golden files anew")

// public is a stand-in for the core's rule.
func public(host string) bool { return strings.HasSuffix(host, ".example") }

func draw(s string) []Node { return Draw(s, 0, public).Blocks }

// outline writes a tree for golden files: one node a line.
func outline(nodes []Node) string {
	var b strings.Builder
	var write func([]Node, string)
	write = func(nodes []Node, indent string) {
		for _, n := range nodes {
			b.WriteString(indent + string(n.Kind))
			kids := n.Kids
			n.Kind, n.Kids = "", nil
			rest, _ := json.Marshal(n)
			if s := strings.TrimPrefix(string(rest), `{"kind":"",`); s != string(rest) {
				b.WriteString(" {" + s)
			}
			b.WriteByte('\n')
			write(kids, indent+"  ")
		}
	}
	write(nodes, "")
	return b.String()
}

func TestMarkdownBecomesATreeAsTheGoldenFilesSay(t *testing.T) {
	files, err := filepath.Glob("testdata/trees/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no golden files", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			a := txtar.Parse(raw)
			in, want := string(a.Files[0].Data), ""
			if len(a.Files) > 1 {
				want = string(a.Files[1].Data)
			}
			got := outline(draw(in))
			if *update {
				a.Files = append(a.Files[:1], txtar.File{Name: "tree", Data: []byte(got)})
				if err := os.WriteFile(file, txtar.Format(a), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			if got != want {
				t.Errorf("drawn as\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestThePanelsPageShowsATreeThatTheCoreMakes(t *testing.T) {
	raw, err := os.ReadFile("testdata/trees/answer.txtar")
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.MarshalIndent(draw(string(txtar.Parse(raw).Files[0].Data)), "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		err := os.WriteFile("testdata/answer.json", append(got, '\n'), 0o600)
		if err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/answer.json")
	if err != nil || string(want) != string(got)+"\n" {
		t.Errorf("testdata/answer.json, which the panel's tests draw, is another tree: go test -update (%v)", err)
	}
}

// kinds is the closed set.
var kinds = strings.Fields(`paragraph tight heading list item quote callout title code math source plain rule table row cell
	text mark emphasis strong strike highlight verbatim formula unseen break link note image`)

// check walks a tree: no kind outside of the set, no depth that JSON is not read
// at, no address that may not be followed. It gives how many nodes there are.
func check(t interface{ Errorf(string, ...any) }, nodes []Node) int {
	count := 0
	var walk func(n Node, depth int)
	walk = func(n Node, depth int) {
		count++
		if !slices.Contains(kinds, string(n.Kind)) {
			t.Errorf("the kind %q is none of the set", n.Kind)
		}
		if depth > 62 {
			t.Errorf("nested %d deep", depth)
		}
		switch n.Kind {
		case "link":
			host, ok := web(n.To)
			if !ok && !strings.HasPrefix(n.To, "obsidian://") {
				t.Errorf("a link leads to %q", n.To)
			}
			if says := wordsOf(n.Kids); says != n.To && !strings.Contains(n.Where+says, host) {
				t.Errorf("a link to %q says %q and %q", n.To, says, n.Where)
			}
			if !ok && !n.Ask {
				t.Errorf("a link to %q does not ask", n.To)
			}
		case "note":
			if strings.ContainsAny(n.To, ":\\\n") || strings.HasPrefix(n.To, "/") {
				t.Errorf("a note's link leads to %q", n.To)
			}
		case "image":
			if host, ok := web(n.To); n.Load && (!ok || !public(host)) {
				t.Errorf("an image may be loaded from %q", n.To)
			}
		default:
			if n.To != "" || n.Load {
				t.Errorf("a node %q has an address", n.Kind)
			}
		}
		for _, k := range n.Kids {
			walk(k, depth+1)
		}
	}
	for _, n := range nodes {
		walk(n, 1)
	}
	return count
}

// drawnText is all that a tree draws, in the order of the source.
func drawnText(nodes []Node) string {
	var b strings.Builder
	var walk func(Node)
	walk = func(n Node) {
		if n.Kind == "note" && n.Where != "" {
			b.WriteString(n.To)
		}
		b.WriteString(n.Info)
		if len(n.Kids) == 0 || n.Kind == "callout" || n.Kind == "item" {
			b.WriteString(n.Text + n.Task)
		}
		for _, k := range n.Kids {
			walk(k)
		}
		if n.Kind == "note" && n.Where != "" {
			b.WriteString(n.To)
		}
		if n.Kind == "link" || n.Kind == "image" {
			b.WriteString(n.To)
		}
	}
	for _, n := range nodes {
		walk(n)
	}
	return b.String()
}

// missing gives the first letters of a source that a drawing leaves out. Signs
// may be marks of Markdown, and "&" may begin an entity: letters and digits of
// everything else have to be there, in their order.
func missing(source, drawn string) string {
	keep := func(s string) []rune {
		return slices.DeleteFunc([]rune(s), func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) })
	}
	want, got := keep(source), keep(drawn)
	for i, c := range want {
		at := slices.Index(got, c)
		if at < 0 {
			return string(want[i:min(len(want), i+20)])
		}
		got = got[at+1:]
	}
	return ""
}

type way struct{ Name, Text string }

func ways(t testing.TB) []way {
	raw, err := os.ReadFile("testdata/ways.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []way
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	if len(all) < 40 {
		t.Fatalf("only %d ways", len(all))
	}
	for i := range all {
		all[i].Text = strings.NewReplacer("{url}", "http://collect.example/p.png?d=canary", "{bare}", "collect.example", "{svg}", "PHN2Zz48").Replace(all[i].Text)
	}
	return all
}

func TestAHostileAnswerBecomesTextAndLinksThatSayWhereTheyLead(t *testing.T) {
	all := ways(t)
	if len(all) < 60 {
		t.Fatalf("%d ways are too few", len(all))
	}
	for _, w := range all {
		t.Run(w.Name, func(t *testing.T) {
			nodes := draw(w.Text)
			check(t, nodes)
			if !strings.Contains(w.Text, "&") {
				if left := missing(w.Text, drawnText(nodes)); left != "" {
					t.Errorf("not drawn from %q on:\n%s", left, outline(nodes))
				}
			}
		})
	}
}

func TestAnAddressIsFollowedOnlyWhereEveryReaderSeesTheSameHost(t *testing.T) {
	for to, want := range map[string]string{
		"https://a.example":                            "link a.example",
		"HTTPS://A.Example/x":                          "link a.example",
		"http://a.example:8080/x#y":                    "link a.example:8080",
		"https://a.example/wiki/Köln":                  "link a.example",
		"http://localhost:3000":                        "link localhost:3000",
		"http://192.168.1.1/x":                         "link 192.168.1.1",
		"https://a.example/x?d=secret":                 "link a.example asks",
		"https://a.example/" + strings.Repeat("x", 60): "link a.example asks",
		"obsidian://advanced-uri?commandid=x":          "link obsidian://advanced-uri asks",
		"obsidian://embedded-agent?run=x":              "link obsidian://embedded-agent asks",
		"Notes/A%20b.md":                               "note Notes/A b.md",
		"./a.md#Heading":                               "note a.md#Heading",
		"javascript:alert(1)":                          "",
		"JaVaScRiPt:alert(1)":                          "",
		"java\tscript:alert(1)":                        "",
		"\u0001javascript:alert(1)":                    "",
		"vbscript:x":                                   "",
		"data:text/html,x":                             "",
		"file:///etc/passwd":                           "",
		"app://local/x":                                "",
		"blob:https://a.example/x":                     "",
		"view-source:https://a.example":                "",
		"ms-settings:x":                                "",
		"mailto:a@b.example":                           "",
		"//a.example/x":                                "",
		"\\\\a.example\\x":                             "",
		"/etc/passwd":                                  "",
		"https:a.example":                              "",
		"https:///a.example":                           "",
		"https://user@a.example":                       "",
		"https://user:pass@a.example":                  "",
		"https://github.com\\@a.example":               "",
		"https://a.example\\x":                         "",
		"https://a.example:x":                          "",
		"https://a.example:":                           "",
		"https://а.example":                            "", // Cyrillic
		"https://a。example":                            "",
		"https://a%2eexample":                          "",
		"https://[::1]/x":                              "",
		"http://2130706433/":                           "",
		"http://0x7f.1/":                               "",
		"http://0x7f000001/":                           "",
		"http://127.1/":                                "",
		"http://0177.0.0.1/":                           "",
		"https://a.example/\u202egpj.exe":              "",
		"https://a.example/\u200b":                     "",
		"https://a.example/a b":                        "",
		"https://a.example/\"onclick=x":                "",
		"obsidian://":                                  "",
		"obsidian://x\ny":                              "",
		"a%00b.md":                                     "",
		"a%0ab.md":                                     "",
		"%6aavascript%3aalert(1)":                      "",
		"..%5c..%5cx":                                  "",
		"#heading":                                     "",
		"":                                             "",
	} {
		n, ok := (&reader{public: public}).follow(to)
		got := ""
		if ok {
			got = string(n.Kind) + " " + n.Where
			if n.Ask {
				got += " asks"
			}
		}
		if got != want {
			t.Errorf("%q is %q, want %q", to, got, want)
		}
	}
}

func TestALinkWhoseWordsNameAnotherAddressAsks(t *testing.T) {
	for words, asks := range map[string]bool{
		"the docs": false, "b.example": true, "https://b.example": true, "a.example": false, "https://a.example/x": false, "www.bank.example/login": true,
	} {
		n := draw("[" + words + "](https://a.example/x)")[0].Kids[0]
		if n.Kind != "link" || n.Ask != asks {
			t.Errorf("[%s] is %+v, asks should be %v", words, n, asks)
		}
	}
}

func TestWhatARenderingHidesIsDrawn(t *testing.T) {
	for _, s := range []string{
		"a <!-- canary --> b", "<!-- canary -->", "<!-- canary", "a %%canary%% b", "%%\ncanary\n\nb\n%%\n", "%%canary", "a %%canary\nb",
		"<span style=\"display:none\">canary</span>", "<div hidden>\ncanary\n</div>", "[//]: # (canary)", "[a]: http://x.example 'canary'",
		"[^1]: canary", "[a](b.md \"canary\")", "![canary](https://a.example/x)", "| a |\n|---|\n| b | canary |", "text ^canary",
		"```js canary\n```", "> [!canary] x", "&canary; b", "<?canary ?>", "<![CDATA[canary]]>", "<!DOCTYPE canary>", "$canary$", "$$\ncanary\n$$",
		"[[a|canary]]", "[[canary|a]]", "![[canary]]", "<canary@b.example>", "---\ntitle: canary\n---\n", "1. a\n\n   canary", "- [c] canary",
	} {
		if got := drawnText(draw(s)); !strings.Contains(got, "canary") {
			t.Errorf("%q is drawn as %q:\n%s", s, got, outline(draw(s)))
		}
	}
}

func TestCharactersThatNobodySeesAreMarks(t *testing.T) {
	for _, s := range []string{
		"a\u202eb", "`a\u202eb`", "```\na\u200bb\n```", "# a\u2066b", "[a\u200b](b.md)", "![a\u200b](https://a.example/x)", "<b\u200b>", "%%a\u200b%%",
		"| a\u200b |\n|---|", "- [ ] a\u200b", "[[a|b\u200b]]", "$a\u200b$", "a &#8203; b", "a &#x202e; b", "\x00", "\x1b[31m", "> [!note] \u200b",
	} {
		found := false
		var walk func([]Node)
		walk = func(nodes []Node) {
			for _, n := range nodes {
				found = found || n.Kind == "mark"
				walk(n.Kids)
			}
		}
		walk(draw(s))
		if !found {
			t.Errorf("%q has no mark:\n%s", s, outline(draw(s)))
		}
	}
	for _, s := range []string{"👩‍👩‍👧 ❤️", "می\u200cخواهم", "tab\there"} {
		if n := draw(s)[0].Kids; len(n) != 1 || n[0].Text != s {
			t.Errorf("%q is drawn as %+v", s, n)
		}
	}
}

// pieces of text that make trouble together.
var pieces = rapid.SampledFrom([]string{
	"\n", "\n\n", "  ", "\t", "a", "word", "- ", "1. ", "7) ", "> ", "# ", "```", "~~~", "%%", "$$", "$", "*", "**", "_", "~~", "==", "`", "[", "]", "(", ")",
	"![", "[[", "]]", "|", "\n|---|---|\n", "---", "===", "<", ">", "<!--", "-->", "<div>", "</div>", "<b", "\\", "!", "[!note] ", "[x] ", "https://a.example/x",
	"obsidian://open", "](https://a.example)", "](a.md)", "](<a b>)", "\"t\"", "é", "👩‍👧", "\u202e", "\u200b", "\r\n", "^id", "#tag", "    ",
})

func TestNoTextIsLeftOutOfATree(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := strings.Join(rapid.SliceOfN(pieces, 0, 60).Draw(rt, "pieces"), "")
		nodes := draw(s)
		check(rt, nodes)
		if left := missing(strings.ToValidUTF8(s, ""), drawnText(nodes)); left != "" {
			rt.Fatalf("%q: not drawn from %q on:\n%s", s, left, outline(nodes))
		}
	})
}

// grown draws a text as the panel does while it arrives in two parts.
func grown(first, whole string) []Node {
	one := Draw(first, 0, public)
	units := []rune(whole)
	at := 0
	for at < len(units) && utf16Len([]byte(string(units[:at]))) < one.At {
		at++
	}
	rest := Draw(string(units[at:]), one.Drawn, public)
	return append(slices.Clone(one.Blocks[:one.Ready]), rest.Blocks...)
}

func TestAnAnswerDrawnAsItGrowsIsDrawnAsItIsAtOnce(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		all := rapid.SliceOfN(pieces, 0, 50).Draw(rt, "pieces")
		n := rapid.IntRange(0, len(all)).Draw(rt, "arrived")
		first, whole := strings.Join(all[:n], ""), strings.Join(all, "")
		if got, want := outline(grown(first, whole)), outline(draw(whole)); got != want {
			rt.Fatalf("%q, then %q: drawn as\n%s\nwant\n%s", first, whole[len(first):], got, want)
		}
	})
}

var _ = protocol.ReplyTree{}

func TestAnAnswerThatGrowsIsReadFromItsLastBlockOn(t *testing.T) {
	var text strings.Builder
	read, at, nodes, blocks := 0, 0, 0, 0
	for range 2000 {
		text.WriteString("A **paragraph** with [a link](https://a.example/b).\n\n- one\n- two\n\n")
		rest := text.String()[at:]
		read += len(rest)
		tree := Draw(rest, nodes, public)
		at, nodes, blocks = at+tree.At, tree.Drawn, blocks+tree.Ready
	}
	if read > 4*text.Len() {
		t.Errorf("%d bytes were read for an answer of %d", read, text.Len())
	}
	if blocks < 3990 || nodes == 0 || nodes > maxNodes {
		t.Errorf("%d blocks of %d nodes are settled", blocks, nodes)
	}
}

func TestPastItsLimitAnAnswerIsDrawnAsItWasWritten(t *testing.T) {
	tree := Draw("**a**\n\nb", maxNodes, public)
	if len(tree.Blocks) != 1 || tree.Blocks[0].Kind != "plain" || tree.Blocks[0].Text != "**a**\n\nb" {
		t.Errorf("drawn as %+v", tree.Blocks)
	}
	for _, s := range []string{strings.Repeat("a\n\n", 2*maxNodes) + "canary", strings.Repeat("- a\n", 2*maxNodes) + "- canary", "> " + strings.Repeat("*a* ", 2*maxNodes) + "canary"} {
		if got := drawnText(draw(s)); !strings.HasSuffix(strings.TrimSpace(got), "canary") {
			t.Errorf("%d bytes end in %q", len(s), got[max(0, len(got)-40):])
		}
	}
}
