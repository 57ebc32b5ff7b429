package note

import (
	"bytes"

	"embedded-agent/wasm/internal/safeyaml"
)

// frontLinks finds the wikilinks in the values of the front matter. They stand
// in quotes (an unquoted "[[" starts a list in YAML) or inside a plain text.
func (p *scanner) frontLinks() {
	data := p.Data
	for at := p.FrontBody.Start; at < p.FrontBody.End; {
		end, next := p.bounds(at)
		var quote byte
		shut := -1 // the next "]]", once it was looked for
		for i := at; i < end; i++ {
			c := data[i]
			switch {
			case quote == 0 && c == '#' && (i == at || isSpace(data[i-1])):
				i = end // a comment
			case quote == 0 && (c == '"' || c == '\'') && opensQuote(data, at, i):
				quote = c
			case quote == '\'' && c == '\'' && i+1 < end && data[i+1] == '\'':
				i++ // an escaped quote
			case quote == '"' && c == '\\':
				i++
			case quote != 0 && c == quote:
				quote = 0
			case c == '[' && i+1 < end && data[i+1] == '[':
				i = p.frontLink(i, end, quote, &shut)
			}
		}
		at = next
	}
}

// opensQuote says whether a quotation mark starts a value: after a key, a list
// dash, or the marks of a flow collection.
func opensQuote(data []byte, line, at int) bool {
	for at--; at >= line; at-- {
		switch data[at] {
		case ' ', '\t':
		case ':', '-', ',', '[', '{', '?':
			return true
		default:
			return false
		}
	}
	return true
}

// frontLink reads one link and gives the offset of its last byte. shut is where
// the next "]]" of the line is, as far as an earlier link has looked for it.
func (p *scanner) frontLink(at, end int, quote byte, shut *int) int {
	data := p.Data
	if *shut < at+2 {
		n := bytes.Index(data[at+2:end], []byte("]]"))
		if n < 0 {
			return end // no link any more in this line
		}
		*shut = at + 2 + n
	}
	n := *shut - at - 2
	if n == 0 || quote == 0 && opensQuote(data, p.lines[p.Line(at)], at) {
		return at + 1
	}
	inside, closed := at+2, at+2+n
	if i := bytes.LastIndex(data[inside:closed], []byte("[[")); i >= 0 {
		inside += i + 2
		at = inside - 2
	}
	if inside == closed {
		return at + 1
	}
	l := wikiLink(data, inside, closed, true)
	l.Span, l.quote = Span{at, closed + 2}, quote
	l.Path, l.Subpath = unquote(l.Path, quote), unquote(l.Subpath, quote)
	if at > 0 && data[at-1] == '!' {
		l.Embed = true
		l.Start--
	}
	p.Links = append(p.Links, l)
	return closed + 1
}

// unquote undoes YAML's escapes of a quoted text.
func unquote(s string, quote byte) string {
	switch quote {
	case '\'':
		return string(bytes.ReplaceAll([]byte(s), []byte("''"), []byte("'")))
	case '"':
		return safeyaml.Unescape(s)
	}
	return s
}

// requote escapes a text for the quotes it goes into.
func requote(s string, quote byte) string {
	switch quote {
	case '\'':
		return string(bytes.ReplaceAll([]byte(s), []byte("'"), []byte("''")))
	case '"':
		b := make([]byte, 0, len(s)+2)
		for i := range len(s) {
			if s[i] == '"' || s[i] == '\\' {
				b = append(b, '\\')
			}
			b = append(b, s[i])
		}
		return string(b)
	}
	return s
}
