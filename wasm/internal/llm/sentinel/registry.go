package sentinel

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// Tool is the one canonical shape of a function tool.
type Tool struct {
	Name        string
	Description string
	Parameters  json.RawMessage // a JSON Schema (draft-07 unless it says otherwise), nil for none
	Strict      *bool           // nil where the client did not say; only true enforces
}

// ToolError says why a tool of a request cannot be used, in words for whoever made the request.
type ToolError struct {
	Index   int // in the request's list
	Message string
}

func (e *ToolError) Error() string { return fmt.Sprintf("tools[%d]: %s", e.Index, e.Message) }

// wireTool is both shapes of a function tool: the one of Responses and the nested one of Chat Completions.
type wireTool struct {
	Type string `json:"type"`
	wireFunction
	Function *wireFunction `json:"function"`
}

type wireFunction struct {
	Name        *string         `json:"name"`
	Description *string         `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      *bool           `json:"strict"`
}

// DecodeTools reads the tools of a request in either shape (docs/design/sentinel.md#the-proxy). What the outer shape says wins.
// Tools of other types are refused: the provider would have to host them.
func DecodeTools(raw []json.RawMessage) ([]Tool, error) {
	tools := make([]Tool, 0, len(raw))
	for i, r := range raw {
		var w wireTool
		if err := json.Unmarshal(r, &w); err != nil {
			return nil, &ToolError{i, "not a tool object"}
		}
		if w.Type != "function" {
			return nil, &ToolError{i, fmt.Sprintf("type %q is not supported here, only \"function\": hosted tools do not run behind this endpoint", clip(w.Type, 40))}
		}
		f := w.Function
		if f == nil {
			f = &wireFunction{}
		}
		t := Tool{
			Name:        deref(w.Name, f.Name),
			Description: deref(w.Description, f.Description),
			Parameters:  w.Parameters,
			Strict:      w.Strict,
		}
		if t.Parameters == nil {
			t.Parameters = f.Parameters
		}
		if t.Strict == nil {
			t.Strict = f.Strict
		}
		tools = append(tools, t)
	}
	return tools, nil
}

func deref(a, b *string) string {
	switch {
	case a != nil:
		return *a
	case b != nil:
		return *b
	}
	return ""
}

// Registry holds the tools of one request, ready to check calls. It does not change and may be shared.
type Registry struct {
	tools     []Tool // those that may be called, in the request's order
	byName    map[string]*entry
	excluded  map[string]bool
	anyStrict bool
}

type entry struct {
	strict bool
	schema *jsonschema.Schema
}

// NewRegistry checks the tools and compiles their schemas. allow, when not nil, names the tools that tool_choice lets through.
// A schema that cannot be compiled (a pattern that this engine does not know, say) is refused for a strict tool and not
// checked for another.
func NewRegistry(tools []Tool, allow map[string]bool) (*Registry, error) {
	r := &Registry{byName: map[string]*entry{}, excluded: map[string]bool{}}
	for i, t := range tools {
		if !validName(t.Name) {
			return nil, &ToolError{i, `"name" must be 1 to 64 letters, digits, "_", "-" or "."`}
		}
		if r.byName[t.Name] != nil || r.excluded[t.Name] {
			return nil, &ToolError{i, fmt.Sprintf("there are two tools named %q", t.Name)}
		}
		e := &entry{strict: t.Strict != nil && *t.Strict}
		schema, err := compileSchema(t.Parameters)
		if err != nil && (e.strict || errors.Is(err, errNotSchema)) {
			return nil, &ToolError{i, fmt.Sprintf("the parameters of %q cannot be used as a JSON Schema: %v", t.Name, err)}
		}
		e.schema = schema
		r.anyStrict = r.anyStrict || e.strict
		if allow != nil && !allow[t.Name] {
			r.excluded[t.Name] = true
			continue
		}
		r.byName[t.Name] = e
		r.tools = append(r.tools, t)
	}
	return r, nil
}

// Names lists the tools that may be called, in the request's order.
func (r *Registry) Names() []string {
	names := make([]string, len(r.tools))
	for i, t := range r.tools {
		names[i] = t.Name
	}
	return names
}

// Has reports whether the tool may be called.
func (r *Registry) Has(name string) bool { return r.byName[name] != nil }

// strictFor reports whether a bad block that names the tool is a failure. Where the tool is not known, any strict tool of the
// request makes it one.
func (r *Registry) strictFor(name string) bool {
	if e := r.byName[name]; e != nil {
		return e.strict
	}
	return r.anyStrict
}

func validName(name string) bool {
	if name == "" || len(name) > 64 {
		return false
	}
	for _, c := range []byte(name) {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' {
			continue
		}
		if strings.IndexByte("_-.", c) < 0 {
			return false
		}
	}
	return true
}

var errNotSchema = errors.New("not a JSON object or boolean, or nested too deeply")

// compileSchema compiles parameters. Nothing is ever loaded: a reference that leaves the schema is an error.
func compileSchema(raw json.RawMessage) (*jsonschema.Schema, error) {
	text := strings.TrimSpace(string(raw))
	if text == "" || text == "null" {
		return nil, nil
	}
	if text != "true" && text != "false" {
		if _, commas, ok := checkObject(text); !ok || commas {
			return nil, errNotSchema
		}
	}
	c := jsonschema.NewCompiler()
	c.Draft = jsonschema.Draft7
	c.LoadURL = func(string) (io.ReadCloser, error) {
		return nil, errors.New("a reference leaves the schema, and nothing is loaded")
	}
	const url = "https://tool.invalid/parameters.json"
	if err := c.AddResource(url, strings.NewReader(text)); err != nil {
		return nil, err
	}
	return c.Compile(url)
}

// check validates arguments that are known to be a JSON object. It returns "" when they fit, and otherwise which part of the
// schema they do not fit, without any content.
func (e *entry) check(arguments string) string {
	if e.schema == nil {
		return ""
	}
	p := scanner{s: arguments}
	p.space()
	err := e.schema.Validate(p.build())
	if err == nil {
		return ""
	}
	var ve *jsonschema.ValidationError
	if !errors.As(err, &ve) {
		return "#"
	}
	for len(ve.Causes) > 0 {
		ve = ve.Causes[0]
	}
	return "#" + ve.KeywordLocation
}

// canonical writes JSON compactly with sorted keys, so that equal schemas give equal text; numbers keep their digits.
func canonical(raw json.RawMessage) (string, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return "", err
	}
	if m, ok := v.(map[string]any); ok {
		delete(m, "$schema") // says nothing to a model
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return "", err
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

func clip(s string, n int) string {
	if len(s) > n {
		return strings.ToValidUTF8(s[:n], "") + "…"
	}
	return s
}
