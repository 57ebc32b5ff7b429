// Package safeyaml decodes YAML that a stranger may have written.
//
// The YAML library (goccy/go-yaml) takes time and memory by the square of the
// depth, and one value may name another so often that a few hundred bytes stand
// for more than any machine holds. Decode therefore looks three times before
// anything is made of a text, each time at a cost that is linear in its length:
//
//	bytes ─► length ─► tokens: how many, how deep ─► tree: what its aliases stand for ─► values
//
// What is over a bound is an error, never a part of the text.
package safeyaml

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
)

// The bounds. Front matter that people write is far below each of them.
const (
	// MaxBytes is how long a text may be.
	MaxBytes = 256 << 10
	// MaxTokens is how many marks, keys and values it may be made of.
	MaxTokens = 50_000
	// MaxDepth is how deep it may be nested, with aliases put in.
	MaxDepth = 48
	// MaxKeys is how many keys it may have in block style, of all its mappings:
	// the library's parser calls itself for each.
	MaxKeys = 1_000
	// MaxAnchors and MaxAliases are how many values may be named, and how often
	// a name may be used.
	MaxAnchors = 200
	MaxAliases = 2_000
	// MaxExpanded is how large it may be with aliases put in, in bytes; a value
	// that is no text counts as nodeSize.
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
	tokens := lexer.Tokenize(strings.ReplaceAll(string(text), "\r\n", "\n"))
	if err := checkTokens(tokens); err != nil {
		return nil, err
	}
	file, err := parser.Parse(tokens, 0)
	if err != nil {
		return nil, firstLine(err)
	}
	if err := checkTree(file); err != nil {
		return nil, err
	}
	body := firstBody(file)
	if body == nil {
		return nil, nil
	}
	var raw any
	if err := yaml.NodeToValue(body, &raw); err != nil {
		return nil, firstLine(err)
	}
	return jsonValue(raw), nil
}

func firstBody(file *ast.File) ast.Node {
	for _, doc := range file.Docs {
		if doc.Body != nil && doc.Body.Type() != ast.CommentType {
			return doc.Body
		}
	}
	return nil
}

// firstLine leaves out the picture of the source that the library draws.
func firstLine(err error) error {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return errors.New(line)
}

// jsonValue gives a decoded YAML value as encoding/json would. Its work is
// bounded by MaxExpanded and MaxDepth, which the tree was checked against.
func jsonValue(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[k] = jsonValue(e)
		}
		return out
	case map[any]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[fmt.Sprint(k)] = jsonValue(e)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = jsonValue(e)
		}
		return out
	case uint64:
		return float64(v)
	case int64:
		return float64(v)
	case int:
		return float64(v)
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Sprint(v)
		}
		return v
	case string, bool, nil:
		return v
	}
	return fmt.Sprint(v)
}
