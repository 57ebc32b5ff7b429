// Package note reads and edits Markdown notes as Obsidian has them: front
// matter, headings, links, tags, tasks, bullets, block ids.
//
// It is pure and works on bytes. Every position is a byte offset into the note
// as it is on disk (BOM and CRLF included), so that an edit can replace exactly
// what it must and leave all else byte for byte. Parse costs time linear in the
// note's length, whatever the note holds.
//
// Two readers: Parse, a scanner of lines and inline marks for what Obsidian
// adds to Markdown (links, tags, properties, block ids) with their positions;
// and goldmark, for lists (Bullets), where the rules of nesting are CommonMark's.
package note

import (
	"bytes"
	"sort"
)

// Span is a range of bytes, End excluded.
type Span struct{ Start, End int }

// Empty says whether nothing is in the span.
func (s Span) Empty() bool { return s.Start >= s.End }

// Of gives the bytes of the span.
func (s Span) Of(data []byte) []byte { return data[s.Start:s.End] }

// Doc has the parts that Parse found in a note.
type Doc struct {
	Data []byte
	// Front is the whole front matter block with its fences and the line end
	// after them, FrontBody the YAML between; both empty without front matter.
	Front, FrontBody Span
	// Body is the text after the front matter.
	Body     Span
	Headings []Heading
	Links    []Link
	Tags     []Tag
	Blocks   []Block
	Items    []Item
	// Opaque are the places that are no text: code, math, comments, HTML tags.
	// Sorted and disjoint.
	Opaque []Span
	lines  []int // start of every line
}

// Heading is a heading line (ATX or setext).
type Heading struct {
	Span        // the heading's line or lines, without the last line end
	Text string // without marks
	// TextSpan is where Text stands.
	TextSpan Span
	Level    int
}

// Block is a block id ("^id" at the end of a block).
type Block struct {
	Span // with the caret
	ID   string
}

// Tag is an inline tag.
type Tag struct {
	Span // with the "#"
	Name string
}

// Item is a list item.
type Item struct {
	Span          // from the start of its first line to the end of its last, children included, without the last line end
	Indent Span   // what is before the marker
	Marker Span   // "-", "*", "+", "1." or "1)"
	Text   Span   // the first line's text, after the marker and the task box
	State  Span   // the character between the brackets; empty when it is no task
	Parent int    // index of the item it belongs to, or -1
	Depth  int    // 0 at the top
	Line   int    // line number, from 0
	column int    // of the marker
	inside int    // column where its content starts
	block  uint16 // depth of block quotes it stands in
}

// Task says whether the item has a task box.
func (i *Item) Task() bool { return !i.State.Empty() }

// Line gives the number of the line, from 0, that holds an offset.
func (d *Doc) Line(offset int) int {
	return sort.Search(len(d.lines), func(i int) bool { return d.lines[i] > offset }) - 1
}

// LineSpan gives a line without its line end.
func (d *Doc) LineSpan(n int) Span {
	if n < 0 || n >= len(d.lines) {
		return Span{len(d.Data), len(d.Data)}
	}
	end := len(d.Data)
	if n+1 < len(d.lines) {
		end = d.lines[n+1]
	}
	return Span{d.lines[n], trimEOL(d.Data, d.lines[n], end)}
}

// Lines gives the number of lines; a line end at the very end starts no line.
func (d *Doc) Lines() int { return len(d.lines) }

// EOL gives the note's line end: "\r\n" when its first line ends so.
func (d *Doc) EOL() string { return EOL(d.Data) }

// EOL gives the line end of a text: "\r\n" when its first line ends so, "\n"
// otherwise.
func EOL(data []byte) string {
	if i := bytes.IndexByte(data, '\n'); i > 0 && data[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// Section gives the span of a heading's section: from its line to the line of
// the next heading of the same or a higher level, or the end of the note.
func (d *Doc) Section(n int) Span {
	s := Span{d.lineStart(d.Headings[n].Start), len(d.Data)}
	for _, h := range d.Headings[n+1:] {
		if h.Level <= d.Headings[n].Level {
			s.End = d.lineStart(h.Start)
			break
		}
	}
	return s
}

func (d *Doc) lineStart(offset int) int { return bytes.LastIndexByte(d.Data[:offset], '\n') + 1 }

// InOpaque says whether an offset lies in code, math, a comment or an HTML tag.
func (d *Doc) InOpaque(offset int) bool {
	i := sort.Search(len(d.Opaque), func(i int) bool { return d.Opaque[i].End > offset })
	return i < len(d.Opaque) && d.Opaque[i].Start <= offset
}

// trimEOL gives the end of a line without its line end.
func trimEOL(data []byte, start, end int) int {
	if end > start && data[end-1] == '\n' {
		end--
		if end > start && data[end-1] == '\r' {
			end--
		}
	}
	return end
}

// BOM is the UTF-8 byte order mark, which a note may start with.
const BOM = "\ufeff"
