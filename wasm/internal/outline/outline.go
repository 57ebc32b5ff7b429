// Package outline moves and sorts the parts of a note: its sections and the items
// of its lists.
//
// A part goes with all that belongs to it: a section with its subsections, an item
// with its sub-items. The blank lines between parts stay where they are, so that a
// note which is spaced out stays so, and a dense one stays dense.
//
// No edit changes what a part is. Where one would (an open code block at the end
// of a note, which would swallow what comes to stand below it), ErrChanges is
// given and nothing else.
package outline

import (
	"bytes"
	"errors"
	"slices"
	"strconv"

	"embedded-agent/wasm/internal/note"
)

// Errors of a part that cannot be moved or sorted.
var (
	// ErrChanges: what is in the note would be read as something else.
	ErrChanges = errors.New("the note would be read as something else")
	// ErrInside: the place is within the part that is to go there.
	ErrInside = errors.New("the place is within the part itself")
	// ErrDeep: headings would be of a level beyond the sixth.
	ErrDeep = errors.New("headings would be of a level beyond the sixth")
)

// Section is a heading that stands by itself, with all below it up to the next
// heading of its level or a higher one. A heading in a quote, a callout or a list
// is a part of what it stands in.
type Section struct {
	note.Span     // from the heading's line; the blank lines at the end are in it
	Heading   int // among the note's headings
	Level     int // from 1
	Parent    int // the section around it, among the sections; -1 for none
}

// Sections gives the sections of a note in their order, at a cost of its length.
func Sections(d *note.Doc) []Section {
	var out []Section
	var open []int
	for n := range d.Headings {
		if !byItself(d, n) {
			continue
		}
		s := Section{
			Span:    note.Span{Start: max(d.LineSpan(d.Line(d.Headings[n].Start)).Start, d.Body.Start), End: len(d.Data)},
			Heading: n, Level: d.Headings[n].Level, Parent: -1,
		}
		for len(open) > 0 && out[open[len(open)-1]].Level >= s.Level {
			out[open[len(open)-1]].End = s.Start
			open = open[:len(open)-1]
		}
		if len(open) > 0 {
			s.Parent = open[len(open)-1]
		}
		open = append(open, len(out))
		out = append(out, s)
	}
	return out
}

func byItself(d *note.Doc, n int) bool {
	at := d.Headings[n].Start
	before := d.Data[max(d.LineSpan(d.Line(at)).Start, d.Body.Start):at]
	return len(bytes.TrimLeft(before, " \t")) == 0 && !d.InList(at)
}

// Of gives the index of the section of a heading; -1 for one that is a part of
// something else.
func Of(sections []Section, heading int) int {
	return slices.IndexFunc(sections, func(s Section) bool { return s.Heading == heading })
}

// At gives the index of the innermost section that an offset is in, or -1.
func At(sections []Section, offset int) int {
	at := -1
	for i := range sections {
		if sections[i].Start > offset {
			break
		}
		if offset < sections[i].End || offset == sections[i].End && i == len(sections)-1 {
			at = i
		}
	}
	return at
}

// trimmed gives a span without the blank lines and the line end at its end.
func trimmed(data []byte, s note.Span) note.Span {
	s.End = s.Start + len(bytes.TrimRight(s.Of(data), " \t\r\n"))
	return s
}

// print lists what notes are made of, sorted, each with its place in the tree where
// nested says so.
func print(nested bool, texts ...[]byte) []string {
	var out []string
	add := func(kind string, depth int, text []byte) {
		if nested {
			kind += strconv.Itoa(depth)
		}
		out = append(out, kind+" "+string(bytes.TrimSpace(text)))
	}
	for _, data := range texts {
		d := note.Parse(data)
		for i := range d.Headings {
			add("heading", d.Headings[i].Level, []byte(d.Headings[i].Text))
		}
		for i := range d.Items {
			add("item", d.Items[i].Depth, d.Items[i].Text.Of(data))
		}
		for i := range d.Links {
			add("link", 0, d.Links[i].Of(data))
		}
		for i := range d.Tags {
			add("tag", 0, d.Tags[i].Of(data))
		}
		add("front", 0, d.Front.Of(data))
	}
	slices.Sort(out)
	return out
}
