package note

import (
	"fmt"
	"strings"
	"testing"

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
		t.Error("it differs from what was wanted (-want +got):", diff)
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
		t.Error("it differs from what was wanted (-want +got):", diff)
	}
}

func TestBlockIDsStandAtTheEndOfALine(t *testing.T) {
	var got []string
	for _, b := range Parse([]byte("a ^one\n- b ^two  \n^three\nx^no ^no no\n`^no`\n^end")).Blocks {
		got = append(got, b.ID)
	}
	if d := cmp.Diff([]string{"one", "two", "three", "end"}, got); d != "" {
		t.Error("it differs from what was wanted (-want +got):", d)
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
		{"none", "x.md", ""},
		{"/", "x.md", ""},
		{"..", "x.md", ""},
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
