// Package strictjson reads JSON in which nothing may be misunderstood: plans,
// policies, exported actions, the arguments of calls. RFC 8259 to the letter, in
// one pass, with what encoding/json does not give: a limit on nesting before
// anything deep is built, keys given twice, and the place of a mistake; Into adds
// keys that are not known, that are known in another case, and values of another
// type. Invalid UTF-8 and lone surrogates become U+FFFD, as in encoding/json.
package strictjson

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"embedded-agent/wasm/internal/canon"
)

// MaxDepth is how many arrays and objects may be open at once (docs/design/boundary.md#messages).
const MaxDepth = canon.MaxDepth

// Error says what stopped the reader, and at which byte. Early is a text that
// ended early, Deep one that is nested beyond the limit.
type Error struct {
	At     int
	Reason string
	Early  bool
	Deep   bool
}

func (e *Error) Error() string { return e.Reason + " (at byte " + strconv.Itoa(e.At) + ")" }

// Twice is a key given twice: the way to the object (string keys, int indexes)
// and the key.
type Twice struct {
	Path []any
	Key  string
}

type reader struct {
	src   []byte
	i     int
	depth int
	max   int
	err   *Error
	path  []any // where the reader is
	twice []Twice
	// keys are the names met so far: a plan says "tool" a thousand times.
	keys map[string]string
}

// Read reads one JSON value. Numbers become float64.
func Read(src []byte, maxDepth int) (any, []Twice, *Error) {
	r := &reader{src: src, max: maxDepth, keys: map[string]string{}}
	r.space()
	v := r.value()
	if r.err == nil {
		if r.space(); r.i < len(src) {
			r.fail("there is text after the end")
		}
	}
	return v, r.twice, r.err
}

// Value reads the value that begins at a byte, whatever stands behind it: as much
// of it as there is, where it ends, and what stopped the reader.
func Value(src []byte, at, maxDepth int) (v any, end int, err *Error) {
	r := reader{src: src, i: at, max: maxDepth}
	v = r.value()
	return v, r.i, r.err
}

func (r *reader) fail(reason string) {
	if r.err == nil {
		r.err = &Error{At: r.i, Reason: reason, Early: r.i >= len(r.src)}
	}
}

func (r *reader) space() {
	for r.i < len(r.src) {
		switch r.src[r.i] {
		case ' ', '\n', '\t', '\r':
			r.i++
		default:
			return
		}
	}
}

// next gives the byte at the cursor, 0 at the end.
func (r *reader) next() byte {
	if r.i < len(r.src) {
		return r.src[r.i]
	}
	return 0
}

func (r *reader) value() any {
	switch c := r.next(); {
	case c == '"':
		return r.str()
	case c == '{', c == '[':
		if r.depth++; r.depth > r.max {
			r.fail("nested too deeply")
			r.err.Deep = true
			return nil
		}
		defer func() { r.depth-- }()
		if c == '{' {
			return r.object()
		}
		return r.array()
	case c == 't':
		return r.word("true", true)
	case c == 'f':
		return r.word("false", false)
	case c == 'n':
		return r.word("null", nil)
	case c == '-' || c >= '0' && c <= '9':
		return r.number()
	}
	r.fail("a value is missing")
	return nil
}

func (r *reader) word(w string, v any) any {
	for k := range len(w) {
		if r.next() != w[k] {
			r.fail("a value is missing")
			return nil
		}
		r.i++
	}
	return v
}

func (r *reader) object() any {
	r.i++
	m := map[string]any{}
	r.space()
	if r.next() == '}' {
		r.i++
		return m
	}
	for r.err == nil {
		if r.space(); r.next() != '"' {
			r.fail("a name in quotes is missing")
			break
		}
		key := r.key()
		if r.space(); r.next() != ':' {
			r.fail("a colon is missing")
			break
		}
		r.i++
		r.space()
		if _, again := m[key]; again {
			r.twice = append(r.twice, Twice{append([]any(nil), r.path...), key})
		}
		r.path = append(r.path, key)
		m[key] = r.value()
		r.path = r.path[:len(r.path)-1]
		r.space()
		switch r.next() {
		case ',':
			r.i++
		case '}':
			r.i++
			return m
		default:
			r.fail("a comma or a closing brace is missing")
		}
	}
	return m
}

// key reads an object's name.
func (r *reader) key() string {
	const short = 24
	for i := r.i + 1; i < len(r.src) && i <= r.i+short; i++ {
		switch c := r.src[i]; {
		case c == '"':
			raw := r.src[r.i+1 : i]
			r.i = i + 1
			if known, ok := r.keys[string(raw)]; ok {
				return known
			}
			name := string(raw)
			if r.keys != nil {
				r.keys[name] = name
			}
			return name
		case c == '\\', c >= utf8.RuneSelf, c < 0x20:
			return r.str()
		}
	}
	return r.str()
}

func (r *reader) array() any {
	r.i++
	list := []any{}
	r.space()
	if r.next() == ']' {
		r.i++
		return list
	}
	for r.err == nil {
		r.space()
		r.path = append(r.path, len(list))
		list = append(list, r.value())
		r.path = r.path[:len(r.path)-1]
		r.space()
		switch r.next() {
		case ',':
			r.i++
		case ']':
			r.i++
			return list
		default:
			r.fail("a comma or a closing bracket is missing")
		}
	}
	return list
}

func (r *reader) number() any {
	from := r.i
	if r.next() == '-' {
		r.i++
	}
	if r.next() == '0' {
		r.i++
	} else if !r.digits() {
		r.fail("a number is incomplete")
		return nil
	}
	if r.next() == '.' {
		r.i++
		if !r.digits() {
			r.fail("a number is incomplete")
			return nil
		}
	}
	if c := r.next(); c == 'e' || c == 'E' {
		r.i++
		if c := r.next(); c == '+' || c == '-' {
			r.i++
		}
		if !r.digits() {
			r.fail("a number is incomplete")
			return nil
		}
	}
	f, err := strconv.ParseFloat(string(r.src[from:r.i]), 64)
	if err != nil {
		r.i = from
		r.fail("a number is too large")
		return nil
	}
	return f
}

func (r *reader) digits() bool {
	from := r.i
	for c := r.next(); c >= '0' && c <= '9'; c = r.next() {
		r.i++
	}
	return r.i > from
}

func (r *reader) str() string {
	r.i++
	from := r.i
	for r.i < len(r.src) {
		switch c := r.src[r.i]; {
		case c == '"':
			s := string(r.src[from:r.i])
			r.i++
			return s
		case c == '\\', c >= utf8.RuneSelf:
			return r.hardStr(from)
		case c < 0x20:
			r.fail("a control character in a text is not escaped")
			return ""
		}
		r.i++
	}
	r.fail("a text is not closed")
	return ""
}

// hardStr reads on from the first byte that is not plain ASCII.
func (r *reader) hardStr(from int) string {
	b := append(make([]byte, 0, 2*(r.i-from)+64), r.src[from:r.i]...)
	for r.i < len(r.src) {
		switch c := r.src[r.i]; {
		case c == '"':
			r.i++
			return string(b)
		case c < 0x20:
			r.fail("a control character in a text is not escaped")
			return ""
		case c == '\\':
			if b = r.escape(b); r.err != nil {
				return ""
			}
		case c < utf8.RuneSelf:
			b = append(b, c)
			r.i++
		default:
			char, n := utf8.DecodeRune(r.src[r.i:])
			b = utf8.AppendRune(b, char)
			r.i += n
		}
	}
	r.fail("a text is not closed")
	return ""
}

func (r *reader) escape(b []byte) []byte {
	r.i++
	c := r.next()
	switch c {
	case '"', '\\', '/':
		b = append(b, c)
	case 'b':
		b = append(b, '\b')
	case 'f':
		b = append(b, '\f')
	case 'n':
		b = append(b, '\n')
	case 'r':
		b = append(b, '\r')
	case 't':
		b = append(b, '\t')
	case 'u':
		return r.unicode(b)
	default:
		r.fail("an escape in a text is not one of JSON's")
		return b
	}
	r.i++
	return b
}

func (r *reader) unicode(b []byte) []byte {
	char := r.hex4()
	if utf16.IsSurrogate(char) && r.next() == '\\' && r.i+1 < len(r.src) && r.src[r.i+1] == 'u' {
		back := r.i
		r.i++
		if both := utf16.DecodeRune(char, r.hex4()); both != utf8.RuneError {
			return utf8.AppendRune(b, both)
		}
		if r.err == nil {
			r.i = back // the second is a character of its own
		}
	}
	return utf8.AppendRune(b, char) // a lone surrogate becomes U+FFFD
}

// hex4 reads uXXXX, the cursor on the u.
func (r *reader) hex4() rune {
	r.i++
	var v rune
	for range 4 {
		c := r.next()
		switch {
		case c >= '0' && c <= '9':
			v = v<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			v = v<<4 | rune(c|0x20-'a'+10)
		default:
			r.fail("an escape in a text is not one of JSON's")
			return v
		}
		r.i++
	}
	return v
}
