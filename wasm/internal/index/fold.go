package index

import (
	"unicode"
	"unicode/utf8"
)

// The search ignores case by Unicode's simple folding (as regexp's (?i) does)
// and nothing else: composed and decomposed letters differ. The index folds
// every text, so that one signature serves searches of both kinds.

const (
	// foldTable is how far the table of folded characters goes: all scripts
	// with letter case but rare ones are below.
	foldTable = 0x3000
	maxFolded = utf8.UTFMax
)

// foldRune gives one character for all that differ in case only: the smallest
// of them, or its lower-case form where that is ASCII.
func foldRune(r rune) rune {
	least := r
	for o := unicode.SimpleFold(r); o != r; o = unicode.SimpleFold(o) {
		least = min(least, o)
	}
	if least >= 'A' && least <= 'Z' {
		return least + 'a' - 'A'
	}
	return least
}

// folder folds runes; it is made once, at the first text beyond ASCII.
type folder struct{ table []uint16 }

func (f *folder) fold(r rune) rune {
	switch {
	case r < foldTable:
		if f.table == nil {
			f.table = make([]uint16, foldTable)
			for i := range f.table {
				f.table[i] = uint16(foldRune(rune(i)))
			}
		}
		return rune(f.table[r])
	case r < 0xA640, r >= 0xAC00 && r < 0xFF00: // ideographs, syllables, private use
		return r
	}
	return foldRune(r)
}

// appendFolded appends a text as the index sees it.
func (f *folder) appendFolded(dst []byte, text string) []byte {
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			dst = append(dst, foldByte[c])
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && n == 1 {
			dst = append(dst, c)
		} else {
			dst = utf8.AppendRune(dst, f.fold(r))
		}
		i += n
	}
	return dst
}

// foldByte folds ASCII.
var foldByte = func() (t [utf8.RuneSelf]byte) {
	for i := range t {
		t[i] = byte(i)
		if i >= 'A' && i <= 'Z' {
			t[i] += 'a' - 'A'
		}
	}
	return t
}()
