package sandbox

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"go.starlark.net/starlark"

	"embedded-agent/wasm/internal/canon"
)

// errLarge ends the writing of an output that is too large.
var errLarge = fmt.Errorf("its result is larger than %d bytes of JSON", MaxOutput)

// appendValue appends a value as JSON. What JSON has no form for is refused,
// and so is what is nested too deep or too long: a list may hold itself.
func appendValue(dst []byte, v starlark.Value, depth int) ([]byte, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("its result is nested more than %d levels deep", maxDepth)
	}
	if len(dst) > MaxOutput {
		return nil, errLarge
	}
	switch v := v.(type) {
	case starlark.NoneType:
		return append(dst, "null"...), nil
	case starlark.Bool:
		return strconv.AppendBool(dst, bool(v)), nil
	case starlark.Int:
		return appendInt(dst, v)
	case starlark.Float:
		if f := float64(v); math.IsInf(f, 0) || math.IsNaN(f) {
			return nil, errors.New("its result contains a number that JSON cannot express")
		}
		return strconv.AppendFloat(dst, float64(v), 'g', -1, 64), nil
	case starlark.String:
		if len(v) > MaxOutput {
			return nil, errLarge
		}
		return canon.AppendString(dst, strings.ToValidUTF8(string(v), "\ufffd")), nil
	case *starlark.Dict:
		return appendDict(dst, v, depth)
	case *starlark.List:
		return appendItems(dst, v, depth)
	case starlark.Tuple:
		return appendItems(dst, v, depth)
	case *starlark.Set:
		return appendItems(dst, v, depth)
	}
	return nil, fmt.Errorf("its result contains a %s, which JSON cannot express: return text, numbers, lists or dicts", v.Type())
}

// appendInt refuses whole numbers that a reader of JSON would take for another.
func appendInt(dst []byte, v starlark.Int) ([]byte, error) {
	if f := float64(v.Float()); !math.IsInf(f, 0) {
		if text := v.String(); strconv.FormatFloat(f, 'f', -1, 64) == text {
			return append(dst, text...), nil
		}
	}
	return nil, errors.New("its result contains a whole number that JSON cannot express: use str()")
}

func appendDict(dst []byte, d *starlark.Dict, depth int) ([]byte, error) {
	dst = append(dst, '{')
	for i, item := range d.Items() {
		key, ok := starlark.AsString(item[0])
		if !ok {
			return nil, fmt.Errorf("its result contains a dict with a key that is a %s, not text", item[0].Type())
		}
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(canon.AppendString(dst, strings.ToValidUTF8(key, "\ufffd")), ':')
		var err error
		if dst, err = appendValue(dst, item[1], depth+1); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}

func appendItems(dst []byte, list starlark.Iterable, depth int) ([]byte, error) {
	dst = append(dst, '[')
	items := list.Iterate()
	defer items.Done()
	var item starlark.Value
	for i := 0; items.Next(&item); i++ {
		if i > 0 {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = appendValue(dst, item, depth+1); err != nil {
			return nil, err
		}
	}
	return append(dst, ']'), nil
}
