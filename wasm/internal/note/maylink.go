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
// it somewhere, in any case, as written or percent-encoded. It is never false
// for a text that links.
func MayLink(text []byte, target string) bool {
	name := path.Base(target)
	stem := strings.ToLower(strings.TrimSuffix(name, path.Ext(name)))
	low := bytes.ToLower(text)
	if bytes.Contains(low, []byte(stem)) {
		return true
	}
	// In front matter an apostrophe may be doubled, and in a canvas quotes are
	// escaped; in Markdown links any character may be encoded.
	if strings.ContainsAny(stem, `'"\`) || bytes.Contains(low, []byte(strings.ToLower(url.PathEscape(stem)))) {
		return true
	}
	return bytes.IndexByte(low, '%') >= 0 && (bytes.Contains(low, []byte("](")) || bytes.IndexByte(low, '<') >= 0)
}
