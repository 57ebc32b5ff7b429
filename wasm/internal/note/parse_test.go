package note

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// linksOf writes links as "path#sub|alias" with marks for their kinds.
func linksOf(text string) []string {
	out := []string{}
	for _, l := range Parse([]byte(text)).Links {
		s := l.Path + l.Subpath
		if l.Alias != "" {
			s += "|" + l.Alias
		}
		if l.Embed {
			s = "!" + s
		}
		out = append(out, [...]string{"wiki ", "md ", "def "}[l.Kind]+s+map[bool]string{true: " (external)"}[l.External])
	}
	return out
}

func TestLinksAreFoundWhereTheAppFindsThem(t *testing.T) {
	for text, want := range map[string][]string{
		"[[Note]]":                               {"wiki Note"},
		"![[pic.png|100]]":                       {"wiki !pic.png|100"},
		"[[Note#Head|alias]] [[#Own]]":           {"wiki Note#Head|alias", "wiki #Own"},
		"[[a|b [[c]]":                            {"wiki c"},
		"| [[a\\|b]] |":                          {"wiki a|b"},
		"[t](a%20b.md#H%201 \"title\")":          {"md a b.md#H 1|t"},
		"[t](<a b.md>) [](x.md)":                 {"md a b.md|t", "md x.md"},
		"![alt](p/i.png)":                        {"md !p/i.png|alt"},
		"[![i](a.png)](b.md)":                    {"md !a.png|i", "md b.md|![i](a.png)"},
		"[t](https://x.org/[[a]]) [m](mailto:x)": {"md https://x.org/[[a]]|t (external)", "md mailto:x|m (external)"},
		"[p](a_(b).md) [q](a(b.md)":              {"md a_(b).md|p"},
		"[r]: ../x.md\n\ntext [r]":               {"def ../x.md"},
		"[^1]: note":                             {},
		"`[[code]]` ``a ` [[b]]`` [[c]]":         {"wiki c"},
		"```\n[[a]]\n```\n[[b]]":                 {"wiki b"},
		"~~~md\n[[a]]\n```\n~~~\n[[b]]":          {"wiki b"},
		"- a\n  ```\n  [[x]]\n  ```\n- [[y]]":    {"wiki y"},
		"- a\n  ```\n  [[x]]\n- [[y]]":           {"wiki y"},
		"> ```\n> [[x]]\n\n[[y]]":                {"wiki y"},
		"    [[indented code]]\n\n[[y]]":         {"wiki y"},
		"- a\n\n    [[in an item]]":              {"wiki in an item"},
		"%%[[a]]%% [[b]]":                        {"wiki b"},
		"%%\n[[a]]\n\n[[b]]\n%%\n[[c]]":          {"wiki c"},
		"x %% y\n# [[h]]\n%% [[z]]":              {"wiki z"},
		"<!-- [[a]]\n\n[[b]] --> [[c]]":          {"wiki c"},
		"$[[a]]$ costs $5 and [[b]] $6":          {"wiki b"},
		"$$\n[[a]]\n$$\n[[b]] $$ [[c]]":          {"wiki b", "wiki c"},
		"\\[[a]] \\[b](c)":                       {},
		"[[a]]]":                                 {"wiki a"},
		"[[]] [[ ]]":                             {"wiki "},
		"[[a\nb]]":                               {},
		"# Head [[a]]\n== [[b]] ==":              {"wiki a", "wiki b"},
		"- [ ] [[t]]\n- [x](y.md)":               {"wiki t", "md y.md|x"},
		"---\nup: \"[[A|b]]\"\nl: ['[[It''s]]']\n# [[c]]\nn: [[no]]\nt: see [[D]]\n---\n[[e]]": {"wiki A|b", "wiki It's", "wiki D", "wiki e"},
		"<a href=\"[[x]]\">[[y]]</a>":     {"wiki x", "wiki y"},
		"<https://x.org/a_[b](c)>":        {"md c|b"},
		"[[a]]\r\n[[b]]\r\n":              {"wiki a", "wiki b"},
		"$$ unclosed [[a]]\n\n[[b]]":      {"wiki a", "wiki b"},
		"text ``` not a fence [[a]]\n```": {"wiki a"},
	} {
		if d := cmp.Diff(want, linksOf(text)); d != "" {
			t.Errorf("%q (-want +got):\n%s", text, d)
		}
	}
}

func TestTagsFollowTheAppsRules(t *testing.T) {
	for text, want := range map[string]string{
		"#a #b/c #d-e_f":                "a b/c d-e_f",
		"#123 #1a #y2026":               "1a y2026",
		"x#no (#no) [#no](x) [[#no]]":   "",
		"#größe #标签 #🌱idea":             "größe 标签 🌱idea",
		"#a, #b. #c! #d' #e’s":          "a b c d e",
		"# heading #tag":                "tag",
		"`#code` %%#c%% $#m$":           "",
		"https://x.org/#frag #ok":       "ok",
		"line\n#start\n- #item\n> #q":   "start item q",
		"\\#no ##no #":                  "",
		"| #cell | #two |":              "cell two",
		"#tag\u2003wide #a\u200db #x-y": "tag a\u200db x-y",
	} {
		var got []string
		for _, g := range Parse([]byte(text)).Tags {
			got = append(got, g.Name)
			if string(g.Of([]byte(text))) != "#"+g.Name {
				t.Errorf("%q: the span of %s is %q", text, g.Name, g.Of([]byte(text)))
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: got %q, want %q", text, strings.Join(got, " "), want)
		}
	}
}

func TestHeadingsAndSections(t *testing.T) {
	text := "intro\n# One #\ntext\n## Two\n\n```\n# no\n```\nSetext\n===\n### *Three* ^id\n#no\n####### seven\n- # In a list\n"
	d := Parse([]byte(text))
	var got []string
	for i, h := range d.Headings {
		got = append(got, fmt.Sprintf("%d %s [%d]", h.Level, h.Text, d.Line(d.Section(i).End-1)))
	}
	want := []string{"1 One [7]", "2 Two [7]", "1 Setext [12]", "3 *Three* ^id [12]", "1 In a list [13]"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if d.HeadingNamed("three^id") >= 0 || d.HeadingNamed("TWO") != 1 {
		t.Error("a heading is not found by its name")
	}
}

func TestItemsHaveTheirExtentAndParents(t *testing.T) {
	text := "- a\n  more\n  - [ ] b\n    - [x] c\n\n    par\n- d\n\ntext\n1. e\n\t- f\n> - q\n>   r\n"
	d := Parse([]byte(text))
	var got []string
	for _, it := range d.Items {
		got = append(got, fmt.Sprintf("%s/%d/%d/%s %q", it.Text.Of(d.Data), it.Parent, it.Depth, it.State.Of(d.Data), it.Of(d.Data)))
	}
	want := []string{
		`a/-1/0/ "- a\n  more\n  - [ ] b\n    - [x] c\n\n    par"`,
		`b/0/1/  "  - [ ] b\n    - [x] c\n\n    par"`,
		`c/1/2/x "    - [x] c"`,
		`d/-1/0/ "- d"`,
		`e/-1/0/ "1. e\n\t- f"`,
		`f/4/1/ "\t- f"`,
		`q/-1/0/ "> - q\n>   r"`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestBlockIDsStandAtTheEndOfALine(t *testing.T) {
	var got []string
	for _, b := range Parse([]byte("a ^one\n- b ^two  \n^three\nx^no ^no no\n`^no`\n^end")).Blocks {
		got = append(got, b.ID)
	}
	if d := cmp.Diff([]string{"one", "two", "three", "end"}, got); d != "" {
		t.Error(d)
	}
}

func TestResolveChoosesAsTheAppDoes(t *testing.T) {
	ix := NewIndex([]string{"Note.md", "a/Note.md", "a/b/Note.md", "a/b/Other.md", "z/Other.md", "pic.png", "a/pic.png", "v1.2.md", "Board.canvas"})
	for _, c := range []struct{ link, from, want string }{
		{"Note", "x.md", "Note.md"},
		{"note", "a/x.md", "Note.md"}, // an exact path wins over a nearer file
		{"b/Note", "x.md", "a/b/Note.md"},
		{"a/Note", "x.md", "a/Note.md"},
		{"/Note", "a/x.md", "Note.md"},
		{"/b/Note", "a/x.md", ""},
		{"Other", "x.md", "z/Other.md"},
		{"Other", "a/x.md", "a/b/Other.md"},
		{"./Note", "a/x.md", "a/Note.md"},
		{"../Note", "a/b/x.md", "a/Note.md"},
		{"../../../Note", "a/b/x.md", "Note.md"},
		{"Note.md", "a/b/x.md", "Note.md"},
		{"pic.png", "a/x.md", "pic.png"},
		{"v1.2", "x.md", "v1.2.md"},
		{"Board", "x.md", ""},
		{"Board.canvas", "x.md", "Board.canvas"},
		{"", "a/x.md", "a/x.md"},
		{"none", "x.md", ""}, {"/", "x.md", ""}, {"..", "x.md", ""},
	} {
		if got := Resolve(ix, c.link, c.from); got != c.want {
			t.Errorf("%q from %s leads to %q, want %q", c.link, c.from, got, c.want)
		}
	}
}

func TestMadeLinksLeadToTheirTarget(t *testing.T) {
	paths := []string{"Note.md", "a/Note.md", "a/b/100% (draft).md", "a/It's [x].md", "img/p i c.png", "c/unb(alanced.md", "q%20r.md"}
	ix := NewIndex(paths)
	for _, f := range []Format{Shortest, Relative, Absolute} {
		for _, markdown := range []bool{false, true} {
			for _, target := range paths {
				for _, source := range []string{"x.md", "a/y.md", "a/b/z.md", "other/w.md"} {
					if strings.ContainsAny(target, "[]") && !markdown {
						continue // no wikilink can hold brackets
					}
					link := MakeLink(ix, target, source, "#Head", "shown", f, markdown)
					ls := Parse([]byte(link)).Links
					if len(ls) != 1 {
						t.Errorf("%s holds %d links", link, len(ls))
						continue
					}
					if got := Resolve(ix, ls[0].Path, source); got != target || ls[0].Subpath != "#Head" {
						t.Errorf("%s in %s leads to %q%s, want %s", link, source, got, ls[0].Subpath, target)
					}
				}
			}
		}
	}
}

// Hostile texts for everything that must be linear.
func hostile(n int) map[string]string {
	out := map[string]string{}
	for _, unit := range []string{
		"[[", "]]", "[", "](", "[a](", "`", "``` `", "$a ", "$$", "%%", "<!--", "<a", "#", "# ", "^", "\\", "> ", "- ", "  ", "*", "[[a|", "]:", "[x]: ",
		"- a\n", "> > ", "\n\n    ", "```\n", "~~~\n", "| ", "!", "![[", "\t", "1. ", "a\n===\n", "---\n", "``", "`a``b```",
	} {
		out[unit] = strings.Repeat(unit, n/len(unit))
	}
	out["front"] = "---\n" + strings.Repeat("k: [[a \"[[\n", n/11) + "---\n"
	out["items"] = nested(n)
	return out
}

func nested(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		b.WriteString(strings.Repeat("  ", i%60) + "- x\n")
	}
	return b.String()
}

func TestParseIsLinearOnHostileTexts(t *testing.T) {
	small, large := hostile(20_000), hostile(200_000)
	for unit := range small {
		took := func(s string) time.Duration {
			best := time.Hour
			for range 3 {
				start := time.Now()
				Parse([]byte(s))
				best = min(best, time.Since(start))
			}
			return best
		}
		a, b := took(small[unit]), took(large[unit])
		if b > 40*a && b > 200*time.Millisecond {
			t.Errorf("%q: %v for 20 kB, %v for 200 kB", unit, a, b)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range hostile(60) {
		f.Add([]byte(s))
	}
	f.Add([]byte("---\na: \"[[x]]\"\n---\n# H\n- [ ] t #tag [[a|b]] ^id\n```\ncode\n```\n[t](<x> \"y\")\r\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		d := Parse(data)
		in := func(what string, s Span) {
			if s.Start < 0 || s.End > len(data) || s.Start > s.End {
				t.Fatalf("%s at %v of %d bytes", what, s, len(data))
			}
		}
		last := -1
		for _, l := range d.Links {
			in("link", l.Span)
			in("target", l.Target)
			in("alias", l.AliasAt)
			if l.Start < last && l.Kind == Wiki {
				t.Fatalf("wikilink at %v before %d", l.Span, last)
			}
			if l.Kind == Wiki {
				last = l.End
			}
		}
		for _, h := range d.Headings {
			in("heading", h.Span)
			in("heading text", h.TextSpan)
		}
		for i := range d.Headings {
			in("section", d.Section(i))
		}
		for _, it := range d.Items {
			in("item", it.Span)
			in("item text", it.Text)
			if it.Parent >= 0 && d.Items[it.Parent].End < it.End {
				t.Fatalf("item %v outside its parent %v", it.Span, d.Items[it.Parent].Span)
			}
		}
		if !slices.IsSortedFunc(d.Opaque, func(a, b Span) int { return a.End - b.Start }) {
			t.Fatalf("opaque spans overlap: %v", d.Opaque)
		}
		for _, g := range d.Tags {
			if !bytes.Equal(g.Of(data), []byte("#"+g.Name)) {
				t.Fatalf("tag %q at %q", g.Name, g.Of(data))
			}
		}
	})
}

func FuzzBullets(f *testing.F) {
	f.Add([]byte("- a\n  - b\n\n    ```\n    x\n    ```\n1. c\n> - d\r\n"))
	f.Add([]byte("    - a\n- \n-\n* * *\n+ [x] t"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var walk func(bs []*Bullet, level int)
		walk = func(bs []*Bullet, level int) {
			for _, b := range bs {
				if b.Level != level || strings.ContainsAny(b.Title, "\n\r") {
					t.Fatalf("bullet %+v at level %d", b, level)
				}
				walk(b.Children, level+1)
			}
		}
		walk(Bullets(data), 0)
	})
}

func FuzzFrontEdit(f *testing.F) {
	f.Add([]byte("---\nk: v # c\nl:\n  - a\n---\nb"), "k", "new: x")
	f.Add([]byte("\ufeff---\r\nk: [a, 'b']\r\n---\r\nb"), "l", "[[x]]")
	f.Add([]byte("body"), "a b", "")
	f.Fuzz(func(t *testing.T, data []byte, key, value string) {
		if !validKey(key) {
			return
		}
		body := ParseFront(data).Body.Of(data)
		out, err := SetProperty(data, key, value)
		if err != nil {
			return // left alone
		}
		if !bytes.HasSuffix(out, body) {
			t.Fatalf("the body of %q changed in %q", data, out)
		}
		back, err := RemoveProperty(out, key)
		if err != nil {
			t.Fatalf("%q cannot be removed from %q: %v", key, out, err)
		}
		if _, had := mustValues(t, data)[key]; !had && !ParseFront(data).FrontBody.Empty() && !bytes.Equal(back, data) && len(mustValues(t, data)) > 0 {
			t.Fatalf("adding and removing %q makes %q of %q", key, back, data)
		}
	})
}

func mustValues(t *testing.T, data []byte) map[string]any {
	t.Helper()
	v, err := ParseFront(data).Values()
	if err != nil {
		t.Fatalf("%q: %v", data, err)
	}
	return v
}

func validKey(key string) bool { return plainSafe(key) && !strings.ContainsAny(key, ":?\r\n\t") }

func FuzzRewriteLinks(f *testing.F) {
	f.Add([]byte("[[Old]] ![[Old#H|x]] [t](a/Old.md) `[[Old]]`"))
	f.Add([]byte("---\nup: '[[Old]]'\n---\n[r]: <a/Old.md> 'title'\n\\[[Old]] %%[[Old]]%%"))
	f.Fuzz(func(t *testing.T, data []byte) {
		ix := NewIndex([]string{"a/Old.md", "b/Note.md", "x.md"})
		r := NewRename(ix, Moves{"a/Old.md": "c/New's (1).md"}, Shortest)
		out := r.RewriteLinks(data, "x.md")
		if out == nil {
			return
		}
		was, is := Parse(data), Parse(out)
		if len(was.Links) != len(is.Links) {
			t.Fatalf("%q has %d links, then %q %d", data, len(was.Links), out, len(is.Links))
		}
		// What is outside of the links' paths is the same bytes.
		if !bytes.Equal(withoutTargets(was), withoutTargets(is)) {
			t.Fatalf("%q became %q", data, out)
		}
		if back := NewRename(After(ix, r.Moves), Moves{"c/New's (1).md": "a/Old.md"}, Shortest).RewriteLinks(out, "x.md"); back == nil {
			t.Fatalf("%q does not lead back", out)
		}
	})
}

func withoutTargets(d *Doc) []byte {
	var edits Edits
	for _, l := range d.Links {
		if !l.External {
			edits.Replace(l.pathSpan(d.Data), "")
		}
	}
	return edits.Apply(d.Data)
}

func TestRenamesInRealVaultsKeepEveryLinkLeadingWhereItLed(t *testing.T) {
	all := realNotes(t)
	byVault := map[string]map[string][]byte{}
	for name, data := range all {
		vault, path, _ := strings.Cut(name, "/")
		if byVault[vault] == nil {
			byVault[vault] = map[string][]byte{}
		}
		byVault[vault][path] = data
	}
	for vault, notes := range byVault {
		for _, format := range []Format{Shortest, Relative, Absolute} {
			t.Run(vault+" "+string(format), func(t *testing.T) { renameEveryThird(t, notes, format) })
		}
	}
}

func renameEveryThird(t *testing.T, notes map[string][]byte, format Format) {
	before := Index{}
	moves := Moves{}
	paths := []string{}
	for p := range notes {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	for i, p := range paths {
		before.Add(p)
		if i%3 == 0 {
			moves[p] = fmt.Sprintf("Moved %d/It's %d & more.md", i%7, i)
		}
	}
	r := NewRename(before, moves, format)
	links, changed := 0, 0
	for _, p := range paths {
		data := notes[p]
		out := r.RewriteLinks(data, p)
		now := p
		if to, ok := moves[p]; ok {
			now = to
		}
		was := Parse(data)
		is := was
		if out != nil {
			is = Parse(out)
			changed++
			if !bytes.Equal(withoutTargets(was), withoutTargets(is)) {
				t.Fatalf("%s: more than links changed", p)
			}
		}
		for i, l := range was.Links {
			target := Resolve(before, l.Path, p)
			if l.External || l.Path == "" || target == "" {
				continue
			}
			links++
			if to, ok := moves[target]; ok {
				target = to
			}
			if got := Resolve(r.After, is.Links[i].Path, now); got != target {
				t.Errorf("%s: %q led to %s, %q leads to %q", p, l.Of(data), target, is.Links[i].Of(is.Data), got)
			}
			if is.Links[i].Subpath != l.Subpath || is.Links[i].Alias != l.Alias || is.Links[i].Embed != l.Embed || is.Links[i].Kind != l.Kind {
				t.Errorf("%s: %q became %q", p, l.Of(data), is.Links[i].Of(is.Data))
			}
		}
	}
	t.Logf("%d links, %d notes changed", links, changed)
	if links < 50 || changed < 20 {
		t.Errorf("only %d links and %d changed notes", links, changed)
	}
}
