package note

import (
	"sort"
	"strings"
)

// Append gives the note with a text at its end, on a line of its own.
func Append(data []byte, text string) []byte {
	return InsertBlock(data, len(data), text)
}

// InsertUnder gives the note with a text at the end of the section of a
// heading (or, with atStart, right after the heading line), before its
// subsections. A heading that is missing is made at the end of the note at
// level 2; made says so.
func InsertUnder(data []byte, heading, text string, atStart bool) (out []byte, made bool) {
	return InsertUnderLevel(data, heading, 2, text, atStart)
}

// InsertUnderLevel is InsertUnder with the level that a missing heading is made
// at, from 1.
func InsertUnderLevel(data []byte, heading string, level int, text string, atStart bool) (out []byte, made bool) {
	d := Parse(data)
	n := d.HeadingNamed(heading)
	if n < 0 {
		eol := d.EOL()
		title := strings.Repeat("#", level) + " " + strings.TrimSpace(strings.TrimLeft(heading, "# "))
		gap := eol
		if len(d.Body.Of(data)) == 0 {
			gap = ""
		}
		out = InsertBlock(data, len(data), gap+title+eol)
		return InsertBlock(out, len(out), text), true
	}
	return InsertIn(d, n, text, atStart), false
}

// InsertIn gives the note with a text at the end of the own text of the section of
// a heading, by its index, or right after the heading line.
func InsertIn(d *Doc, n int, text string, atStart bool) []byte {
	if atStart {
		return InsertBlock(d.Data, d.afterHeading(n), text)
	}
	return InsertBlock(d.Data, d.ownEnd(n), text)
}

// afterHeading gives the start of the line after a heading.
func (d *Doc) afterHeading(n int) int { return lineAfter(d.Data, d.Headings[n].End, len(d.Data)) }

// ownEnd gives the end of a section's own text: before its first subsection and
// before the blank lines that end it.
func (d *Doc) ownEnd(n int) int {
	end := len(d.Data)
	if n+1 < len(d.Headings) {
		end = d.lineStart(d.Headings[n+1].Start)
	}
	start := d.afterHeading(n)
	for end > start {
		line := d.lineStart(trimEOL(d.Data, start, end))
		if line < start || strings.TrimSpace(string(d.Data[line:end])) != "" {
			break
		}
		end = line
	}
	return end
}

// SectionBody gives the span of what stands below a heading, subsections
// included, without the blank lines around it.
func (d *Doc) SectionBody(n int) Span {
	s := d.Section(n)
	s.Start = d.afterHeading(n)
	return trimSpan(d.Data, s)
}

// ReplaceSection gives the note with other text below a heading, subsections
// included. The blank lines around the text stay.
func (d *Doc) ReplaceSection(n int, text string) []byte {
	body := d.SectionBody(n)
	text = strings.Trim(normalEOL(text, d.EOL()), "\r\n")
	var edits Edits
	switch {
	case !body.Empty():
		edits.Replace(body, text)
	case text != "":
		return InsertBlock(d.Data, d.afterHeading(n), text)
	}
	return edits.Apply(d.Data)
}

// InsertBlock puts a text at the start of a line (a byte offset), on lines of its own, in the
// note's line ends, with a blank line where it would become part of what stands
// before it, or what stands after it a part of the text.
func InsertBlock(data []byte, at int, text string) []byte {
	eol := EOL(data)
	text = normalEOL(text, eol)
	if text == "" {
		return data
	}
	above, below := data[:trimEOL(data, 0, at)], string(data[at:])
	if joins(above, text) {
		text = eol + text
	}
	if at > 0 && data[at-1] != '\n' && string(data[:at]) != BOM {
		text = eol + text
	}
	if !strings.HasSuffix(text, eol) {
		text += eol
	}
	if below != "" && joins([]byte(strings.TrimSuffix(text, eol)), below) {
		text += eol
	}
	var edits Edits
	edits.Insert(at, text)
	return edits.Apply(data)
}

// normalEOL writes a text with the line ends given.
func normalEOL(text, eol string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if eol == "\n" {
		return text
	}
	return strings.ReplaceAll(text, "\n", eol)
}

// WithEOL writes a text in the line ends of a note.
func WithEOL(text string, of []byte) string { return normalEOL(text, EOL(of)) }

// InEOL writes a text with a line end; what EOL gives is to be asked for once,
// since it looks through the whole of a note without one.
func InEOL(text, eol string) string { return normalEOL(text, eol) }

// BlockWithID gives the span of the block that has an id, the id included: the
// list item or the paragraph whose line ends with it, or, for an id on a line
// of its own, the paragraph before it.
func (d *Doc) BlockWithID(id string) (Span, bool) {
	for _, b := range d.Blocks {
		if !strings.EqualFold(b.ID, id) {
			continue
		}
		for i := range d.Items {
			if it := &d.Items[i]; it.Line == d.Line(b.Start) {
				return it.Span, true
			}
		}
		line := d.Line(b.Start)
		first, last := line, line
		if alone := strings.TrimSpace(string(d.Data[d.lineStart(b.Start):b.Start])) == ""; alone && d.blankLine(line-1) {
			first = line - 1
		}
		for first > 0 && !d.blankLine(first-1) && !d.endsBlock(first-1) {
			first--
		}
		return Span{d.LineSpan(first).Start, d.LineSpan(last).End}, true
	}
	return Span{}, false
}

// endsBlock says whether a line cannot be the paragraph's that comes after it: a
// heading, or the end of something opaque such as code.
func (d *Doc) endsBlock(n int) bool {
	line := d.LineSpan(n)
	pre := prefix(d.Data, line.Start, line.End)
	return atxLevel(d.Data, pre.text, line.End) > 0 || line.End > line.Start && d.InOpaque(line.End-1) || line.Start < d.Body.Start
}

func (d *Doc) blankLine(n int) bool {
	return n < 0 || strings.TrimSpace(string(d.LineSpan(n).Of(d.Data))) == ""
}

// Prepend gives the note with a text at its start, after the front matter, on
// lines of its own.
func Prepend(data []byte, text string) []byte {
	return InsertBlock(data, ParseFront(data).Body.Start, text)
}

// InList says whether a place stands in a list item.
func (d *Doc) InList(offset int) bool {
	i := sort.Search(len(d.Items), func(i int) bool { return d.Items[i].Start > offset }) - 1
	for i >= 0 && d.Items[i].Parent >= 0 {
		i = d.Items[i].Parent
	}
	return i >= 0 && offset < d.Items[i].End
}
