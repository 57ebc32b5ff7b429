package note

import (
	"bytes"
	"strings"
)

// Plain gives the words of a line of text: wikilinks as what they show, without
// highlights, block ids and comments; emphasis marks that are left over are
// left alone.
func Plain(text string) string {
	data := []byte(text)
	doc := Parse(append([]byte("\n"), data...)) // a leading line end: "---" is no front matter here
	var edits Edits
	at := func(s Span) Span { return Span{s.Start - 1, s.End - 1} }
	for i := range doc.Links {
		l := &doc.Links[i]
		if l.Kind != Wiki {
			continue
		}
		edits.Replace(at(l.Span), l.Shown())
	}
	for _, b := range doc.Blocks {
		edits.Replace(at(b.Span), "")
	}
	for _, o := range doc.Opaque {
		if bytes.HasPrefix(o.Of(doc.Data), []byte("%%")) {
			edits.Replace(at(o), "")
		}
	}
	return strings.Join(strings.Fields(strings.ReplaceAll(string(edits.Apply(data)), "==", "")), " ")
}

// Shown gives the text that a wikilink shows: its alias, or its path and
// subpath.
func (l *Link) Shown() string {
	if l.Alias != "" {
		return strings.TrimSpace(l.Alias)
	}
	return strings.TrimPrefix(l.Path+strings.ReplaceAll(l.Subpath, "#", " > "), " > ")
}
