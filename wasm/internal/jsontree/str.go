package jsontree

import (
	"unicode/utf16"
	"unicode/utf8"
)

// Str is the text of a string; "" for any other kind. Invalid UTF-8 and lone surrogate halves become U+FFFD.
func (v Value) Str() string {
	n := v.node()
	if n.kind != String {
		return ""
	}
	raw := v.t.src[n.start:n.end]
	if !n.escaped && utf8.Valid(raw) {
		return string(raw)
	}
	return string(appendUnescaped(make([]byte, 0, len(raw)), raw))
}

// Is reports whether the value is the string s, without allocating.
func (v Value) Is(s string) bool {
	n := v.node()
	return n.kind == String && v.t.isKey(&n, s)
}

// Joiner puts together text that a sender cut into pieces by UTF-16 units: half of a surrogate pair at the end of one
// piece waits for its other half at the start of the next.
type Joiner struct{ high rune }

// Next gives the text of a piece, with what was waiting before it.
func (j *Joiner) Next(v Value) string {
	n := v.node()
	if n.kind != String {
		return ""
	}
	raw := v.t.src[n.start:n.end]
	if j.high == 0 && !n.escaped {
		return v.Str()
	}
	if len(raw) == 0 {
		return ""
	}
	dst := make([]byte, 0, len(raw)+4)
	if j.high != 0 {
		low := rune(0)
		if len(raw) >= 6 && raw[0] == '\\' && raw[1] == 'u' {
			low = hex4(raw[2:6])
		}
		if r := utf16.DecodeRune(j.high, low); r != utf8.RuneError {
			dst = utf8.AppendRune(dst, r)
			raw = raw[6:]
		} else {
			dst = utf8.AppendRune(dst, utf8.RuneError)
		}
		j.high = 0
	}
	if high := trailingHigh(raw); high != 0 {
		j.high = high
		raw = raw[:len(raw)-6]
	}
	return string(appendUnescaped(dst, raw))
}

// End gives what is still waiting when no piece follows: U+FFFD for half a pair, or nothing.
func (j *Joiner) End() string {
	if j.high == 0 {
		return ""
	}
	j.high = 0
	return string(utf8.RuneError)
}

// trailingHigh is the high surrogate that the raw string ends with as an escape, or 0.
func trailingHigh(raw []byte) rune {
	i := len(raw) - 6
	if i < 0 || raw[i] != '\\' || raw[i+1] != 'u' {
		return 0
	}
	backslashes := 0
	for k := i; k >= 0 && raw[k] == '\\'; k-- {
		backslashes++
	}
	r := hex4(raw[i+2:])
	if backslashes%2 == 0 || r < 0xD800 || r > 0xDBFF {
		return 0
	}
	return r
}

// appendUnescaped appends the text of a checked raw string.
func appendUnescaped(dst, raw []byte) []byte {
	for i := 0; i < len(raw); {
		c := raw[i]
		switch {
		case c == '\\':
			var n int
			dst, n = appendEscape(dst, raw[i:])
			i += n
		case c < utf8.RuneSelf:
			dst = append(dst, c)
			i++
		default:
			r, n := utf8.DecodeRune(raw[i:])
			dst = utf8.AppendRune(dst, r)
			i += n
		}
	}
	return dst
}

// appendEscape appends what the escape at the start of raw stands for and returns its length in raw.
func appendEscape(dst, raw []byte) ([]byte, int) {
	switch raw[1] {
	case 'b':
		return append(dst, '\b'), 2
	case 'f':
		return append(dst, '\f'), 2
	case 'n':
		return append(dst, '\n'), 2
	case 'r':
		return append(dst, '\r'), 2
	case 't':
		return append(dst, '\t'), 2
	case 'u':
		r := hex4(raw[2:6])
		if !utf16.IsSurrogate(r) {
			return utf8.AppendRune(dst, r), 6
		}
		if len(raw) >= 12 && raw[6] == '\\' && raw[7] == 'u' {
			if pair := utf16.DecodeRune(r, hex4(raw[8:12])); pair != utf8.RuneError {
				return utf8.AppendRune(dst, pair), 12
			}
		}
		return utf8.AppendRune(dst, utf8.RuneError), 6
	}
	return append(dst, raw[1]), 2
}

func hexValue(c byte) rune {
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

func hex4(b []byte) rune {
	var r rune
	for _, c := range b[:4] {
		h := hexValue(c)
		if h < 0 {
			return 0
		}
		r = r<<4 | h
	}
	return r
}
