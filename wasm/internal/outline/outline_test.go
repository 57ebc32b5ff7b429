package outline_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/note"
	"embedded-agent/wasm/internal/outline"
)

// byTitle compares items, or headings, by their texts.
func byTitle(d *note.Doc, sections bool) func(a, b int) int {
	text := func(i int) string {
		if sections {
			return d.Headings[i].Text
		}
		return note.Title(string(d.Items[i].Text.Of(d.Data)))
	}
	return func(a, b int) int { return outline.Natural(text(a), text(b)) }
}

func TestItemsAreSortedWithAllThatBelongsToThem(t *testing.T) {
	for name, c := range map[string]struct {
		in, want string
		deep     bool
	}{
		"lines between stay at their places": {in: "- b\n\n- a\n- c\n", want: "- a\n\n- b\n- c\n"},
		"no line end at the end":             {in: "- b\r\n- a", want: "- a\r\n- b"},
		"a fence and a paragraph in an item": {in: "- b\n  ```\n  - z\n  ```\n\n  more\n- a\n", want: "- a\n- b\n  ```\n  - z\n  ```\n\n  more\n"},
		"items of a callout":                 {in: "> [!todo]\n> - b\n>   - x\n> - a\n", want: "> [!todo]\n> - a\n> - b\n>   - x\n"},
		"block ids go along":                 {in: "- b ^one\n- a ^two\n", want: "- a ^two\n- b ^one\n"},
		"two lists are two":                  {in: "- b\n- a\n\nwords\n\n- d\n- c\n", want: "- a\n- b\n\nwords\n\n- c\n- d\n"},
		"other marks begin another list":     {in: "- b\n- a\n* d\n* c\n", want: "- a\n- b\n* c\n* d\n"},
		"sub-items stay":                     {in: "- b\n  - z\n  - y\n- a\n", want: "- a\n- b\n  - z\n  - y\n"},
		"sub-items too":                      {in: "- b\n  - z\n  - y\n- a\n", want: "- a\n- b\n  - y\n  - z\n", deep: true},
		"an item on its parent's line":       {in: "- - b\n  - a\n- - c\n", want: "- - b\n  - a\n- - c\n", deep: true},
		"numbers stay in their order":        {in: "1) c\n2) b\n3) a\n", want: "1) a\n2) b\n3) c\n"},
		"numbers of two lengths":             {in: "9. b\n   - x\n10. a\n    - y\n", want: "9. a\n   - y\n10. b\n    - x\n"},
		"no list":                            {in: "\ufeff# A\n", want: "\ufeff# A\n"},
	} {
		t.Run(name, func(t *testing.T) {
			d := note.Parse([]byte(c.in))
			got, err := outline.SortItems(d, note.Span{End: len(c.in)}, c.deep, byTitle(d, false))
			if err != nil || string(got) != c.want {
				t.Errorf("%v\n%q, want\n%q", err, got, c.want)
			}
		})
	}
}

func TestSectionsAreSortedWithAllBelowThem(t *testing.T) {
	for name, c := range map[string]struct {
		in, want string
		level    int
		refused  bool
	}{
		"what is blank between them stays":  {in: "intro\n\n## B\nb\n\n\n## A\na", want: "intro\n\n## A\na\n\n\n## B\nb", level: 2},
		"only within the section around":    {in: "# X\n## b\n## a\n# Y\n## d\n## c\n", want: "# X\n## a\n## b\n# Y\n## c\n## d\n", level: 2},
		"a higher one between parts them":   {in: "### b\n## X\n### a\n", want: "### b\n## X\n### a\n", level: 3},
		"underlined headings":               {in: "B\n===\nb\n\nA\n===\na\n", want: "A\n===\na\n\nB\n===\nb\n", level: 1},
		"a heading in a quote is no border": {in: "# B\n> # Q\n# A\n", want: "# A\n# B\n> # Q\n", level: 1},
		"a heading in code is none":         {in: "# B\n```\n# no\n```\n# A\n", want: "# A\n# B\n```\n# no\n```\n", level: 1},
		"code that is not closed":           {in: "# B\n# A\n```\n", level: 1, refused: true},
		"a comment that is not closed":      {in: "# B\ntext #tag\n# A\n%% note\n", level: 1, refused: true},
	} {
		t.Run(name, func(t *testing.T) {
			d := note.Parse([]byte(c.in))
			got, err := outline.SortSections(d, note.Span{End: len(c.in)}, c.level, byTitle(d, true))
			if (err != nil) != c.refused || err == nil && string(got) != c.want {
				t.Errorf("%v\n%q, want\n%q", err, got, c.want)
			}
		})
	}
}

func TestAPartIsMovedToItsPlace(t *testing.T) {
	heading := func(d *note.Doc, text string) int {
		return slices.IndexFunc(d.Headings, func(h note.Heading) bool { return h.Text == text })
	}
	item := func(d *note.Doc, text string) int {
		return slices.IndexFunc(d.Items, func(i note.Item) bool { return string(i.Text.Of(d.Data)) == text })
	}
	const loose = "---\nk: v\n---\nintro\n\n# A\na\n\n## A1\n\n# B\nb"
	for name, c := range map[string]struct {
		in, part, to string
		where        outline.Where
		items        bool
		want         string
		err          error
	}{
		"after the last":                  {in: loose, part: "A", to: "B", where: outline.After, want: "---\nk: v\n---\nintro\n\n# B\nb\n\n# A\na\n\n## A1\n"},
		"before the first":                {in: loose, part: "B", to: "A", where: outline.Before, want: "---\nk: v\n---\nintro\n\n# B\nb\n\n# A\na\n\n## A1\n"},
		"to the start, behind the intro":  {in: loose, part: "B", where: outline.Start, want: "---\nk: v\n---\nintro\n\n# B\nb\n\n# A\na\n\n## A1\n"},
		"to the end":                      {in: loose, part: "A", where: outline.End, want: "---\nk: v\n---\nintro\n\n# B\nb\n\n# A\na\n\n## A1\n"},
		"where it is":                     {in: loose, part: "B", where: outline.End, want: "---\nk: v\n---\nintro\n\n# A\na\n\n## A1\n\n# B\nb\n"},
		"into another, and lower":         {in: loose, part: "B", to: "A", where: outline.End, want: "---\nk: v\n---\nintro\n\n# A\na\n\n## A1\n\n## B\nb\n"},
		"a dense note stays dense":        {in: "# A\r\na\r\n# B\r\nb\r\n", part: "B", to: "A", where: outline.Before, want: "# B\r\nb\r\n# A\r\na\r\n"},
		"an underlined one gets marks":    {in: "# A\n\nB\n---\nb\n", part: "B", to: "A", where: outline.Before, want: "# B\nb\n\n# A\n"},
		"into itself":                     {in: "# A\n## B\n", part: "A", to: "B", where: outline.Before, err: outline.ErrInside},
		"too deep":                        {in: "###### A\n# B\n## C\n", part: "B", to: "A", where: outline.End, err: outline.ErrDeep},
		"code that is not closed":         {in: "# A\n# B\n```\n", part: "B", to: "A", where: outline.Before, err: outline.ErrChanges},
		"an item beside another":          {in: "- a\n\t- b\n- c", part: "c", to: "a", where: outline.Before, items: true, want: "- c\n- a\n\t- b\n"},
		"an item into a sub-list":         {in: "- a\n  - b\n- c\n  - d\n", part: "c", to: "b", where: outline.After, items: true, want: "- a\n  - b\n  - c\n    - d\n"},
		"a sub-item out of its list":      {in: "- a\n  - b\n    more\n- c\n", part: "b", to: "c", where: outline.After, items: true, want: "- a\n- c\n- b\n  more\n"},
		"an item out of a callout":        {in: "> - a\n> - b\n\n- c\n", part: "a", to: "c", where: outline.After, items: true, want: "> - b\n\n- c\n- a\n"},
		"a bullet becomes a number":       {in: "- a\n  more\n\n1. c\n", part: "a", to: "c", where: outline.After, items: true, want: "\n1. c\n1. a\n   more\n"},
		"an item to the end of the note":  {in: "- a\n- b\n\nEnd", part: "a", where: outline.End, items: true, want: "- b\n\nEnd\n- a\n"},
		"an item to the start":            {in: "\ufeff# H\n- a\n", part: "a", where: outline.Start, items: true, want: "\ufeff- a\n# H\n"},
		"an item into one of its own":     {in: "- a\n  - b\n", part: "a", to: "b", where: outline.After, items: true, err: outline.ErrInside},
		"an item below one of two alike":  {in: "- a\n# H\nx\n# H\ny\n", part: "a", where: outline.End, items: true, want: "# H\nx\n# H\ny\n- a\n"},
		"a heading in a quote goes along": {in: "# A\n> # Q\n\n# B\n", part: "A", where: outline.End, want: "# B\n\n# A\n> # Q\n"},
	} {
		t.Run(name, func(t *testing.T) {
			d := note.Parse([]byte(c.in))
			p, at := outline.Part{Heading: -1, Item: -1}, outline.Place{Where: c.where, Heading: -1, Item: -1}
			if c.items {
				p.Item = item(d, c.part)
				if c.to != "" {
					at.Item = item(d, c.to)
				}
			} else {
				p.Heading = heading(d, c.part)
				if c.to != "" {
					at.Heading = heading(d, c.to)
				}
			}
			got, err := outline.Move(d, p, at)
			if err != c.err || err == nil && string(got) != c.want {
				t.Errorf("%v\n%q, want\n%q", err, got, c.want)
			}
		})
	}
}

// randomNote makes a note of lines that are hard to take apart.
func randomNote(r *rand.Rand) string {
	lines := []string{
		"# A%d", "## B%d", "### C%d", "- item %d", "  - sub %d", "\t- tab %d", "1. one %d", "10. ten %d", "> quote %d", "> - quoted %d", "> # Q%d", "", "",
		"words %d", "```", "%%%%", "under %d\n---", "| a | %d |", "- [x] done %d ^b%[1]d", "  more %d", "[[Note %d]] #tag%[1]d", "---", "$$",
	}
	var b strings.Builder
	for i := range 3 + r.IntN(14) {
		line := lines[r.IntN(len(lines))]
		if strings.Contains(line, "%d") || strings.Contains(line, "%%") {
			line = fmt.Sprintf(line, i)
			line, _, _ = strings.Cut(line, "%!(EXTRA")
		}
		b.WriteString(line + []string{"\n", "\r\n"}[r.IntN(8)/7])
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// lines gives what is not blank in a text, without what indents it and marks a
// level, sorted.
func linesOf(text []byte) []string {
	var out []string
	for l := range strings.SplitSeq(string(text), "\n") {
		if l = strings.TrimLeft(strings.TrimSpace(l), "#>-*+0123456789.) \t"); l != "" {
			out = append(out, l)
		}
	}
	slices.Sort(out)
	return out
}

// Whatever the note: nothing is lost, nothing is added, and a second sort changes nothing.
func TestNoLineIsLostOrMade(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 15))
	changed := 0
	for range 6_000 {
		text := []byte(randomNote(r))
		d := note.Parse(text)
		check := func(what string, got []byte, err error) {
			if err != nil {
				return
			}
			if !slices.Equal(linesOf(got), linesOf(text)) {
				t.Fatalf("%s:\n%q became\n%q", what, text, got)
			}
			if string(got) != string(text) {
				changed++
			}
		}
		whole := note.Span{End: len(text)}
		got, err := outline.SortItems(d, whole, true, byTitle(d, false))
		check("sorted items", got, err)
		if err == nil {
			d2 := note.Parse(got)
			if again, err := outline.SortItems(d2, note.Span{End: len(got)}, true, byTitle(d2, false)); err != nil || string(again) != string(got) {
				t.Fatalf("sorted twice: %v\n%q became\n%q and\n%q", err, text, got, again)
			}
		}
		got, err = outline.SortSections(d, whole, 1+r.IntN(3), byTitle(d, true))
		check("sorted sections", got, err)
		at := outline.Place{Where: outline.Where(r.IntN(4)), Heading: -1, Item: -1}
		if all := outline.Sections(d); len(all) > 0 {
			p := outline.Part{Heading: all[r.IntN(len(all))].Heading, Item: -1}
			if at.Where == outline.Before || at.Where == outline.After || r.IntN(2) == 0 {
				at.Heading = all[r.IntN(len(all))].Heading
			}
			got, err := outline.Move(d, p, at)
			check("moved a section", got, err)
		}
		if len(d.Items) > 0 {
			p := outline.Part{Heading: -1, Item: r.IntN(len(d.Items))}
			at := outline.Place{Where: outline.Before + outline.Where(r.IntN(2)), Heading: -1, Item: r.IntN(len(d.Items))}
			got, err := outline.Move(d, p, at)
			check("moved an item", got, err)
		}
	}
	if changed < 2_000 {
		t.Errorf("only %d changes were made", changed)
	}
}
