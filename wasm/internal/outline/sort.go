package outline

import (
	"bytes"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/note"
	"embedded-agent/wasm/internal/sorting"
)

// maxDepth is how deep items are sorted; what is nested deeper stays as it is.
const maxDepth = 50

// SortItems gives the note with the items of each list in a part of it in the order
// of compare, which gets indexes among the note's items; items that are alike stay
// as they were. With deep, the items below items too. Numbers stay at their places.
func SortItems(d *note.Doc, part note.Span, deep bool, compare func(a, b int) int) ([]byte, error) {
	s := &sorter{doc: d, compare: compare, deep: deep, below: make([][]int, len(d.Items))}
	var top []int
	for i := range d.Items {
		it := &d.Items[i]
		switch {
		case it.Start < part.Start || it.Start >= part.End:
		case it.Parent < 0:
			top = append(top, i)
		case deep && it.Depth < maxDepth:
			s.below[it.Parent] = append(s.below[it.Parent], i)
		}
	}
	return checked(true, d.Data, s.text(note.Span{End: len(d.Data)}, top))
}

// sorter is the state of one sort of items. below has the items right below each.
type sorter struct {
	doc     *note.Doc
	compare func(a, b int) int
	deep    bool
	below   [][]int
}

// text gives a part of the note with the items in it, in their order, sorted.
func (s *sorter) text(part note.Span, items []int) []byte {
	out := make([]byte, 0, part.End-part.Start)
	at := part.Start
	for len(items) > 0 {
		list := items[:s.oneList(items)]
		items = items[len(list):]
		from, to := s.doc.Items[list[0]].Start, s.doc.Items[list[len(list)-1]].End
		if from < at || s.doc.Items[list[0]].Parent >= 0 && from == part.Start {
			continue // begins on the line of what it stands in
		}
		out = append(out, s.doc.Data[at:from]...)
		out = append(out, s.list(list)...)
		at = to
	}
	return append(out, s.doc.Data[at:part.End]...)
}

// oneList says how many of the items are of one list: they have nothing between
// them, and their marks are of one kind.
func (s *sorter) oneList(items []int) int {
	n := 1
	for n < len(items) {
		a, b := &s.doc.Items[items[n-1]], &s.doc.Items[items[n]]
		between := s.doc.Data[min(a.End, b.Start):b.Start]
		if len(bytes.Trim(between, " \t\r\n>")) > 0 || kindOf(s.doc.Data, a) != kindOf(s.doc.Data, b) ||
			bytes.Count(a.Indent.Of(s.doc.Data), quote) != bytes.Count(b.Indent.Of(s.doc.Data), quote) {
			break
		}
		n++
	}
	return n
}

var quote = []byte(">")

// kindOf gives the last sign of an item's mark: one list has one.
func kindOf(data []byte, it *note.Item) byte { return data[it.Marker.End-1] }

// list gives the items of one list, sorted, with what stood between the places.
func (s *sorter) list(items []int) []byte {
	sorted := slices.Clone(items)
	sorting.StableFunc(sorted, s.compare)
	var out []byte
	for place, i := range sorted {
		here := &s.doc.Items[items[place]]
		if place > 0 {
			out = append(out, s.doc.Data[s.doc.Items[items[place-1]].End:here.Start]...)
		}
		it := &s.doc.Items[i]
		text := s.text(it.Span, s.below[i])
		if i != items[place] {
			text = withMark(text, it, string(here.Marker.Of(s.doc.Data)))
		}
		out = append(out, text...)
	}
	return out
}

// withMark gives the text of an item with another mark, and its further lines
// indented as the mark's length wants it.
func withMark(text []byte, it *note.Item, mark string) []byte {
	lead, old := it.Marker.Start-it.Start, it.Marker.End-it.Marker.Start
	if string(text[lead:lead+old]) == mark {
		return text
	}
	lines := strings.SplitAfter(string(text), "\n")
	lines[0] = lines[0][:lead] + mark + lines[0][lead+old:]
	for n := 1; n < len(lines); n++ {
		lines[n] = shifted(lines[n], len(mark)-old)
	}
	return []byte(strings.Join(lines, ""))
}

// shifted indents a line by so many spaces more, or less. A line that is indented
// by tabs, or not at all, needs none.
func shifted(line string, by int) string {
	marks := len(line) - len(strings.TrimLeft(line, "> "))
	head, rest := line[:marks], line[marks:]
	if at := strings.LastIndexByte(head, '>') + 1; at > 0 {
		return head[:at] + shifted(head[at:]+rest, by)
	}
	switch {
	case marks == 0 || strings.TrimSpace(rest) == "":
		return line
	case by >= 0:
		return strings.Repeat(" ", by) + line
	}
	return line[min(-by, marks):]
}

// SortSections gives the note with the sections of a level in a part of it in the
// order of compare, which gets indexes among the note's headings. Only sections
// that stand in one section, one after another, change places.
func SortSections(d *note.Doc, part note.Span, level int, compare func(a, b int) int) ([]byte, error) {
	var edits note.Edits
	all := Sections(d)
	waiting := map[int][]int{} // by the section around them
	var parents []int
	for i := range all {
		s := &all[i]
		if s.Level != level || s.Start < part.Start || s.Start >= part.End {
			continue
		}
		if waiting[s.Parent] == nil {
			parents = append(parents, s.Parent)
		}
		waiting[s.Parent] = append(waiting[s.Parent], i)
	}
	for _, p := range parents {
		run := waiting[p]
		for len(run) > 0 {
			n := 1
			for n < len(run) && all[run[n]].Start == all[run[n-1]].End {
				n++
			}
			sortRun(d, all, run[:n], compare, &edits)
			run = run[n:]
		}
	}
	return checked(true, d.Data, edits.Apply(d.Data))
}

// sortRun sorts sections that stand one after another. What is blank between them
// stays.
func sortRun(d *note.Doc, all []Section, run []int, compare func(a, b int) int, edits *note.Edits) {
	sorted := slices.Clone(run)
	sorting.StableFunc(sorted, func(a, b int) int { return compare(all[a].Heading, all[b].Heading) })
	for place, i := range sorted {
		if i != run[place] {
			edits.Replace(trimmed(d.Data, all[run[place]].Span), string(trimmed(d.Data, all[i].Span).Of(d.Data)))
		}
	}
}

// checked gives a text that has the same parts as before, ErrChanges for another.
func checked(nested bool, before, after []byte) ([]byte, error) {
	if bytes.Equal(before, after) {
		return before, nil
	}
	if !slices.Equal(print(nested, before), print(nested, after)) {
		return nil, ErrChanges
	}
	return after, nil
}

// Natural compares texts as people do: in any case, and numbers by their value.
func Natural(a, b string) int {
	a, b = strings.ToLower(a), strings.ToLower(b)
	for a != "" && b != "" {
		x, y := digits(a), digits(b)
		if x == 0 || y == 0 {
			if a[0] != b[0] {
				return int(a[0]) - int(b[0])
			}
			a, b = a[1:], b[1:]
			continue
		}
		m, n := strings.TrimLeft(a[:x], "0"), strings.TrimLeft(b[:y], "0")
		if len(m) != len(n) {
			return len(m) - len(n)
		}
		if c := strings.Compare(m, n); c != 0 {
			return c
		}
		a, b = a[x:], b[y:]
	}
	return len(a) - len(b)
}

// digits says how many digits a text begins with.
func digits(s string) int { return len(s) - len(strings.TrimLeft(s, "0123456789")) }
