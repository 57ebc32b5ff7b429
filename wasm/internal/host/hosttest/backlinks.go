package hosttest

import (
	"bytes"
	"net/url"
	"path"
	"strings"
)

// MayLink says whether a file's text may hold a link to target: a Markdown or
// canvas file with the target's name somewhere in it, in any case, as written
// or percent-encoded. Never false for a file that links.
func MayLink(file string, text []byte, target string) bool {
	switch strings.ToLower(path.Ext(file)) {
	case ".md", ".canvas":
	default:
		return false
	}
	stem := strings.TrimSuffix(path.Base(target), path.Ext(target))
	low := strings.ToLower(string(text))
	if strings.Contains(low, strings.ToLower(stem)) || bytes.Contains(text, []byte(url.PathEscape(stem))) {
		return true
	}
	// A partly encoded link (only the spaces, say) holds a % and the first
	// plain letters; so does much else, which the caller reads to know.
	return strings.Contains(low, "%")
}
