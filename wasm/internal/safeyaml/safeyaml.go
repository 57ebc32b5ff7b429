// Package safeyaml decodes YAML that a stranger may have written.
//
// A few hundred bytes of YAML can stand for more than any machine holds, since
// one value may name another as often as it likes. Decode therefore measures the
// parsed tree, at a cost that is linear in the length of its text, before it
// makes values of it:
//
//	bytes ─► length ─► tree: how many nodes, how deep, what its aliases stand for ─► values
//
// What is over a bound is an error, never a part of the text.
package safeyaml

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// The bounds. Front matter that people write is far below each of them.
const (
	// MaxBytes is how long a text may be.
	MaxBytes = 256 << 10
	// MaxNodes is how many keys and values it may be made of.
	MaxNodes = 50_000
	// MaxDepth is how deep it may be nested, with aliases put in.
	MaxDepth = 48
	// MaxAnchors and MaxAliases are how many values may be named, and how often
	// a name may be used.
	MaxAnchors = 200
	MaxAliases = 2_000
	// MaxExpanded is how large it may be with aliases put in, in bytes; each
	// value counts as nodeSize beside its text.
	MaxExpanded = 2 << 20

	nodeSize = 16
)

// ErrBounds is wrapped by what Decode gives for a text beyond a bound.
var ErrBounds = errors.New("it is too large to be read safely")

func beyond(what string, most int) error {
	return fmt.Errorf("%w: %s (at most %d)", ErrBounds, what, most)
}

// Decode gives the first document of a text as encoding/json would: string,
// float64, bool, nil, []any, map[string]any; dates and times stay text, and so
// does what is no number in JSON. An alias gives the value itself, which is
// shared and must not be changed in place.
func Decode(text []byte) (v any, err error) {
	defer func() {
		if r := recover(); r != nil { // the library's, on some broken texts
			v, err = nil, fmt.Errorf("the YAML cannot be read: %v", r)
		}
	}()
	if len(text) > MaxBytes {
		return nil, beyond("it is longer than may be", MaxBytes)
	}
	body, err := first(text)
	if body == nil || err != nil {
		return nil, err
	}
	if err := checkTree(body); err != nil {
		return nil, err
	}
	if v, err = valueOf(body); err != nil {
		return nil, err
	}
	return v, nil
}

// first parses a text's first document; nil where there is none. It looks behind
// it, since a line that stands further left than the first ends a document.
func first(text []byte) (*yaml.Node, error) {
	var document, next yaml.Node
	documents := yaml.NewDecoder(bytes.NewReader(text))
	if err := documents.Decode(&document); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, refusal(err)
	}
	if err := documents.Decode(&next); err != nil && !errors.Is(err, io.EOF) {
		return nil, refusal(err)
	}
	return document.Content[0], nil
}

// refusal leaves out the library's name, and all but the first of its complaints.
func refusal(err error) error {
	line, _, _ := strings.Cut(err.Error(), "\n")
	if strings.Contains(line, "exceeded max depth") {
		return beyond("it is nested deeper than may be", MaxDepth)
	}
	return errors.New(strings.TrimPrefix(line, "yaml: "))
}
