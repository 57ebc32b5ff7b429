package strictjson

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Into decodes an object into a struct, and takes nothing that it does not
// understand: a key given twice, unknown, or known in another case; null where
// something has to stand; a value of another type. The error names the place.
//
// A field has the name that its json tag gives. Of what it does not know the inside of (any,
// json.RawMessage, types that unmarshal themselves) keys are held against being
// given twice only.
func Into(src []byte, to any) error {
	v, twice, err := Read(src, MaxDepth)
	if err != nil {
		return err
	}
	if len(twice) > 0 {
		return fmt.Errorf("%s is given twice", Place(append(twice[0].Path, twice[0].Key)))
	}
	if err := fits(nil, v, reflect.TypeOf(to).Elem()); err != nil {
		return err
	}
	return json.Unmarshal(src, to)
}

// Object reads the object that a text is, with nothing in it given twice.
func Object(src []byte) (map[string]any, error) {
	v, twice, err := Read(src, MaxDepth)
	if err != nil {
		return nil, err
	}
	if len(twice) > 0 {
		return nil, fmt.Errorf("%s is given twice", Place(append(twice[0].Path, twice[0].Key)))
	}
	m, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("it is not a JSON object")
	}
	return m, nil
}

// Place writes a way through JSON for people: “actions[0].plan”.
func Place(path []any) string {
	s := ""
	for _, e := range path {
		switch e := e.(type) {
		case int:
			s += "[" + strconv.Itoa(e) + "]"
		case string:
			if s != "" {
				s += "."
			}
			s += e
		}
	}
	return "“" + s + "”"
}

var (
	rawMessage  = reflect.TypeFor[json.RawMessage]()
	unmarshaler = reflect.TypeFor[json.Unmarshaler]()
)

// fits says why a value is not what a type takes.
func fits(path []any, v any, t reflect.Type) error {
	if t == rawMessage || t.Kind() == reflect.Interface || reflect.PointerTo(t).Implements(unmarshaler) {
		return nil
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	wrong := func(want string) error {
		at := "it"
		if len(path) > 0 {
			at = Place(path)
		}
		return fmt.Errorf("%s is not %s", at, want)
	}
	switch t.Kind() {
	case reflect.Struct:
		m, ok := v.(map[string]any)
		if !ok {
			return wrong("a JSON object")
		}
		return fitsStruct(path, m, t)
	case reflect.Map:
		m, ok := v.(map[string]any)
		if !ok {
			return wrong("a JSON object")
		}
		for _, key := range sortedKeys(m) {
			if err := fits(append(slices.Clip(path), key), m[key], t.Elem()); err != nil {
				return err
			}
		}
	case reflect.Slice, reflect.Array:
		list, ok := v.([]any)
		if !ok {
			return wrong("a list")
		}
		for i, e := range list {
			if err := fits(append(slices.Clip(path), i), e, t.Elem()); err != nil {
				return err
			}
		}
	case reflect.String:
		if _, ok := v.(string); !ok {
			return wrong("a text")
		}
	case reflect.Bool:
		if _, ok := v.(bool); !ok {
			return wrong("true or false")
		}
	default:
		if _, ok := v.(float64); !ok {
			return wrong("a number")
		}
	}
	return nil
}

func fitsStruct(path []any, m map[string]any, t reflect.Type) error {
	known := map[string]reflect.Type{}
	collect(t, known)
	for _, key := range sortedKeys(m) {
		ft, ok := known[key]
		at := append(slices.Clip(path), key)
		if !ok {
			for name := range known {
				if strings.EqualFold(name, key) {
					return fmt.Errorf("%s is not known: it is written “%s”", Place(at), name)
				}
			}
			return fmt.Errorf("%s is not known", Place(at))
		}
		if err := fits(at, m[key], ft); err != nil {
			return err
		}
	}
	return nil
}

// collect lists the fields of a struct by their names in JSON, embedded ones
// among them.
func collect(t reflect.Type, known map[string]reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-":
		case f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct:
			collect(f.Type, known)
		case !f.IsExported():
		case name != "":
			known[name] = f.Type
		default:
			known[f.Name] = f.Type
		}
	}
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
