// Package jsontree reads foreign JSON: it checks the whole text once, refuses what is nested too deeply before anything
// is decoded, and then answers questions about it without building Go values.
//
// Model endpoints send fields with types that nobody promised (content as a string, an array or null). Every accessor
// therefore answers with a zero value when the shape differs, and Kind tells what is really there.
//
// The grammar is RFC 8259, strictly, except that invalid UTF-8 and lone surrogate halves become U+FFFD. A Tree is reused
// from one text to the next and keeps its memory, so that reading a stream of small events allocates next to nothing.
package jsontree

import (
	"errors"
	"fmt"

	"embedded-agent/wasm/internal/jsontoken"
)

// MaxDepth is how many arrays and objects may be open at once: text from the network is refused beyond it.
const MaxDepth = 128

// Kind says what a Value is.
type Kind uint8

// The kinds. Missing is the kind of a value that is not there.
const (
	Missing Kind = iota
	Null
	Bool
	Number
	String
	Array
	Object
)

// ErrDepth reports text nested beyond MaxDepth.
var ErrDepth = errors.New("JSON is nested too deeply")

// SyntaxError reports text that is not JSON and the byte offset at which that was noticed.
type SyntaxError struct {
	Offset int
	Reason string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("not JSON: %s at byte %d", e.Reason, e.Offset)
}

// node is one value. For a string start and end exclude the quotes; next is the index of the node after the whole value.
type node struct {
	start, end int32
	next       int32
	kind       Kind
	escaped    bool
}

// maxText keeps offsets within 32 bits, which makes nodes small.
const maxText = 1 << 30

// ErrSize reports a text of more than a gigabyte.
var ErrSize = errors.New("JSON is too large")

// Tree holds one parsed text. The zero Tree is ready for Parse.
type Tree struct {
	src   []byte
	nodes []node
}

// Parse checks and indexes src, which must stay unchanged while values of the tree are used. It returns *SyntaxError,
// ErrDepth or ErrSize. Values of an earlier Parse must not be used any more.
func (t *Tree) Parse(src []byte) error {
	t.src = src
	t.nodes = t.nodes[:0]
	if len(src) > maxText {
		return ErrSize
	}
	i, err := t.value(jsontoken.Space(src, 0), 0)
	if err != nil {
		t.nodes = t.nodes[:0]
		return err
	}
	if i = jsontoken.Space(src, i); i != len(src) {
		t.nodes = t.nodes[:0]
		return &SyntaxError{Offset: i, Reason: "text after the value"}
	}
	return nil
}

// Root is the outermost value; Missing when nothing was parsed.
func (t *Tree) Root() Value {
	if len(t.nodes) == 0 {
		return Value{}
	}
	return Value{t: t, i: 0}
}

// Check reports whether src is one JSON value within MaxDepth.
func Check(src []byte) error {
	var t Tree
	return t.Parse(src)
}

// Parse reads one text into a new tree.
func Parse(src []byte) (Value, error) {
	t := new(Tree)
	if err := t.Parse(src); err != nil {
		return Value{}, err
	}
	return t.Root(), nil
}

func (t *Tree) add(k Kind, start, end int) int {
	at := len(t.nodes)
	t.nodes = append(t.nodes, node{kind: k, start: int32(start), end: int32(end), next: int32(at + 1)})
	return at
}

// value parses the value that starts at i and returns the offset after it.
func (t *Tree) value(i, depth int) (int, error) {
	if i >= len(t.src) {
		return i, &SyntaxError{Offset: i, Reason: "the text ends early"}
	}
	switch c := t.src[i]; {
	case c == '"':
		return t.str(i)
	case c == '{' || c == '[':
		if depth >= MaxDepth {
			return i, ErrDepth
		}
		if c == '{' {
			return t.object(i, depth)
		}
		return t.array(i, depth)
	case c == '-' || (c >= '0' && c <= '9'):
		end, ok := jsontoken.Number(t.src, i)
		if !ok {
			return end, &SyntaxError{Offset: end, Reason: "bad number"}
		}
		t.add(Number, i, end)
		return end, nil
	case c == 't':
		return t.literal(i, "true", Bool)
	case c == 'f':
		return t.literal(i, "false", Bool)
	case c == 'n':
		return t.literal(i, "null", Null)
	}
	return i, &SyntaxError{Offset: i, Reason: "unexpected character"}
}

func (t *Tree) literal(i int, word string, k Kind) (int, error) {
	end, ok := jsontoken.Word(t.src, i, word)
	if !ok {
		return end, &SyntaxError{Offset: end, Reason: "unexpected character"}
	}
	t.add(k, i, end)
	return end, nil
}

func (t *Tree) object(i, depth int) (int, error) {
	at := t.add(Object, i, i)
	i = jsontoken.Space(t.src, i+1)
	if i < len(t.src) && t.src[i] == '}' {
		return t.close(at, i+1), nil
	}
	for {
		if i >= len(t.src) || t.src[i] != '"' {
			return i, &SyntaxError{Offset: i, Reason: "a property name is missing"}
		}
		end, err := t.str(i)
		if err != nil {
			return end, err
		}
		i = jsontoken.Space(t.src, end)
		if i >= len(t.src) || t.src[i] != ':' {
			return i, &SyntaxError{Offset: i, Reason: "a colon is missing"}
		}
		if i, err = t.value(jsontoken.Space(t.src, i+1), depth+1); err != nil {
			return i, err
		}
		var done bool
		if i, done, err = t.separator(i, '}'); err != nil {
			return i, err
		}
		if done {
			return t.close(at, i), nil
		}
	}
}

func (t *Tree) array(i, depth int) (int, error) {
	at := t.add(Array, i, i)
	i = jsontoken.Space(t.src, i+1)
	if i < len(t.src) && t.src[i] == ']' {
		return t.close(at, i+1), nil
	}
	for {
		var done bool
		var err error
		if i, err = t.value(i, depth+1); err != nil {
			return i, err
		}
		if i, done, err = t.separator(i, ']'); err != nil {
			return i, err
		}
		if done {
			return t.close(at, i), nil
		}
	}
}

// separator reads a comma (and the space after it) or the closing character.
func (t *Tree) separator(i int, closing byte) (next int, done bool, err error) {
	i = jsontoken.Space(t.src, i)
	if i >= len(t.src) {
		return i, false, &SyntaxError{Offset: i, Reason: "the text ends early"}
	}
	switch t.src[i] {
	case closing:
		return i + 1, true, nil
	case ',':
		return jsontoken.Space(t.src, i+1), false, nil
	}
	return i, false, &SyntaxError{Offset: i, Reason: "a comma or the end is missing"}
}

func (t *Tree) close(at, end int) int {
	t.nodes[at].end = int32(end)
	t.nodes[at].next = int32(len(t.nodes))
	return end
}

// reasons say what is wrong with a string.
var reasons = [...]string{
	jsontoken.Open:    "the text ends early",
	jsontoken.Control: "control character in a string",
	jsontoken.Escape:  "bad escape",
}

// str parses the string whose opening quote is at i.
func (t *Tree) str(i int) (int, error) {
	end, escaped, wrong := jsontoken.Text(t.src, i)
	if wrong != jsontoken.Nothing {
		return end, &SyntaxError{Offset: end, Reason: reasons[wrong]}
	}
	t.nodes[t.add(String, i+1, end-1)].escaped = escaped
	return end, nil
}
