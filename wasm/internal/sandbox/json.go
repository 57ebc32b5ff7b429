package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math/big"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"embedded-agent/wasm/internal/canon"
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

// decodeValue reads JSON. Whole numbers are ints, however they are large.
func decodeValue(text []byte) (starlark.Value, error) {
	if err := canon.CheckDepth(text); err != nil {
		return nil, errors.New("the JSON is nested too deep")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	v, err := readValue(d)
	if err != nil {
		return nil, jsonError(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more after the JSON")
	}
	return v, nil
}

func jsonError(err error) error {
	if errors.Is(err, io.EOF) {
		return errors.New("the JSON ends too early")
	}
	return err
}

func readValue(d *json.Decoder) (starlark.Value, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t := t.(type) {
	case bool:
		return starlark.Bool(t), nil
	case string:
		return starlark.String(t), nil
	case json.Number:
		return readNumber(t)
	case json.Delim:
		if t == '[' {
			return readList(d)
		}
		return readDict(d)
	}
	return starlark.None, nil
}

func readNumber(n json.Number) (starlark.Value, error) {
	if strings.ContainsAny(string(n), ".eE") {
		f, err := n.Float64()
		return starlark.Float(f), err
	}
	if i, err := n.Int64(); err == nil {
		return starlark.MakeInt64(i), nil
	}
	i, ok := new(big.Int).SetString(string(n), 10)
	if !ok {
		return nil, errors.New("a number cannot be read")
	}
	return starlark.MakeBigInt(i), nil
}

func readList(d *json.Decoder) (starlark.Value, error) {
	var items []starlark.Value
	for d.More() {
		v, err := readValue(d)
		if err != nil {
			return nil, err
		}
		items = append(items, v)
	}
	_, err := d.Token() // the end
	return starlark.NewList(items), err
}

func readDict(d *json.Decoder) (starlark.Value, error) {
	dict := starlark.NewDict(0)
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		name, _ := key.(string)
		v, err := readValue(d)
		if err != nil {
			return nil, err
		}
		if err := dict.SetKey(starlark.String(name), v); err != nil {
			return nil, err
		}
	}
	_, err := d.Token() // the end
	return dict, err
}
