// Package related ranks notes by what sets them apart and they have in common with
// a text or a note: words that few notes have (BM25, Robertson and Zaragoza, "The
// Probabilistic Relevance Framework", 2009), and links, tags and properties.
//
// What sets a word apart is known from the vault itself, in any language: a word
// that most notes have counts for nothing. How many notes have a word is asked of
// the index's signatures, so that of a large vault only the notes at the top are
// read. A script without spaces between words is taken in pairs of letters.
package related

import (
	"strings"
	"unicode/utf8"

	"embedded-agent/wasm/internal/note"
)

// shortest is how many bytes a word has at least: the index knows of no shorter
// ones, and they set little apart.
const shortest = 3

// eachWord calls use for each word of a text, in lower case, and for each pair of
// letters that stand together in a script without spaces.
func eachWord(text []byte, use func(word string)) {
	before := note.Span{}
	for _, s := range note.Words(text) {
		r, _ := utf8.DecodeRune(s.Of(text))
		switch wide := note.Wide(r); {
		case wide && before.End == s.Start && !before.Empty():
			use(string(text[before.Start:s.End]))
		case !wide && s.End-s.Start >= shortest:
			use(strings.ToLower(string(s.Of(text))))
		}
		if before = s; !note.Wide(r) {
			before = note.Span{}
		}
	}
}

// Counts are how often the words of a query occur in a note, by their numbers.
type Counts []Count

// Count is how often one word occurs.
type Count struct{ Word, Times uint16 }
