package prose

import (
	"bytes"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/note"
)

// tagName gives the name of an HTML tag in lower case, and whether it closes.
func tagName(tag []byte) (name string, closes bool) {
	tag, closes = bytes.CutPrefix(tag[1:], []byte("/"))
	n := 0
	for n < len(tag) && (isLetter(tag[n]) || n > 0 && digit(tag[n])) {
		n++
	}
	return strings.ToLower(string(tag[:n])), closes
}

// Elements whose text is no Markdown, or a link already, and those that begin a
// block of HTML (CommonMark 4.6, the sixth kind).
const (
	wholeElements = " a code kbd samp var pre script style textarea svg iframe button object select math "
	blockElements = " address article aside base basefont blockquote body caption center col colgroup dd details dialog dir div dl dt " +
		"fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe legend li link main menu " +
		"menuitem nav noframes ol optgroup option p param search section summary table tbody td tfoot th thead title tr track ul "
)

func among(names, name string) bool { return name != "" && strings.Contains(names, " "+name+" ") }

// inHTML lists what stands in HTML: tags, elements whose text is no prose, blocks.
func inHTML(d *note.Doc) []note.Span {
	tags := htmlTags(d)
	return slices.Concat(tags, elements(d, tags), htmlBlocks(d, tags))
}

// htmlTags lists the tags of a note in their order. Parse leaves out those with
// brackets and those over several lines: the app finds links in them.
func htmlTags(d *note.Doc) []note.Span {
	var out []note.Span
	opaque := d.Opaque
	for i := d.Body.Start; i < d.Body.End; {
		n := bytes.IndexByte(d.Data[i:d.Body.End], '<')
		if n < 0 {
			break
		}
		i += n
		for len(opaque) > 0 && opaque[0].End <= i {
			opaque = opaque[1:]
		}
		s := note.Span{Start: i, End: i + note.OpenTag(d.Data[i:d.Body.End])}
		if len(opaque) > 0 && opaque[0].Start <= i {
			if opaque[0].Start < i {
				i = opaque[0].End // code
				continue
			}
			s.End = max(s.End, opaque[0].End)
		}
		if !s.Empty() && !bytes.Contains(s.Of(d.Data), []byte("\n\n")) {
			out = append(out, s)
		}
		i = max(i+1, s.End)
	}
	return out
}

// elements lists HTML elements whose text is no prose.
func elements(d *note.Doc, tags []note.Span) []note.Span {
	var out []note.Span
	open := map[string]int{}
	for _, o := range tags {
		name, closes := tagName(o.Of(d.Data))
		if !among(wholeElements, name) {
			continue
		}
		start, is := open[name]
		switch {
		case closes && is:
			out = append(out, note.Span{Start: start, End: o.End})
			delete(open, name)
		case !closes && !is:
			open[name] = o.Start
		}
	}
	return out
}

// htmlBlocks lists blocks of HTML, up to the next blank line: such a tag at the
// start of a line, or any tag that fills the first line of a block.
func htmlBlocks(d *note.Doc, tags []note.Span) []note.Span {
	var out []note.Span
	after := 0
	for _, tag := range tags {
		first, last := d.Line(tag.Start), d.Line(tag.End-1)
		if tag.Start < after || !blank(d.Data[d.LineSpan(first).Start:tag.Start]) {
			continue
		}
		name, _ := tagName(tag.Of(d.Data))
		fills := name != "" && blankLine(d, first-1) && blank(d.Data[tag.End:max(tag.End, d.LineSpan(last).End)])
		if !fills && !among(blockElements, name) {
			continue
		}
		for !blankLine(d, last+1) {
			last++
		}
		after = d.LineSpan(last).End
		out = append(out, note.Span{Start: tag.Start, End: after})
	}
	return out
}

// blankLine says whether a line holds nothing but marks of quotes, or is none.
func blankLine(d *note.Doc, n int) bool {
	return n < 0 || n >= d.Lines() || blank(d.LineSpan(n).Of(d.Data))
}

func blank(text []byte) bool { return len(bytes.TrimLeft(text, " \t>")) == 0 }
