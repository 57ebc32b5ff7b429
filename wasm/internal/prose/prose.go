// Package prose tells the words of a note that are prose from those that are part
// of something else: an address, a block id, a path, a field's name, HTML. A link
// that is written into one of those breaks it.
//
// It works on what package note has read. No sign is looked for beyond the next of
// its kind, so that a note costs no more than its length, whatever is in it.
package prose

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"embedded-agent/wasm/internal/note"
	"embedded-agent/wasm/internal/regex"
)

// Fixed lists the places of a note whose words are part of something else,
// sorted and disjoint: all its zones, what links go by, tags, numbers of lists,
// paths, names of inline fields, and what stands in HTML.
func Fixed(d *note.Doc) []note.Span {
	out := append(d.Zones(true, true, true, true), Names(d)...)
	for i := range d.Tags {
		out = append(out, d.Tags[i].Span)
	}
	for i := range d.Items {
		out = append(out, d.Items[i].Marker)
	}
	for _, f := range d.Fields() {
		if n := bytes.Index(f.Of(d.Data), []byte("::")); n >= 0 {
			out = append(out, note.Span{Start: f.Start, End: f.Start + n + 2})
		}
	}
	body := d.Body.Of(d.Data)
	labels := slices.ContainsFunc(d.Links, func(l note.Link) bool { return l.Kind == note.Definition })
	found := append(tokens(body), signs(body, labels)...)
	return note.Join(slices.Concat(out, inHTML(d), inBody(d, found)))
}

// Names lists what links go by beside paths: addresses, the names of footnotes,
// and what may be a block id.
func Names(d *note.Doc) []note.Span {
	body := d.Body.Of(d.Data)
	return inBody(d, append(addresses(body), names().FindAllIndex(body, -1)...))
}

var names = regex.Lazy(`(?m)\[\^[^\[\]\n]+\]|\^[a-zA-Z0-9-]+[ \t]*\r?$`)

// inBody gives places in the body as spans.
func inBody(d *note.Doc, found [][]int) []note.Span {
	out := make([]note.Span, len(found))
	for i, m := range found {
		out[i] = note.Span{Start: d.Body.Start + m[0], End: d.Body.Start + m[1]}
	}
	return out
}

// Joined says whether a text of a note is joined with what stands beside it, so
// that it cannot become a link by itself: the part of a number or a date, or
// beside a bracket or a sign that a link's own brackets would belong to.
func Joined(data []byte, s note.Span) bool {
	before, after := data[:s.Start], data[s.End:]
	if n := len(before); n > 0 && strings.IndexByte(`[]!<\$@#^{`, before[n-1]) >= 0 && !bytes.HasSuffix(before, []byte("]]")) {
		return true
	}
	if len(after) > 0 && strings.IndexByte(`[]({`, after[0]) >= 0 && !bytes.HasPrefix(after, []byte("[[")) || bytes.HasPrefix(after, []byte("::")) {
		return true
	}
	return s.Start > 1 && joinsWords(data[s.Start-2], data[s.Start-1], data[s.Start]) ||
		len(after) > 1 && joinsWords(after[1], after[0], data[s.End-1])
}

// joinsWords says whether a sign joins what stands on its two sides into one number,
// date, name of a file, or identifier.
func joinsWords(far, sign, near byte) bool {
	switch sign {
	case '-', ':', ',', '/':
		return digit(far) && digit(near)
	case '.', '_':
		return wordByte(far) && wordByte(near) && (sign == '_' || far < utf8.RuneSelf)
	}
	return false
}
