// Package strictjson reads JSON in which nothing may be misunderstood: plans,
// policies, exported actions, the arguments of calls. RFC 8259 to the letter, in
// one pass, with what encoding/json does not give: a limit on nesting before
// anything deep is built, keys given twice, and the place of a mistake; Into adds
// keys that are not known, that are known in another case, and values of another
// type. Invalid UTF-8 and lone surrogates become U+FFFD, as in encoding/json.
package strictjson

import (
	"strconv"

	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/jsontoken"
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

func (r *reader) space() { r.i = jsontoken.Space(r.src, r.i) }

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
	end, ok := jsontoken.Word(r.src, r.i, w)
	if r.i = end; !ok {
		r.fail("a value is missing")
		return nil
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

// key reads an object's name. Short ones are kept.
func (r *reader) key() string {
	const short = 24
	raw, escaped := r.text()
	if r.keys == nil || len(raw) > short || escaped {
		return jsontoken.String(raw, escaped)
	}
	if known, ok := r.keys[string(raw)]; ok {
		return known
	}
	name := jsontoken.String(raw, escaped)
	r.keys[string(raw)] = name
	return name
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
	end, ok := jsontoken.Number(r.src, from)
	if r.i = end; !ok {
		r.fail("a number is incomplete")
		return nil
	}
	f, err := strconv.ParseFloat(string(r.src[from:end]), 64)
	if err != nil {
		r.i = from
		r.fail("a number is too large")
		return nil
	}
	return f
}

func (r *reader) str() string { return jsontoken.String(r.text()) }

// reasons say what is wrong with a text.
var reasons = [...]string{
	jsontoken.Open:    "a text is not closed",
	jsontoken.Control: "a control character in a text is not escaped",
	jsontoken.Escape:  "an escape in a text is not one of JSON's",
}

// text moves behind a text and gives the bytes between its quotes.
func (r *reader) text() (raw []byte, escaped bool) {
	from := r.i + 1
	end, escaped, wrong := jsontoken.Text(r.src, r.i)
	if r.i = end; wrong != jsontoken.Nothing {
		r.fail(reasons[wrong])
		return nil, false
	}
	return r.src[from : end-1], escaped
}
