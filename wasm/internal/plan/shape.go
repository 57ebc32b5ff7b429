package plan

import (
	"encoding/json"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/tool"
)

// A shape has the facts of a JSON Schema about one place in a value, as far as
// references need to know: which fields there are, what a list holds, which
// types are possible. Unions and $ref into the same document are followed.
// What a schema leaves open is unknown, and unknown is never a problem: the
// value is validated when it is there.
//
// A plan asks the same few places again and again, so each is read once.
type shape struct{ *schemaPlace }

// schemaPlace is one place of one schema.
type schemaPlace struct {
	doc  *schemaDoc
	alts []map[string]any
	// extra are fields, and elements those of a list, that another schema describes.
	extra    map[string]shape
	elements *shape
	// What was read of it already.
	ways      map[seg]way
	kinds     []string
	kindsRead bool
	words     map[string]string
}

// way is where a step into a shape leads.
type way struct {
	to    shape
	found entry
}

// schemaDoc is one parsed schema.
type schemaDoc struct{ root any }

// shapes holds the schemas of the tools that one plan uses.
type shapes struct{ in, out map[*tool.Entry]shape }

func newShapes() *shapes {
	return &shapes{map[*tool.Entry]shape{}, map[*tool.Entry]shape{}}
}

func (s *shapes) input(e *tool.Entry) shape  { return cached(s.in, e, e.Input) }
func (s *shapes) output(e *tool.Entry) shape { return cached(s.out, e, e.Output) }

func cached(m map[*tool.Entry]shape, e *tool.Entry, raw json.RawMessage) shape {
	sh, ok := m[e]
	if !ok {
		sh = parseShape(raw)
		m[e] = sh
	}
	return sh
}

func parseShape(raw json.RawMessage) shape {
	var root any
	if json.Unmarshal(raw, &root) != nil {
		return shape{} // the registry's own tests refuse such a schema; here it is unknown
	}
	d := &schemaDoc{root}
	return d.at(root)
}

// at gives the shape of a schema node.
func (d *schemaDoc) at(n any) shape {
	var alts []map[string]any
	known := d.collect(n, &alts, 0)
	if !known {
		return shape{}
	}
	return newShape(d, alts)
}

func newShape(d *schemaDoc, alts []map[string]any) shape {
	return shape{&schemaPlace{doc: d, alts: alts, ways: map[seg]way{}, words: map[string]string{}}}
}

// collect lists the alternatives that a node stands for; false when one of
// them is open to anything.
func (d *schemaDoc) collect(n any, alts *[]map[string]any, depth int) bool {
	m, ok := n.(map[string]any)
	if !ok || len(m) == 0 || depth > 16 {
		return false
	}
	if target, ok := m["$ref"].(string); ok {
		return d.collect(d.pointer(target), alts, depth+1)
	}
	if _, has := m["properties"]; has || m["type"] != nil {
		*alts = append(*alts, m)
		return true
	}
	for _, union := range []string{"anyOf", "oneOf"} {
		if list, ok := m[union].([]any); ok && len(list) > 0 {
			for _, e := range list {
				if !d.collect(e, alts, depth+1) {
					return false
				}
			}
			return true
		}
	}
	return false
}

// pointer follows "#/definitions/x".
func (d *schemaDoc) pointer(target string) any {
	if !strings.HasPrefix(target, "#") {
		return nil
	}
	at := d.root
	for part := range strings.SplitSeq(strings.TrimPrefix(target[1:], "/"), "/") {
		if part == "" {
			continue
		}
		m, _ := at.(map[string]any)
		at = m[fromPointer.Replace(part)]
	}
	return at
}

// listOf is the output of a foreach step: what each call gave, with the element
// that it was made for.
func listOf(output, item shape) shape {
	each := output
	if !output.unknown() {
		each = newShape(output.doc, output.alts)
		each.extra = map[string]shape{KeptItem: item}
	}
	all := (&schemaDoc{}).at(map[string]any{
		"type": "object", "properties": map[string]any{"items": anyList, "skipped": skippedShape}, "additionalProperties": false,
	})
	all.extra = map[string]shape{"items": allOf(each)}
	return all
}

// KeptItem is the field in which an iteration's output keeps the element.
const KeptItem = "item"

var anyList = map[string]any{"type": "array"}

// allOf is the shape of a list of such elements.
func allOf(element shape) shape {
	list := (&schemaDoc{}).at(anyList)
	list.elements = &element
	return list
}

// skippedShape is the schema of a loop's list of elements that it left out.
var skippedShape = map[string]any{"type": "array", "items": map[string]any{
	"type": "object", "additionalProperties": false,
	"properties": map[string]any{"path": map[string]any{"type": "string"}, "reason": map[string]any{"type": "string"}},
}}

func (s shape) unknown() bool { return s.schemaPlace == nil }

// entry says what a step into a value finds.
type entry uint8

const (
	entryOK entry = iota
	entryNoField
	entryIsList   // a list, but no index
	entryIsScalar // neither object nor list
)

// enter goes one step into the shape. What is found in any of the alternatives
// is taken; only where all refuse it there is no such field.
func (s shape) enter(k seg) (shape, entry) {
	if s.unknown() {
		return shape{}, entryOK
	}
	w, read := s.ways[k]
	if !read {
		w.to, w.found = s.read(k)
		s.ways[k] = w
	}
	return w.to, w.found
}

func (s shape) read(k seg) (shape, entry) {
	if sub, ok := s.extra[k.key]; ok {
		return sub, entryOK
	}
	if s.elements != nil && k.num {
		return *s.elements, entryOK
	}
	var found []map[string]any
	verdict := entryIsScalar
	for _, a := range s.alts {
		sub, v := s.doc.enterOne(a, k)
		if v != entryOK {
			if v != entryIsScalar {
				verdict = v
			}
			continue
		}
		if sub.unknown() {
			return shape{}, entryOK
		}
		found = append(found, sub.alts...)
	}
	if found == nil {
		return shape{}, verdict
	}
	return newShape(s.doc, found), entryOK
}

func (d *schemaDoc) enterOne(a map[string]any, k seg) (shape, entry) {
	types := typesOf(a)
	if slices.Contains(types, "array") && k.num {
		if items, ok := a["items"].(map[string]any); ok {
			return d.at(items), entryOK
		}
		return shape{}, entryOK
	}
	props, hasProps := a["properties"].(map[string]any)
	if hasProps || slices.Contains(types, "object") {
		if p, ok := props[k.key]; ok {
			return d.at(p), entryOK
		}
		switch extra := a["additionalProperties"].(type) {
		case map[string]any:
			return d.at(extra), entryOK
		case bool:
			if extra {
				return shape{}, entryOK
			}
		case nil:
			if !hasProps && a["patternProperties"] == nil {
				return shape{}, entryOK
			}
		}
		if a["patternProperties"] != nil {
			return shape{}, entryOK
		}
		return shape{}, entryNoField
	}
	if slices.Contains(types, "array") {
		return shape{}, entryIsList
	}
	return shape{}, entryIsScalar
}

// along goes a way into a shape, as the function of that name does into a value.
// Where it ends early, the place, the step that it does not have, and why are given.
func (s shape) along(path []seg) (shape, seg, entry) {
	for i, k := range path {
		if k.all {
			element, ok := s.items()
			if !ok {
				return s, k, entryIsScalar
			}
			inner, at, found := element.along(path[i+1:])
			switch {
			case found != entryOK:
				return inner, at, found
			case !inner.unknown() && slices.Equal(inner.types(), []string{"array"}):
				return inner, seg{}, entryOK
			case slices.Contains(inner.types(), "array"):
				inner = shape{}
			}
			return allOf(inner), seg{}, entryOK
		}
		sub, found := s.enter(k)
		if found != entryOK {
			return s, k, found
		}
		s = sub
	}
	return s, seg{}, entryOK
}

// open says whether an object of this shape may have fields that it does not
// name.
func (s shape) open() bool {
	if s.unknown() {
		return true
	}
	for _, a := range s.alts {
		if extra, ok := a["additionalProperties"].(bool); !ok || extra {
			return true
		}
	}
	return false
}

// fields lists the names that the shape has, sorted, for a message.
func (s shape) fields() []string {
	if s.unknown() {
		return nil
	}
	var names []string
	for _, a := range s.alts {
		props, _ := a["properties"].(map[string]any)
		for k := range props {
			names = append(names, k)
		}
	}
	for k := range s.extra {
		names = append(names, k)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// types lists the possible JSON types; nil when unknown.
func (s shape) types() []string {
	if s.unknown() {
		return nil
	}
	if !s.kindsRead {
		s.kinds, s.kindsRead = s.readTypes(), true
	}
	return s.kinds
}

func (s shape) readTypes() []string {
	var all []string
	for _, a := range s.alts {
		t := typesOf(a)
		if t == nil {
			return nil
		}
		all = append(all, t...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// items gives the shape of a list's elements; false when it cannot be a list.
func (s shape) items() (shape, bool) {
	if s.unknown() {
		return shape{}, true
	}
	if types := s.types(); types != nil && !slices.Contains(types, "array") {
		return shape{}, false
	}
	if s.elements != nil {
		return *s.elements, true
	}
	var found []map[string]any
	for _, a := range s.alts {
		if items, ok := a["items"].(map[string]any); ok {
			sub := s.doc.at(items)
			if sub.unknown() {
				return shape{}, true
			}
			found = append(found, sub.alts...)
		} else if slices.Contains(typesOf(a), "array") {
			return shape{}, true
		}
	}
	if found == nil {
		return shape{}, true
	}
	return newShape(s.doc, found), true
}

// keyword gives a keyword's text from any of the alternatives.
func (s shape) keyword(name string) string {
	if s.unknown() {
		return ""
	}
	word, read := s.words[name]
	if !read {
		for _, a := range s.alts {
			if v, ok := a[name].(string); ok {
				word = v
				break
			}
		}
		s.words[name] = word
	}
	return word
}

func typesOf(a map[string]any) []string {
	switch t := a["type"].(type) {
	case string:
		return []string{t}
	case []any:
		out := make([]string, 0, len(t))
		for _, e := range t {
			if s, ok := e.(string); ok {
				out = append(out, s)
			}
		}
		return out
	}
	if _, ok := a["properties"]; ok {
		return []string{"object"}
	}
	return nil
}

// fits says whether a value of one of the types given can be of one of those
// asked for. Unknown fits.
func fits(given, asked []string) bool {
	if given == nil || asked == nil {
		return true
	}
	for _, g := range given {
		for _, a := range asked {
			if g == a || g == "integer" && a == "number" || g == "number" && a == "integer" {
				return true
			}
		}
	}
	return false
}
