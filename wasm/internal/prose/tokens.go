package prose

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"embedded-agent/wasm/internal/note"
	"embedded-agent/wasm/internal/regex"
)

// address is how an address begins.
var address = regex.Lazy(`(?i)[a-z][a-z0-9+.-]*://|www\.|(?:mailto|tel|sms|doi|urn|data|file|geo|magnet):`)

// addresses finds the addresses in a text, as pairs of offsets.
func addresses(text []byte) [][]int {
	var out [][]int
	eachRun(text, endsAddress, func(token []byte, base int) {
		if !bytes.ContainsAny(token, ":.") {
			return
		}
		if at := address().FindIndex(token); at != nil {
			out = append(out, []int{base + at[0], base + len(token)})
		}
	})
	return out
}

// tokens finds paths, names of files, hosts and persons, and identifiers.
func tokens(text []byte) [][]int {
	var out [][]int
	eachRun(text, func(r rune) bool { return endsAddress(r) || note.Wide(r) }, func(token []byte, base int) {
		if technical(token) {
			out = append(out, []int{base, base + len(token)})
		}
	})
	return out
}

// endsAddress says whether a sign ends an address in a text of any script.
func endsAddress(r rune) bool {
	return unicode.IsSpace(r) || strings.ContainsRune("<>\"，。、；：！？（）「」『』【】《》", r)
}

// eachRun visits the parts of a text between characters that part it.
func eachRun(text []byte, parts func(rune) bool, visit func(run []byte, base int)) {
	for i := 0; i < len(text); {
		n := bytes.IndexFunc(text[i:], parts)
		if n < 0 {
			n = len(text) - i
		}
		visit(text[i:i+n], i)
		_, width := utf8.DecodeRune(text[i+n:])
		i += n + max(1, width)
	}
}

// technical says whether a text without white space is a path, a name of a file
// or host or person on the web, or an identifier.
func technical(token []byte) bool {
	if !bytes.ContainsAny(token, "@/\\._") {
		return false
	}
	token = bytes.Trim(token, "*_~=()[]{}'.,;:!?\\`")
	if bytes.ContainsAny(token, "@\\") || bytes.HasPrefix(token, []byte("/")) || bytes.Count(token, []byte("/")) > 1 {
		return true
	}
	for i := 1; i+1 < len(token); i++ {
		if token[i] == '_' || token[i] == '.' && wordByte(token[i-1]) && wordByte(token[i+1]) {
			return true
		}
	}
	return false
}

// wordByte says whether a byte is of a letter or a digit.
func wordByte(c byte) bool { return isLetter(c) || digit(c) || c >= utf8.RuneSelf }

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func digit(c byte) bool { return c >= '0' && c <= '9' }

// signs finds what is written between brackets, or after one sign, and breaks
// when a word in it becomes a link: tags wherever they stand, block ids, callouts,
// references, entities, a template's fields. Where a note defines labels, every
// text in brackets may be one.
func signs(text []byte, labels bool) [][]int {
	var out [][]int
	for i := 0; ; {
		n := bytes.IndexAny(text[i:], "#^[]&{<")
		if n < 0 {
			return out
		}
		i += n
		end := sign(text[i:], labels)
		if end > 0 {
			out = append(out, []int{i, i + end})
		}
		i += max(1, end)
	}
}

// sign gives the length of the sign that a text starts with, or 0. None looks
// beyond the next sign of its kind, so all of them together are linear.
func sign(text []byte, labels bool) int {
	switch {
	case text[0] == '#' || text[0] == '^':
		return 1 + runFunc(text[1:], func(r rune) bool { return note.TagRune(r) && r != '^' })
	case text[0] == '&':
		n := 1 + runFunc(text[1:], func(r rune) bool { return r == '#' || r < utf8.RuneSelf && wordByte(byte(r)) })
		return closed(text, n, ";")
	case bytes.HasPrefix(text, []byte("](")):
		return closed(text, 2+runFunc(text[2:], func(r rune) bool { return !strings.ContainsRune("()\n", r) }), ")")
	case bytes.HasPrefix(text, []byte("{{")):
		return closed(text, 2+runFunc(text[2:], func(r rune) bool { return r != '{' && r != '}' }), "}}")
	case bytes.HasPrefix(text, []byte("<%")):
		return closed(text, 2+runFunc(text[2:], func(r rune) bool { return r != '%' }), "%>")
	case text[0] == '[':
		inside := func(r rune) bool { return r != '[' && r != ']' }
		end := closed(text, 1+runFunc(text[1:], inside), "]")
		if end > 0 && end < len(text) && text[end] == '[' {
			if both := closed(text, end+1+runFunc(text[end+1:], inside), "]"); both > 0 {
				return both
			}
		}
		if labels || end > 0 && text[1] == '!' {
			return end
		}
	}
	return 0
}

// runFunc gives the length of the run of such characters that a text starts with.
func runFunc(text []byte, in func(rune) bool) int {
	n := bytes.IndexFunc(text, func(r rune) bool { return !in(r) })
	if n < 0 {
		return len(text)
	}
	return n
}

// closed gives the offset behind what closes a sign there; 0 where it does not.
func closed(text []byte, at int, closer string) int {
	if bytes.HasPrefix(text[at:], []byte(closer)) {
		return at + len(closer)
	}
	return 0
}
