package note

import (
	"bytes"
	"sort"
)

// Tables lists the tables of the note, from the header row to the line before the
// next blank one. In them a "|" ends a cell, also inside a link, unless it is
// escaped.
func (d *Doc) Tables() []Span {
	var out []Span
	for n := 1; n < d.Lines(); n++ {
		row := d.LineSpan(n)
		if !delimiterRow(row.Of(d.Data)) || d.blankLine(n-1) || d.InOpaque(row.Start) {
			continue
		}
		t := Span{d.LineSpan(n - 1).Start, row.End}
		for ; n+1 < d.Lines() && !d.blankLine(n+1); n++ {
			t.End = d.LineSpan(n + 1).End
		}
		out = append(out, t)
	}
	return out
}

// delimiterRow says whether a line is the one below a table's header: dashes,
// with colons and bars, in a quote or not.
func delimiterRow(line []byte) bool {
	return bytes.IndexByte(line, '-') >= 0 && bytes.IndexByte(line, '|') >= 0 && len(bytes.Trim(line, "|-: \t>")) == 0
}

// InSpans says whether an offset lies in one of spans that are sorted and
// disjoint.
func InSpans(spans []Span, offset int) bool {
	i := sort.Search(len(spans), func(i int) bool { return spans[i].End > offset })
	return i < len(spans) && spans[i].Start <= offset
}

// EscapeBars writes a link as it has to stand in a table.
func EscapeBars(link string) string {
	var b bytes.Buffer
	for i := range len(link) {
		if link[i] == '|' && (i == 0 || link[i-1] != '\\') {
			b.WriteByte('\\')
		}
		b.WriteByte(link[i])
	}
	return b.String()
}
