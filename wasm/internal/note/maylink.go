package note

import (
	"bytes"
	"net/url"
	"path"
	"strings"
)

// CarriesLinks says whether a file can hold links: notes, canvases and bases.
func CarriesLinks(file string) bool {
	ext := strings.ToLower(path.Ext(file))
	return ext == ".md" || ext == ".canvas" || ext == ".base"
}

// MayLink says whether a text may hold a link to a file: the file's name is in
// it somewhere, in any case, as written, percent-encoded or with backslashes. It is
// never false for a text that links.
func MayLink(text []byte, target string) bool {
	name := path.Base(target)
	stem := strings.ToLower(strings.TrimSuffix(name, path.Ext(name)))
	low := bytes.ToLower(text)
	if bytes.Contains(low, []byte(stem)) {
		return true
	}
	// In front matter an apostrophe may be doubled, and in a canvas quotes are escaped.
	return strings.ContainsAny(stem, `'"\`) || bytes.Contains(low, []byte(strings.ToLower(url.PathEscape(stem)))) || mayHide(low, stem)
}

// mayHide says whether a text may hold a name in another writing: percent-encoded or
// with backslashes in a Markdown link, with entities in a tag, with escapes in the
// quotes of front matter or of a canvas.
func mayHide(low []byte, stem string) bool {
	holds := func(c byte) bool { return bytes.IndexByte(low, c) >= 0 }
	tag := holds('<')
	switch {
	case tag && holds('&'):
		return true
	case tag || bytes.Contains(low, []byte("](")) || bytes.Contains(low, []byte("]:")):
		// A backslash may stand before punctuation only.
		if holds('%') || strings.ContainsAny(stem, punctuation) && holds('\\') {
			return true
		}
	}
	return bytes.IndexByte(mayQuote(low), '\\') >= 0
}

// mayQuote gives the part of a text that may hold quotes with escapes: its front matter, or
// all of a canvas.
func mayQuote(text []byte) []byte {
	if rest, ok := bytes.CutPrefix(text, []byte("---")); ok {
		if end := bytes.Index(rest, []byte("\n---")); end >= 0 {
			return rest[:end]
		}
		return rest
	}
	if bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n\ufeff"), []byte("{")) {
		return text
	}
	return nil
}
