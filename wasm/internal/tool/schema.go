package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"embedded-agent/wasm/internal/fault"
)

// Schema is a compiled JSON Schema (draft-07) with the properties of its root,
// by name.
type Schema struct {
	compiled   *jsonschema.Schema
	properties map[string]json.RawMessage
	required   []string
}

// errNoLoad keeps schemas closed: nothing is ever fetched to resolve one.
var errNoLoad = errors.New("schemas cannot refer to other documents")

// CompileSchema compiles a draft-07 schema. The resource gets an absolute URL,
// since relative ones cannot be resolved in a browser, and loading any other
// document is refused.
func CompileSchema(name string, raw json.RawMessage) (*Schema, error) {
	c := jsonschema.NewCompiler()
	c.Draft = jsonschema.Draft7
	c.AssertFormat = false
	c.LoadURL = refuseLoad
	url := "https://embedded-agent.invalid/schema/" + name
	if err := c.AddResource(url, strings.NewReader(string(raw))); err != nil {
		return nil, fmt.Errorf("schema %s: %w", name, err)
	}
	compiled, err := c.Compile(url)
	if err != nil {
		return nil, fmt.Errorf("schema %s: %w", name, err)
	}
	var root struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
	}
	if err := json.Unmarshal(raw, &root); err != nil {
		return nil, fmt.Errorf("schema %s: %w", name, err)
	}
	return &Schema{compiled: compiled, properties: root.Properties, required: root.Required}, nil
}

// Violation is one place where a value does not fit its schema. Path is a JSON
// pointer into the value; Key names the message.
type Violation struct {
	Path    string
	Message string
}

// Validate says how v (as encoding/json decodes it) misses the schema; nil
// when it fits.
func (s *Schema) Validate(v any) []Violation {
	err := s.compiled.Validate(v)
	if err == nil {
		return nil
	}
	var ve *jsonschema.ValidationError
	if !errors.As(err, &ve) {
		return []Violation{{Message: err.Error()}}
	}
	var out []Violation
	collect(ve, &out)
	return out
}

// collect keeps the leaves: the inner nodes only say that something beneath is
// wrong.
func collect(e *jsonschema.ValidationError, out *[]Violation) {
	if len(e.Causes) == 0 {
		*out = append(*out, Violation{Path: e.InstanceLocation, Message: e.Message})
		return
	}
	for _, c := range e.Causes {
		collect(c, out)
	}
}

// Properties lists the names that the root object knows.
func (s *Schema) Properties() map[string]json.RawMessage { return s.properties }

// Required lists the names that the root object demands.
func (s *Schema) Required() []string { return s.required }

// invalid makes one error of all violations.
func invalid(tool string, vs []Violation) *Error {
	parts := make([]string, 0, len(vs))
	for i, v := range vs {
		if i == 5 {
			parts = append(parts, fmt.Sprintf("and %d more", len(vs)-i))
			break
		}
		where := strings.TrimPrefix(v.Path, "/")
		if where == "" {
			parts = append(parts, v.Message)
		} else {
			parts = append(parts, where+": "+v.Message)
		}
	}
	return fault.New(fault.Validation, "error.tool.args", fault.P{"tool": tool, "problems": strings.Join(parts, "; ")})
}

// refuseLoad is the compiler's loader of other documents: there is none.
func refuseLoad(string) (io.ReadCloser, error) { return nil, errNoLoad }
