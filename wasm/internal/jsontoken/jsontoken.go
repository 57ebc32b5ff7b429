// Package jsontoken reads the tokens of JSON (RFC 8259, to the letter) for the
// three readers of this program. Each of them does something that encoding/json
// does not, so each has its own way through lists and objects, and all have this
// one way through texts, numbers and words:
//
//   - strictjson reads what a person approves: plans, policies, arguments. It
//     names a key given twice and the byte of a mistake, and reads as much as
//     there is of a text that ends early.
//   - jsontree reads what an endpoint streams. It decodes only what is asked for,
//     and keeps its memory from one event to the next.
//   - llm/sentinel looks for calls in a model's prose. It moves behind a value
//     that begins anywhere, takes trailing commas where asked to, and hands on the
//     bytes as they stand.
//
// json.Decoder has the offset behind a token only, takes the last of two equal
// keys without a word, and makes a value of every token.
//
// A position is an index of a byte. Functions that move give where they stopped.
package jsontoken

import (
	"unicode/utf16"
	"unicode/utf8"
)

// Bytes is a text that is read.
type Bytes interface{ ~string | ~[]byte }

// Wrong says what is wrong with a text in quotes.
type Wrong uint8

// What can be wrong. Open is a text without a closing quote, Control one with a
// control character that is not escaped, Escape one with an escape that is not
// one of JSON's, or is cut short.
const (
	Nothing Wrong = iota
	Open
	Control
	Escape
)

// Space moves behind white space.
func Space[T Bytes](src T, at int) int {
	for at < len(src) && (src[at] == ' ' || src[at] == '\n' || src[at] == '\t' || src[at] == '\r') {
		at++
	}
	return at
}

// plain marks the bytes that stand for themselves in a text.
var plain = func() (t [256]bool) {
	for c := range t {
		t[c] = c >= ' ' && c != '"' && c != '\\'
	}
	return t
}()

// Text moves behind the text whose opening quote is at a position, or to what is
// wrong with it. Escaped says whether the text has an escape. UTF-8 is not
// checked.
func Text[T Bytes](src T, at int) (end int, escaped bool, wrong Wrong) {
	i := at + 1
	for {
		for i < len(src) && plain[src[i]] {
			i++
		}
		switch {
		case i >= len(src):
			return i, escaped, Open
		case src[i] == '"':
			return i + 1, escaped, Nothing
		case src[i] < ' ':
			return i, escaped, Control
		}
		escaped = true
		var ok bool
		if i, ok = escape(src, i+1); !ok {
			return i, escaped, Escape
		}
	}
}

// escape moves behind an escape from the byte after its backslash.
func escape[T Bytes](src T, i int) (int, bool) {
	if i >= len(src) {
		return i, false
	}
	switch src[i] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 1, true
	case 'u':
		for k := i + 1; k < i+5; k++ {
			if k >= len(src) || hex(src[k]) < 0 {
				return k, false
			}
		}
		return i + 5, true
	}
	return i, false
}

// hex gives what a hexadecimal digit stands for, and -1 for any other byte.
func hex(c byte) rune {
	switch {
	case c >= '0' && c <= '9':
		return rune(c - '0')
	case c >= 'a' && c <= 'f':
		return rune(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return rune(c-'A') + 10
	}
	return -1
}

// Number moves behind a number, or to where it breaks off.
func Number[T Bytes](src T, at int) (end int, ok bool) {
	if at < len(src) && src[at] == '-' {
		at++
	}
	if at < len(src) && src[at] == '0' {
		at++
	} else if at, ok = digits(src, at); !ok {
		return at, false
	}
	if at < len(src) && src[at] == '.' {
		if at, ok = digits(src, at+1); !ok {
			return at, false
		}
	}
	if at < len(src) && (src[at] == 'e' || src[at] == 'E') {
		at++
		if at < len(src) && (src[at] == '+' || src[at] == '-') {
			at++
		}
		return digits(src, at)
	}
	return at, true
}

func digits[T Bytes](src T, at int) (end int, ok bool) {
	from := at
	for at < len(src) && src[at] >= '0' && src[at] <= '9' {
		at++
	}
	return at, at > from
}

// Word moves behind true, false or null, or to the first byte that differs.
func Word[T Bytes](src T, at int, word string) (end int, ok bool) {
	for k := range len(word) {
		if at >= len(src) || src[at] != word[k] {
			return at, false
		}
		at++
	}
	return at, true
}

// String gives what a text stands for, from the bytes between its quotes as Text
// found them. Invalid UTF-8 and lone surrogates become U+FFFD.
func String(raw []byte, escaped bool) string {
	if !escaped && utf8.Valid(raw) {
		return string(raw)
	}
	return string(Append(make([]byte, 0, len(raw)), raw))
}

// Append appends what String gives for a text with escapes.
func Append(dst, raw []byte) []byte {
	for i := 0; i < len(raw); {
		from := i
		for i < len(raw) && raw[i] != '\\' && raw[i] < utf8.RuneSelf {
			i++
		}
		if dst = append(dst, raw[from:i]...); i == len(raw) {
			break
		}
		char, n := utf8.DecodeRune(raw[i:])
		if raw[i] == '\\' {
			char, n, _ = Char(raw[i:])
		}
		dst = utf8.AppendRune(dst, char)
		i += n
	}
	return dst
}

// Char gives the character of the escape that a checked text begins with, and how
// many bytes it takes: two escapes are one character where they are a surrogate
// pair. For a lone surrogate it gives U+FFFD and false.
func Char[T Bytes](raw T) (char rune, n int, ok bool) {
	switch raw[1] {
	case 'b':
		return '\b', 2, true
	case 'f':
		return '\f', 2, true
	case 'n':
		return '\n', 2, true
	case 'r':
		return '\r', 2, true
	case 't':
		return '\t', 2, true
	case 'u':
	default:
		return rune(raw[1]), 2, true
	}
	unit, _ := Unit(raw)
	if !utf16.IsSurrogate(unit) {
		return unit, 6, true
	}
	if low, is := Unit(raw[6:]); is {
		if pair := utf16.DecodeRune(unit, low); pair != utf8.RuneError {
			return pair, 12, true
		}
	}
	return utf8.RuneError, 6, false
}

// Unit gives the UTF-16 unit of the \uXXXX that a checked text begins with, and
// whether it begins with one.
func Unit[T Bytes](raw T) (unit rune, ok bool) {
	if len(raw) < 6 || raw[0] != '\\' || raw[1] != 'u' {
		return 0, false
	}
	for k := 2; k < 6; k++ {
		unit = unit<<4 | hex(raw[k])
	}
	return unit, true
}
