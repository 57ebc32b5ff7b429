package note_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"embedded-agent/wasm/internal/note"
)

// asWritten writes a name as a link may: its characters as they are, in the other case,
// percent-encoded, or behind a backslash.
func asWritten(t *rapid.T, name string, ways ...string) string {
	var b strings.Builder
	for i, r := range name {
		c := string(r)
		switch way := rapid.SampledFrom(ways).Draw(t, fmt.Sprint("character ", i)); {
		case way == "other case" && strings.ToUpper(c) != c:
			b.WriteString(strings.ToUpper(c))
		case way == "percent":
			for _, one := range []byte(c) {
				fmt.Fprintf(&b, "%%%02x", one)
			}
		case way == "backslash" && strings.ContainsAny(c, "_()&'-!"):
			b.WriteString(`\` + c)
		case way == "entity" && c == "&":
			b.WriteString("&amp;")
		case way == "escape":
			fmt.Fprintf(&b, `\u%04x`, r)
		case way == "short escape" && r == ' ':
			b.WriteString(`\ `)
		case way == "folded" && r == ' ':
			b.WriteString("\n  ")
		case way == "doubled" && c == "'":
			b.WriteString("''")
		default:
			b.WriteString(c)
		}
	}
	return b.String()
}

func TestWhatLinksMayLinkHoweverTheNameIsWritten(t *testing.T) {
	forms := map[string][]string{
		"[a](%s.md)":                         {"plain", "other case", "percent", "backslash"},
		"[a](<%s.md>)":                       {"plain", "other case", "percent", "backslash"},
		"![a](x/%s.md \"t\")":                {"plain", "percent", "backslash"},
		"[a][b]\n\n[b]: %s.md":               {"plain", "other case", "percent", "backslash"},
		"[[%s]]":                             {"plain", "other case"},
		"text [[x/%s.md#h|shown]]":           {"plain", "other case"},
		"<img src=\"x/%s.md\">":              {"plain", "percent", "entity"},
		"---\nup: '[[%s]]'\n---\n":           {"plain", "doubled", "folded"},
		"---\nup: \"[[%s]]\"\n---\n":         {"plain", "other case", "escape", "short escape", "folded"},
		"---\nup:\n  - '[[x/%s|a]]'\n---\nx": {"plain", "doubled"},
	}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[a-cé][a-c_()&' é-]{0,6}[a-cé]`).Draw(t, "name")
		form := rapid.SampledFrom(slices.Sorted(maps.Keys(forms))).Draw(t, "form")
		text := fmt.Sprintf(form, asWritten(t, name, forms[form]...))
		for _, l := range note.Parse([]byte(text)).Links {
			at := l.Path[strings.LastIndex(l.Path, "/")+1:]
			if !l.External && strings.EqualFold(strings.TrimSuffix(at, ".md"), name) && !note.MayLink([]byte(text), "x/"+name+".md") {
				t.Fatalf("%q links to %q and may not link to %q", text, l.Path, name)
			}
		}
	})
}
