package jsontree

import (
	"unicode/utf16"
	"unicode/utf8"

	"embedded-agent/wasm/internal/jsontoken"
)

// Str is the text of a string; "" for any other kind. Invalid UTF-8 and lone surrogate halves become U+FFFD.
func (v Value) Str() string {
	n := v.node()
	if n.kind != String {
		return ""
	}
	return jsontoken.String(v.t.src[n.start:n.end], n.escaped)
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
		low, _ := jsontoken.Unit(raw)
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
	return string(jsontoken.Append(dst, raw))
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
	if i < 0 {
		return 0
	}
	unit, ok := jsontoken.Unit(raw[i:])
	if !ok || unit < 0xD800 || unit > 0xDBFF {
		return 0
	}
	backslashes := 0
	for k := i; k >= 0 && raw[k] == '\\'; k-- {
		backslashes++
	}
	if backslashes%2 == 0 {
		return 0
	}
	return unit
}
