package note

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Words gives the places of the words of a text: runs of letters and digits,
// with apostrophes inside. A letter of a script without spaces between words
// (Han, Kana, Thai) is a word of its own.
func Words(data []byte) []Span {
	var out []Span
	start := -1
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		switch {
		case Wide(r):
			if start >= 0 {
				out = append(out, Span{start, i})
				start = -1
			}
			out = append(out, Span{i, i + n})
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || start >= 0 && (r == '\'' || r == '’') && letterAt(data[i+n:]):
			if start < 0 {
				start = i
			}
		case start >= 0:
			out = append(out, Span{start, i})
			start = -1
		}
		i += n
	}
	if start >= 0 {
		out = append(out, Span{start, len(data)})
	}
	return out
}

// Wide says whether a letter is of a script without spaces between words.
func Wide(r rune) bool {
	return r >= 0x0e00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
}

func letterAt(data []byte) bool {
	r, _ := utf8.DecodeRune(data)
	return unicode.IsLetter(r)
}

// Aliases lists the aliases of a note's front matter: the properties "aliases"
// and "alias", each a list or a text with commas between.
func Aliases(values map[string]any) []string {
	var out []string
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if low := strings.ToLower(key); low != "aliases" && low != "alias" {
			continue
		}
		switch v := values[key].(type) {
		case string:
			for a := range strings.SplitSeq(v, ",") {
				out = append(out, strings.TrimSpace(a))
			}
		case []any:
			for _, e := range v {
				if s, ok := e.(string); ok {
					out = append(out, strings.TrimSpace(s))
				}
			}
		}
	}
	return out
}

// HeadingPath gives a heading's text as a link names it: without the signs that a
// link cannot hold.
func HeadingPath(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t#^|[]\\:%", r) }), " ")
}
