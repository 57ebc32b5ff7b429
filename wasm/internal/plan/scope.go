package plan

import (
	"time"

	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/quota"
	"embedded-agent/wasm/internal/tool"
)

// Scope gives references their values while a step is bound. Step gives the output of
// a step that has ended ({"items": […]} for a foreach step), Var a captured or
// internal variable; false means that there is none. Item and Index are the
// iteration's.
type Scope struct {
	Step  func(id string) (any, bool)
	Var   func(name string) (any, bool)
	Item  any
	Index int
	// Now is the now of conditions.
	Now time.Time
	// Make is asked before a text is filled or a list is copied, with the bytes
	// that it takes; its error is the binding's. Nil asks nobody.
	Make func(bytes int) error
}

// MapScope makes a Scope of two maps, either of which may be nil.
func MapScope(steps, vars map[string]any) Scope {
	from := func(m map[string]any) func(string) (any, bool) {
		return func(name string) (any, bool) { v, ok := m[name]; return v, ok }
	}
	return Scope{Step: from(steps), Var: from(vars)}
}

// At gives the scope of one iteration.
func (s Scope) At(index int, item any) Scope {
	s.Index, s.Item = index, item
	return s
}

// make asks for the bytes of a value that is put into a text, or copied: of a
// copy the texts are shared.
func (s *Scope) make(v any, intoText bool) error {
	switch {
	case s.Make == nil:
		return nil
	case intoText:
		return s.Make(quota.Size(v))
	}
	return s.Make(quota.Shape(v))
}

// value looks a reference up.
func (s *Scope) value(r *ref) (any, bool) {
	var v any
	ok := false
	switch r.kind {
	case refItem:
		v, ok = s.Item, true
	case refIndex:
		v, ok = s.Index, true
	case refStep:
		if s.Step != nil {
			v, ok = s.Step(r.name)
		}
	case refVar:
		if s.Var != nil {
			v, ok = s.Var(r.name)
		}
	}
	if ok {
		v, ok = along(v, r.path)
	}
	if (!ok || v == nil) && r.or != nil {
		return *r.or, true
	}
	return v, ok
}

// along goes a way into a value. Behind [*] it goes on in every element; what they
// give is one list, without the elements that have no such field.
func along(v any, path []seg) (any, bool) {
	for i, s := range path {
		if !s.all {
			var ok bool
			if v, ok = enter(v, s); !ok {
				return nil, false
			}
			continue
		}
		elements, ok := tool.ListOf(v)
		if !ok {
			return nil, false
		}
		all := make([]any, 0, len(elements))
		for _, e := range elements {
			if e, ok = along(e, path[i+1:]); !ok {
				continue
			}
			if inner, is := tool.ListOf(e); is {
				all = append(all, inner...)
			} else {
				all = append(all, e)
			}
		}
		return all, true
	}
	return v, true
}

// enter goes one step into a value of any of the types that tools may give.
func enter(v any, s seg) (any, bool) {
	switch v := v.(type) {
	case map[string]any:
		x, ok := v[s.key]
		return x, ok
	case tool.Data:
		x, ok := v[s.key]
		return x, ok
	case tool.Args:
		x, ok := v[s.key]
		return x, ok
	case map[string]string:
		x, ok := v[s.key]
		return x, ok
	default:
		if list, ok := tool.ListOf(v); ok && s.num && s.index < len(list) {
			return list[s.index], true
		}
	}
	return nil, false
}

// appendText writes a value as it stands inside a longer text: a text as it
// is, anything else as canonical JSON.
func appendText(dst []byte, v any) ([]byte, error) {
	if s, ok := v.(string); ok {
		return append(dst, s...), nil
	}
	return canon.Append(dst, tool.Plain(v))
}
