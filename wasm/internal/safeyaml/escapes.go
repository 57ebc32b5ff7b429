package safeyaml

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// shortEscapes are the escapes of one letter in YAML's double quotes (YAML 1.2.2, 5.7).
var shortEscapes = map[byte]string{
	'0': "\x00", 'a': "\a", 'b': "\b", 't': "\t", '\t': "\t", 'n': "\n", 'v': "\v", 'f': "\f", 'r': "\r", 'e': "\x1b",
	' ': " ", '"': `"`, '/': "/", '\\': `\`, 'N': "\u0085", '_': "\u00a0", 'L': "\u2028", 'P': "\u2029",
}

// Unescape undoes the escapes of YAML's double quotes. One that is none is left as it is.
func Unescape(s string) string {
	var b strings.Builder
	for {
		at := strings.IndexByte(s, '\\')
		if at < 0 || at+1 == len(s) {
			return b.String() + s
		}
		b.WriteString(s[:at])
		s = s[at:]
		text, size := escaped(s)
		b.WriteString(text)
		s = s[size:]
	}
}

// knownEscapes says whether each backslash of a text begins an escape of YAML.
func knownEscapes(s string) bool {
	for at := strings.IndexByte(s, '\\'); at >= 0; at = strings.IndexByte(s, '\\') {
		if at+1 == len(s) {
			return false
		}
		_, size := escaped(s[at:])
		if size == 1 {
			return false
		}
		s = s[at+size:]
	}
	return true
}

// escaped gives the text that the escape at the start of s stands for, and its length in
// bytes. Two that are the halves of one character count as one, as in JSON.
func escaped(s string) (string, int) {
	if text, ok := shortEscapes[s[1]]; ok {
		return text, 2
	}
	r, size := escapedRune(s)
	if size == 0 {
		return s[:1], 1
	}
	if !utf16.IsSurrogate(r) {
		return string(r), size
	}
	low, more := escapedRune(s[size:])
	if both := utf16.DecodeRune(r, low); both != utf8.RuneError {
		return string(both), size + more
	}
	return s[:1], 1
}

// escapedRune reads \xNN, \uNNNN or \UNNNNNNNN; its length is 0 where there is none.
func escapedRune(s string) (rune, int) {
	if len(s) < 2 || s[0] != '\\' {
		return 0, 0
	}
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[s[1]]
	if digits == 0 || len(s) < 2+digits {
		return 0, 0
	}
	n, err := strconv.ParseUint(s[2:2+digits], 16, 31)
	if err != nil {
		return 0, 0
	}
	return rune(n), 2 + digits
}
