package carrier

import (
	"testing"

	"embedded-agent/wasm/internal/note"
)

// converted gives a note's one link as the other kind writes it, or "".
func converted(t *testing.T, text string, markdown bool) string {
	t.Helper()
	d := note.Parse([]byte(text))
	if len(d.Links) != 1 {
		t.Fatalf("%q has %d links", text, len(d.Links))
	}
	names := note.NewIndex([]string{"Rain barrel.md", "A/Plan.md", "B/Plan.md", "pic (1).png", "v1.2.md", "C#.md", "doc.pdf", "here.md"})
	c := Converter{Names: names, Format: note.Shortest, Markdown: markdown}
	l := &d.Links[0]
	out, _ := c.Convert(l, note.Resolve(names, l.Path, "here.md"), "here.md")
	return out
}

func TestEachKindOfLinkBecomesTheOtherAndBack(t *testing.T) {
	for wiki, markdown := range map[string]string{
		"[[Rain barrel]]":             "[Rain barrel](Rain%20barrel.md)",
		"[[Rain barrel|it]]":          "[it](Rain%20barrel.md)",
		"[[Rain barrel#To do]]":       "[Rain barrel > To do](Rain%20barrel.md#To%20do)",
		"[[Rain barrel#A#B|x]]":       "[x](Rain%20barrel.md#A#B)",
		"[[Rain barrel#^id-1]]":       "[Rain barrel > ^id-1](Rain%20barrel.md#^id-1)",
		"[[#To do]]":                  "[To do](#To%20do)",
		"[[#^id|x]]":                  "[x](#^id)",
		"[[A/Plan]]":                  "[A/Plan](A/Plan.md)",
		"[[v1.2]]":                    "[v1.2](v1.2.md)",
		"[[v1.3]]":                    "[v1.3](v1.3.md)",
		"[[Not there|x]]":             "[x](Not%20there.md)",
		"[[doc.pdf#page=3|p]]":        "[p](doc.pdf#page=3)",
		"![[pic (1).png]]":            "![](pic%20(1).png)",
		"![[pic (1).png|300]]":        "![|300](pic%20(1).png)",
		"![[pic (1).png|300x20]]":     "![|300x20](pic%20(1).png)",
		"![[pic (1).png|a pic]]":      "![a pic](pic%20(1).png)",
		"![[pic (1).png|a pic|300]]":  "![a pic|300](pic%20(1).png)",
		"![[Rain barrel#To do]]":      "![](Rain%20barrel.md#To%20do)",
		"[[Rain barrel|100% & more]]": "[100% & more](Rain%20barrel.md)",
	} {
		if got := converted(t, wiki, true); got != markdown {
			t.Errorf("%s became %s, want %s", wiki, got, markdown)
		}
		if got := converted(t, markdown, false); got != wiki {
			t.Errorf("%s became %s, want %s", markdown, got, wiki)
		}
	}
}

func TestALinkIsLeftAloneThatTheOtherKindCannotHold(t *testing.T) {
	for _, text := range []string{
		`[a](Rain%20barrel.md "a title")`, "[a](https://example.org/Rain%20barrel.md)", "[a [b\\]](Rain%20barrel.md)", "[a](C%23.md)",
		"[a](page.html)", "[](Rain%20barrel.md)", "[1]: Rain%20barrel.md", "[a\nb](Rain%20barrel.md)", `<img src="pic (1).png">`,
		"---\nup: \"[[Rain barrel]]\"\n---\n",
	} {
		for _, markdown := range []bool{false, true} {
			if got := converted(t, text, markdown); got != "" {
				t.Errorf("%q became %q", text, got)
			}
		}
	}
	if got := converted(t, "[[Rain barrel|it]]", false) + converted(t, "[it](Rain%20barrel.md)", true); got != "" {
		t.Errorf("what is of the kind already became %q", got)
	}
}
