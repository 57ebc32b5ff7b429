package llm

import (
	"encoding/json"

	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/jsontree"
)

// maxStrictDepth is how deeply a schema may nest to be used strictly.
const maxStrictDepth = 10

// StrictSchema rewrites a JSON Schema so that OpenAI can hold a model to it: every property is required, and one that
// was optional may be null instead; objects are closed; annotations that are refused are left out. It gives false where
// the schema says something that strict mode cannot (facts on structured outputs: allOf, not, if, patternProperties and
// others; open objects; a root that is not a plain object). StripNulls undoes the nulls in what the model sends.
func StrictSchema(schema []byte) (json.RawMessage, bool) { return strictSchema(schema, false) }

// StrictSchemaWithoutBounds is StrictSchema for endpoints that refuse bounds on numbers, lengths and patterns as well
// (Anthropic): those are left out, and checked afterwards only.
func StrictSchemaWithoutBounds(schema []byte) (json.RawMessage, bool) {
	return strictSchema(schema, true)
}

func strictSchema(schema []byte, unbounded bool) (json.RawMessage, bool) {
	v, err := jsontree.Parse(schema)
	if err != nil || v.Kind() != jsontree.Object || !v.Get("type").Is("object") {
		return nil, false
	}
	for _, k := range []string{"anyOf", "oneOf", "enum", "const", "$ref"} {
		if v.Get(k).Exists() {
			return nil, false
		}
	}
	w := strictWriter{ok: true, unbounded: unbounded}
	w.schema(v, 0, false)
	return w.out, w.ok
}

// strictWriter writes a schema in the order in which it was given.
type strictWriter struct {
	out       []byte
	ok        bool
	unbounded bool
}

func (w *strictWriter) key(first *bool, name string) {
	if !*first {
		w.out = append(w.out, ',')
	}
	*first = false
	w.out = canon.AppendString(w.out, name)
	w.out = append(w.out, ':')
}

func (w *strictWriter) schema(v jsontree.Value, depth int, nullable bool) {
	if v.Kind() != jsontree.Object || depth > maxStrictDepth {
		w.ok = false
		return
	}
	kind := inferred(v)
	if kind == "" && !v.Get("type").Exists() && !isChoice(v) {
		// A schema that allows anything.
		w.ok = false
		return
	}
	listed := v.Get("type").Exists() || v.Get("anyOf").Exists() || v.Get("oneOf").Exists()
	if nullable && !canBeNull(v) && kind == "" && !listed {
		// Nothing to add "null" to: the schema and null are alternatives.
		w.out = append(w.out, `{"anyOf":[`...)
		w.schema(v, depth+1, false)
		w.out = append(w.out, `,{"type":"null"}]}`...)
		return
	}
	w.out = append(w.out, '{')
	first := true
	if kind != "" {
		w.key(&first, "type")
		if nullable {
			w.out = append(w.out, `["string","null"]`...)
		} else {
			w.out = append(w.out, `"string"`...)
		}
	}
	for name, value := range v.Members() {
		w.keyword(&first, name, value, depth, nullable && !canBeNull(v))
	}
	if isObject(v) {
		w.closeObject(&first, v, depth)
	}
	w.out = append(w.out, '}')
}

func (w *strictWriter) keyword(first *bool, name string, value jsontree.Value, depth int, nullable bool) {
	switch name {
	case "$schema", "$id", "$comment", "default", "examples", "readOnly", "writeOnly", "deprecated",
		"required", "additionalProperties":
		// Annotations that are refused, and what closeObject writes.
	case "properties":
		// closeObject writes them too.
	case "type":
		w.key(first, name)
		w.types(value, nullable)
	case "enum":
		w.key(first, name)
		w.enum(value, nullable)
	case "const":
		w.key(first, "enum")
		w.out = append(append(w.out, '['), value.Raw()...)
		if nullable {
			w.out = append(w.out, ",null"...)
		}
		w.out = append(w.out, ']')
	case "items":
		w.key(first, name)
		w.schema(value, depth+1, false)
	case "anyOf", "oneOf":
		w.key(first, "anyOf")
		w.list(value, depth, nullable)
	case "$defs", "definitions":
		w.key(first, name)
		w.named(value, depth)
	case "$ref", "description", "title":
		w.key(first, name)
		w.out = append(w.out, value.Raw()...)
	case "pattern", "format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minItems",
		"maxItems", "minLength", "maxLength":
		if !w.unbounded {
			w.key(first, name)
			w.out = append(w.out, value.Raw()...)
		}
	default:
		w.ok = false
	}
}

func (w *strictWriter) types(value jsontree.Value, nullable bool) {
	if !nullable {
		w.out = append(w.out, value.Raw()...)
		return
	}
	w.out = append(w.out, '[')
	if value.Kind() == jsontree.Array {
		for e := range value.Elements() {
			w.out = append(append(w.out, e.Raw()...), ',')
		}
	} else {
		w.out = append(append(w.out, value.Raw()...), ',')
	}
	w.out = append(w.out, `"null"]`...)
}

func (w *strictWriter) enum(value jsontree.Value, nullable bool) {
	w.out = append(w.out, '[')
	first := true
	hasNull := false
	for e := range value.Elements() {
		if !first {
			w.out = append(w.out, ',')
		}
		first = false
		hasNull = hasNull || e.Kind() == jsontree.Null
		w.out = append(w.out, e.Raw()...)
	}
	if nullable && !hasNull {
		w.out = append(w.out, ",null"...)
	}
	w.out = append(w.out, ']')
}

func (w *strictWriter) list(value jsontree.Value, depth int, nullable bool) {
	w.out = append(w.out, '[')
	first := true
	for e := range value.Elements() {
		if !first {
			w.out = append(w.out, ',')
		}
		first = false
		w.schema(e, depth+1, false)
	}
	if nullable {
		w.out = append(w.out, `,{"type":"null"}`...)
	}
	w.out = append(w.out, ']')
}

func (w *strictWriter) named(value jsontree.Value, depth int) {
	w.out = append(w.out, '{')
	first := true
	for name, schema := range value.Members() {
		w.key(&first, name)
		w.schema(schema, depth+1, false)
	}
	w.out = append(w.out, '}')
}

// closeObject writes the properties of an object schema, all of them required, and closes it.
func (w *strictWriter) closeObject(first *bool, v jsontree.Value, depth int) {
	extra := v.Get("additionalProperties")
	open := extra.Kind() != jsontree.Missing && (extra.Kind() != jsontree.Bool || extra.Bool())
	if open || (extra.Kind() == jsontree.Missing && v.Get("properties").Len() == 0) {
		w.ok = false
		return
	}
	w.key(first, "properties")
	w.out = append(w.out, '{')
	inner := true
	for name, schema := range v.Get("properties").Members() {
		w.key(&inner, name)
		w.schema(schema, depth+1, !requires(v, name))
	}
	w.out = append(w.out, `},"required":[`...)
	inner = true
	for name := range v.Get("properties").Members() {
		if !inner {
			w.out = append(w.out, ',')
		}
		inner = false
		w.out = canon.AppendString(w.out, name)
	}
	w.out = append(w.out, `],"additionalProperties":false`...)
}

func requires(object jsontree.Value, name string) bool {
	for r := range object.Get("required").Elements() {
		if r.Is(name) {
			return true
		}
	}
	return false
}

// inferred is the type of a schema that lists strings without saying that they are strings; strict mode wants it said.
func inferred(v jsontree.Value) string {
	if v.Get("type").Exists() {
		return ""
	}
	if v.Get("const").Kind() == jsontree.String {
		return "string"
	}
	if v.Get("enum").Len() == 0 {
		return ""
	}
	for e := range v.Get("enum").Elements() {
		if e.Kind() != jsontree.String {
			return ""
		}
	}
	return "string"
}

// isChoice reports whether a schema without a type says what it allows in another way.
func isChoice(v jsontree.Value) bool {
	for _, name := range []string{"enum", "const", "anyOf", "oneOf", "$ref", "properties"} {
		if v.Get(name).Kind() != jsontree.Missing {
			return true
		}
	}
	return false
}

func isObject(v jsontree.Value) bool {
	if v.Get("properties").Exists() || v.Get("type").Is("object") {
		return true
	}
	for e := range v.Get("type").Elements() {
		if e.Is("object") {
			return true
		}
	}
	return false
}

func canBeNull(v jsontree.Value) bool {
	if v.Get("type").Is("null") {
		return true
	}
	for e := range v.Get("type").Elements() {
		if e.Is("null") {
			return true
		}
	}
	for _, name := range []string{"anyOf", "oneOf"} {
		for e := range v.Get(name).Elements() {
			if canBeNull(e) {
				return true
			}
		}
	}
	return false
}

// StripNulls removes from arguments the nulls that strict mode makes a model send for what it leaves out: those of
// properties that schema (as it was before StrictSchema) neither requires nor allows to be null.
func StripNulls(schema, arguments []byte) json.RawMessage {
	s, err := jsontree.Parse(schema)
	if err != nil {
		return arguments
	}
	a, err := jsontree.Parse(arguments)
	if err != nil {
		return arguments
	}
	return stripNulls(nil, s, s, a)
}

func stripNulls(dst []byte, root, schema, v jsontree.Value) []byte {
	schema = deref(root, schema)
	first := true
	comma := func() {
		if !first {
			dst = append(dst, ',')
		}
		first = false
	}
	switch v.Kind() {
	case jsontree.Object:
		dst = append(dst, '{')
		for name, value := range v.Members() {
			property := deref(root, schema.Get("properties").Get(name))
			if value.Kind() == jsontree.Null && property.Exists() && !canBeNull(property) && !requires(schema, name) {
				continue
			}
			comma()
			dst = append(canon.AppendString(dst, name), ':')
			dst = stripNulls(dst, root, property, value)
		}
		return append(dst, '}')
	case jsontree.Array:
		dst = append(dst, '[')
		for e := range v.Elements() {
			comma()
			dst = stripNulls(dst, root, schema.Get("items"), e)
		}
		return append(dst, ']')
	}
	return append(dst, v.Raw()...)
}

// deref follows a local reference, as far as a schema within the depth limit can chain them.
func deref(root, schema jsontree.Value) jsontree.Value {
	for range maxStrictDepth {
		ref := schema.Get("$ref").Str()
		if ref == "" {
			return schema
		}
		schema = pointer(root, ref)
	}
	return jsontree.Value{}
}
