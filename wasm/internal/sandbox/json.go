package sandbox

import (
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"embedded-agent/wasm/internal/jsontree"
)

// jsonModule is "json", within the bounds of an output. (Starlark's own module
// has none, and would cost 15 kB more.)
var jsonModule = &starlarkstruct.Module{Name: "json", Members: starlark.StringDict{
	"decode": starlark.NewBuiltin("json.decode", func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
		var text string
		if err := starlark.UnpackArgs(b.Name(), args, kw, "text", &text); err != nil {
			return nil, err
		}
		return decodeValue([]byte(text))
	}),
	"encode": starlark.NewBuiltin("json.encode", func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
		var v starlark.Value
		if err := starlark.UnpackArgs(b.Name(), args, kw, "value", &v); err != nil {
			return nil, err
		}
		text, err := appendValue(nil, v, 0)
		return starlark.String(text), err
	}),
}}

// decodeValue reads JSON. Whole numbers are ints, however large they are.
func decodeValue(text []byte) (starlark.Value, error) {
	root, err := jsontree.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("this is not valid JSON: %w", err)
	}
	return reader{}.value(root)
}

// reader makes values of JSON. It has each key once: those of a list of notes are
// the same in all of them.
type reader map[string]starlark.Value

func (r reader) key(name string) starlark.Value {
	if k, ok := r[name]; ok {
		return k
	}
	k := starlark.String(name)
	r[name] = k
	return k
}

func (r reader) value(v jsontree.Value) (starlark.Value, error) {
	switch v.Kind() {
	case jsontree.Bool:
		return starlark.Bool(v.Bool()), nil
	case jsontree.String:
		return starlark.String(v.Str()), nil
	case jsontree.Number:
		return numberOf(string(v.Raw()))
	case jsontree.Array:
		items := make([]starlark.Value, 0, v.Len())
		for e := range v.Elements() {
			item, err := r.value(e)
			if err != nil {
				return nil, err
			}
			items = append(items, item)
		}
		return starlark.NewList(items), nil
	case jsontree.Object:
		dict := starlark.NewDict(v.Len())
		for key, e := range v.Members() {
			item, err := r.value(e)
			if err != nil {
				return nil, err
			}
			if err := dict.SetKey(r.key(key), item); err != nil {
				return nil, err
			}
		}
		return dict, nil
	}
	return starlark.None, nil
}

// maxDigits is the longest whole number that is read: reading takes the square
// of that.
const maxDigits = 1000

func numberOf(n string) (starlark.Value, error) {
	if strings.ContainsAny(n, ".eE") {
		f, err := strconv.ParseFloat(n, 64)
		return starlark.Float(f), err
	}
	if i, err := strconv.ParseInt(n, 10, 64); err == nil {
		return starlark.MakeInt64(i), nil
	}
	i, ok := new(big.Int), false
	if len(n) <= maxDigits {
		i, ok = i.SetString(n, 10)
	}
	if !ok {
		return nil, errors.New("the JSON contains a number that is too long")
	}
	return starlark.MakeBigInt(i), nil
}
