package note

import (
	"bytes"
	"slices"
	"strings"
)

// scanner is the state of one Parse.
type scanner struct {
	*Doc
	pos    int // start of the next line to read
	para   Span
	resume int // where text starts again after a comment or math that spans paragraphs
	open   []int
	// Of these closers there is none any more from here to the end.
	noMath, noComment bool
	blank             bool // the line before was blank, or there was none
}

// Parse reads a note.
func Parse(data []byte) *Doc {
	p := &scanner{Doc: &Doc{Data: data}, blank: true}
	p.findLines()
	p.front()
	p.Body = Span{p.pos, len(data)}
	if !p.FrontBody.Empty() {
		p.frontLinks()
	}
	for p.pos < len(data) {
		p.line()
	}
	p.flush(len(data))
	return p.Doc
}

// ParseFront reads the front matter of a note only: the fields Front, FrontBody
// and Body.
func ParseFront(data []byte) *Doc {
	p := &scanner{Doc: &Doc{Data: data}}
	p.front()
	p.Body = Span{p.pos, len(data)}
	return p.Doc
}

func (p *scanner) findLines() {
	p.lines = append(make([]int, 0, 1+len(p.Data)/40), 0)
	for i := 0; ; {
		n := bytes.IndexByte(p.Data[i:], '\n')
		if n < 0 || i+n+1 >= len(p.Data) {
			return
		}
		i += n + 1
		p.lines = append(p.lines, i)
	}
}

// front finds the front matter: a first line of three dashes and a later one.
func (p *scanner) front() {
	start := 0
	if bytes.HasPrefix(p.Data, []byte(BOM)) {
		start = len(BOM)
	}
	p.pos = start
	first, next := p.bounds(start)
	if string(bytes.TrimRight(p.Data[start:first], " \t")) != "---" {
		return
	}
	for at := next; at < len(p.Data); {
		end, after := p.bounds(at)
		if string(bytes.TrimRight(p.Data[at:end], " \t")) == "---" {
			p.Front, p.FrontBody, p.pos = Span{start, after}, Span{next, at}, after
			return
		}
		at = after
	}
}

// bounds gives the end of the line that starts at start, without and with its
// line end.
func (p *scanner) bounds(start int) (end, next int) {
	n := bytes.IndexByte(p.Data[start:], '\n')
	if n < 0 {
		return len(p.Data), len(p.Data)
	}
	next = start + n + 1
	return trimEOL(p.Data, start, next), next
}

// line reads one line and the blocks it opens.
func (p *scanner) line() {
	start := p.pos
	end, next := p.bounds(start)
	p.pos = next
	pre := prefix(p.Data, start, end)
	if pre.text >= end {
		p.blank = !p.flush(start)
		return
	}
	p.leaveItems(pre)
	blank := p.blank
	p.blank = false
	if blank && pre.column >= 4 && len(p.open) == 0 && p.para.Empty() {
		p.opaque(start, end) // indented code
		p.blank = true
		return
	}
	if p.setext(start, pre.text, end) || p.startsBlock(pre.text, end) && p.flush(start) {
		return
	}
	p.item(start, end, &pre)
	for _, i := range p.open {
		p.Items[i].End = end
	}
	text := pre.text
	switch {
	case text >= end, p.thematic(text, end):
	case p.fence(start, text, end, pre):
	case p.heading(text, end):
	default:
		if p.para.Empty() {
			p.para.Start = text
		}
		p.para.End = end
	}
}

// linePrefix is the part of a line before its text.
type linePrefix struct {
	quotes int // number of ">"
	column int // of the text
	text   int // offset of the first byte that is neither white space nor ">"
}

func prefix(data []byte, start, end int) linePrefix {
	p := linePrefix{}
	for p.text = start; p.text < end; p.text++ {
		switch data[p.text] {
		case ' ':
			p.column++
		case '\t':
			p.column += 4 - p.column%4
		case '>':
			p.quotes++
			p.column = 0
			if p.text+1 < end && data[p.text+1] == ' ' {
				p.text++
			}
		default:
			return p
		}
	}
	return p
}

// startsBlock says whether the text at an offset cannot continue a paragraph.
func (p *scanner) startsBlock(at, end int) bool {
	if _, _, ok := marker(p.Data, at, end); ok {
		return true
	}
	_, n := fenceMark(p.Data, at, end)
	return n > 0 || atxLevel(p.Data, at, end) > 0 || p.thematic(at, end)
}

func lineEnd(data []byte, at int) int {
	if n := bytes.IndexByte(data[at:], '\n'); n >= 0 {
		return trimEOL(data, at, at+n+1)
	}
	return len(data)
}

// fence reads a fenced code block to its end.
func (p *scanner) fence(start, text, end int, pre linePrefix) bool {
	mark, n := fenceMark(p.Data, text, end)
	if n == 0 {
		return false
	}
	inside := 0
	if len(p.open) > 0 {
		inside = p.Items[p.open[len(p.open)-1]].inside
	}
	for p.pos < len(p.Data) {
		s := p.pos
		e, next := p.bounds(s)
		l := prefix(p.Data, s, e)
		if l.text < e && (l.quotes < pre.quotes || l.column < inside) {
			break // the quote or list item that holds the fence has ended
		}
		p.pos, end = next, e
		if m, k := fenceMark(p.Data, l.text, e); k >= n && m == mark && blankFrom(p.Data, l.text+k, e) {
			break
		}
	}
	for _, i := range p.open {
		p.Items[i].End = end
	}
	p.opaque(start, end)
	return true
}

func fenceMark(data []byte, at, end int) (byte, int) {
	if at >= end || data[at] != '`' && data[at] != '~' {
		return 0, 0
	}
	n := 0
	for at+n < end && data[at+n] == data[at] {
		n++
	}
	if n < 3 || data[at] == '`' && bytes.IndexByte(data[at+n:end], '`') >= 0 {
		return 0, 0
	}
	return data[at], n
}

func blankFrom(data []byte, at, end int) bool {
	return at >= end || len(bytes.TrimSpace(data[at:end])) == 0
}

func atxLevel(data []byte, at, end int) int {
	n := 0
	for at+n < end && data[at+n] == '#' {
		n++
	}
	if n == 0 || n > 6 || at+n < end && data[at+n] != ' ' && data[at+n] != '\t' {
		return 0
	}
	return n
}

func (p *scanner) heading(text, end int) bool {
	level := atxLevel(p.Data, text, end)
	if level == 0 {
		return false
	}
	s := text + level
	for s < end && (p.Data[s] == ' ' || p.Data[s] == '\t') {
		s++
	}
	t := bytes.TrimRight(p.Data[s:end], " \t")
	if open := bytes.TrimRight(t, "#"); len(open) < len(t) && (len(open) == 0 || open[len(open)-1] == ' ') {
		t = bytes.TrimRight(open, " \t")
	}
	p.Headings = append(p.Headings, Heading{
		Span: Span{text, end}, Text: string(t), TextSpan: Span{s, s + len(t)}, Level: level,
	})
	p.text(s, end)
	return true
}

// setext turns the paragraph before an underline into a heading.
func (p *scanner) setext(start, text, end int) bool {
	line := bytes.TrimRight(p.Data[text:end], " \t")
	if p.para.Empty() || len(p.open) > 0 || len(line) == 0 {
		return false
	}
	level := 0
	switch {
	case len(bytes.Trim(line, "=")) == 0:
		level = 1
	case len(bytes.Trim(line, "-")) == 0:
		level = 2
	default:
		return false
	}
	para := p.para
	if !p.flush(start) {
		p.Headings = append(p.Headings, Heading{
			Span: Span{para.Start, end}, Text: strings.TrimSpace(string(para.Of(p.Data))), TextSpan: para, Level: level,
		})
	}
	return true
}

// thematic says whether a line is a thematic break: three or more of one mark.
func (p *scanner) thematic(text, end int) bool {
	c := p.Data[text]
	if c != '-' && c != '*' && c != '_' {
		return false
	}
	n := 0
	for _, b := range p.Data[text:end] {
		switch b {
		case c:
			n++
		case ' ', '\t':
		default:
			return false
		}
	}
	return n >= 3
}

// flush reads the inline marks of the paragraph collected so far, which ended
// before the line at start. It says whether a comment or math of the paragraph
// reaches into that line: then the line is read already.
func (p *scanner) flush(start int) bool {
	para := p.para
	p.para = Span{}
	if para.Empty() {
		return false
	}
	p.inline(para.Start, para.End)
	if p.resume <= start {
		p.resume = 0
		return false
	}
	p.chase()
	return true
}

// text reads the inline marks of one line.
func (p *scanner) text(start, end int) {
	p.inline(start, end)
	p.chase()
}

// chase goes on behind a comment or math that reached past its paragraph.
func (p *scanner) chase() {
	for p.resume > 0 {
		at := p.resume
		p.resume = 0
		end, next := p.bounds(at)
		p.pos = max(p.pos, next)
		p.inline(at, end)
	}
}

func (p *scanner) opaque(start, end int) {
	if n := len(p.Opaque); n > 0 && p.Opaque[n-1].End >= end {
		return
	}
	p.Opaque = append(p.Opaque, Span{start, end})
}

// HeadingNamed gives the index of the first heading with a text, as a link's
// subpath names it (case and the characters that links cannot hold are
// ignored), or -1.
func (d *Doc) HeadingNamed(text string) int {
	want := HeadingKey(text)
	return slices.IndexFunc(d.Headings, func(h Heading) bool { return HeadingKey(h.Text) == want })
}

// HeadingKey folds a heading's text as links to headings do.
func HeadingKey(text string) string {
	return strings.ToLower(HeadingPath(text))
}
