package outline

import (
	"bytes"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/note"
)

// Where says on which side of something a part comes to stand.
type Where int

// Beside it, or within it: as the first or the last of what is in it.
const (
	End Where = iota
	Start
	Before
	After
)

// Place is where a part goes: Where, of the heading, the item, or the note. Both
// are indexes of the note that the place is in; -1 for none.
type Place struct {
	Where   Where
	Heading int
	Item    int
}

// Part names what goes: a section, by its heading, or a list item. The other is -1.
type Part struct{ Heading, Item int }

// Span gives the part's place in its note, blank lines at its end left out.
func (p Part) Span(d *note.Doc) note.Span {
	if p.Item >= 0 {
		return d.Items[p.Item].Span
	}
	all := Sections(d)
	if n := Of(all, p.Heading); n >= 0 {
		return trimmed(d.Data, all[n].Span)
	}
	return note.Span{}
}

// Cut gives the note without a part, and the part's text: its first line is not
// indented, its line ends are the note's, without a last one.
func Cut(d *note.Doc, p Part) (rest []byte, text string) {
	gone, text := cut(d, p)
	return note.Edits{{Span: gone}}.Apply(d.Data), text
}

// cut gives what is taken away with a part, and the part's text.
func cut(d *note.Doc, p Part) (note.Span, string) {
	s := p.Span(d)
	gone := note.Span{Start: s.Start, End: lineAfter(d.Data, s.End)}
	if p.Item >= 0 {
		return gone, note.InEOL(d.ItemText(p.Item), d.EOL())
	}
	for gone.End < len(d.Data) && blank(d.Data[gone.End:lineAfter(d.Data, gone.End)]) {
		gone.End = lineAfter(d.Data, gone.End)
	}
	if gone.End == len(d.Data) { // the blank lines before it are those at the end now
		before := bytes.TrimRight(d.Data[:s.Start], " \t\r\n")
		if len(before) >= d.Body.Start && len(before) > 0 {
			gone.Start = lineAfter(d.Data, len(before))
		}
	}
	return gone, string(s.Of(d.Data))
}

// Put gives the note with the text of a part at a place.
func Put(d *note.Doc, p Part, text string, at Place, loose bool) ([]byte, error) {
	if p.Item >= 0 {
		return putItem(d, text, at), nil
	}
	all := Sections(d)
	if at.Heading >= 0 {
		n := Of(all, at.Heading)
		if n < 0 {
			return nil, ErrChanges
		}
		level := all[n].Level
		if at.Where == Start || at.Where == End {
			level++
		}
		var err error
		if text, err = atLevel(text, level); err != nil {
			return nil, err
		}
	}
	return putSection(d, text, sectionPlace(d, all, at), loose), nil
}

// Loose says whether a blank line keeps a section apart from the text before it, or from what is after it. One between the
// front matter and the first section keeps nothing apart.
func Loose(d *note.Doc, p Part) bool {
	s := p.Span(d)
	before, after := d.Data[d.Body.Start:s.Start], d.Data[lineAfter(d.Data, s.End):]
	return len(bytes.TrimSpace(before)) > 0 && blankEnd(before) || len(after) > 0 && blank(after[:lineAfter(after, 0)])
}

// sectionPlace gives the offset at which a section comes to stand. The start is
// before the first section: text before it belongs to no section, or to the one
// around, and stays what it is.
func sectionPlace(d *note.Doc, all []Section, at Place) int {
	whole := note.Span{Start: d.Body.Start, End: len(d.Data)}
	n := -1
	if at.Heading >= 0 {
		n = Of(all, at.Heading)
		whole = all[n].Span
	}
	switch at.Where {
	case Before:
		return whole.Start
	case Start:
		for i := range all {
			if all[i].Parent == n {
				return all[i].Start
			}
		}
	case End, After:
	}
	return whole.End
}

func putSection(d *note.Doc, text string, at int, loose bool) []byte {
	eol := d.EOL()
	before, after := d.Data[d.Body.Start:at], d.Data[at:]
	text = strings.TrimRight(text, " \t\r\n") + eol
	if loose && len(before) > 0 && !blankEnd(before) {
		text = eol + text
	}
	if loose && len(after) > 0 && !blank(after[:lineAfter(after, 0)]) {
		text += eol
	}
	return note.InsertBlock(d.Data, at, text)
}

// putItem puts an item beside another one, in its indentation and with its mark, or
// at an end of a section's own text or of the note.
func putItem(d *note.Doc, text string, at Place) []byte {
	switch {
	case at.Item < 0 && at.Heading >= 0:
		return note.InsertIn(d, at.Heading, text, at.Where == Start)
	case at.Item < 0 && at.Where == Start:
		return note.Prepend(d.Data, text)
	case at.Item < 0:
		return note.Append(d.Data, text)
	}
	beside := &d.Items[at.Item]
	one := note.Parse([]byte(text))
	if len(one.Items) > 0 && one.Items[0].Start == 0 {
		text = string(withMark([]byte(text), &one.Items[0], string(beside.Marker.Of(d.Data))))
	}
	lead := string(beside.Indent.Of(d.Data))
	lines := strings.Split(text, "\n")
	for i := range lines {
		if i == 0 || strings.TrimSpace(lines[i]) != "" || strings.Contains(lead, ">") {
			lines[i] = lead + lines[i]
		}
	}
	eol := d.EOL()
	text = strings.Join(lines, "\n")
	if at.Where == Before || at.Where == Start {
		return note.Edits{{Span: note.Span{Start: beside.Start, End: beside.Start}, Text: text + eol}}.Apply(d.Data)
	}
	end := beside.End
	return note.Edits{{Span: note.Span{Start: end, End: end}, Text: eol + text}}.Apply(d.Data)
}

// Move gives the note with a part of it at another place.
func Move(d *note.Doc, p Part, at Place) ([]byte, error) {
	s := p.Span(d)
	if there := startOf(d, at); there >= s.Start && there < s.End {
		return nil, ErrInside
	}
	loose := p.Item < 0 && Loose(d, p)
	gone, text := cut(d, p)
	left := note.Parse(note.Edits{{Span: gone}}.Apply(d.Data))
	there, ok := after(d, left, gone, at)
	if !ok {
		return nil, ErrChanges
	}
	out, err := Put(left, p, text, there, loose)
	if err != nil {
		return nil, err
	}
	return checked(false, d.Data, out)
}

// startOf gives where the thing stands that a place is about; -1 for the note.
func startOf(d *note.Doc, at Place) int {
	switch {
	case at.Item >= 0:
		return d.Items[at.Item].Start
	case at.Heading >= 0:
		return d.Headings[at.Heading].Start
	}
	return -1
}

// after gives a place in the note that is left when something is gone; false where
// what it is about is not there any more as it was.
func after(d, left *note.Doc, gone note.Span, at Place) (Place, bool) {
	start := startOf(d, at)
	if start >= gone.End {
		start -= gone.End - gone.Start
	}
	if at.Item >= 0 {
		at.Item = slices.IndexFunc(left.Items, func(i note.Item) bool { return i.Start == start })
		return at, at.Item >= 0
	}
	if at.Heading >= 0 {
		at.Heading = slices.IndexFunc(left.Headings, func(h note.Heading) bool { return h.Start == start })
		return at, at.Heading >= 0
	}
	return at, true
}

// Kept says whether notes have together, after parts went from one to another, what
// they had before.
func Kept(before, after [][]byte) bool {
	return slices.Equal(print(false, before...), print(false, after...))
}

// atLevel gives a section's text with its heading at a level, and those below it
// as much lower as they were.
func atLevel(text string, level int) (string, error) {
	d := note.Parse([]byte(text))
	all := Sections(d)
	if len(all) == 0 || all[0].Level == level {
		return text, nil
	}
	by := level - all[0].Level
	var edits note.Edits
	for i := range all {
		h := &d.Headings[all[i].Heading]
		to := h.Level + by
		if to > 6 {
			return "", ErrDeep
		}
		if h.TextSpan.Start > h.Start {
			edits.Replace(note.Span{Start: h.Start, End: h.Start + h.Level}, strings.Repeat("#", to))
			continue
		}
		edits.Replace(h.Span, strings.Repeat("#", to)+" "+strings.Join(strings.Fields(h.Text), " ")) // was underlined
	}
	return string(edits.Apply(d.Data)), nil
}

func lineAfter(data []byte, at int) int {
	if n := bytes.IndexByte(data[at:], '\n'); n >= 0 {
		return at + n + 1
	}
	return len(data)
}

func blank(line []byte) bool { return len(bytes.TrimSpace(line)) == 0 }

// blankEnd says whether a text ends with a blank line.
func blankEnd(data []byte) bool {
	data = bytes.TrimSuffix(data, []byte("\n"))
	return blank(data[bytes.LastIndexByte(data, '\n')+1:])
}
