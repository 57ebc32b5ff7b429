package offer

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/regex"
	"embedded-agent/wasm/internal/tool"
)

// A tool as the model reads it takes one line: its signature, in the manner of
// TypeScript, and what it does. The schemas would take ten times as much, and a
// plan is checked against them anyway, with what is wrong going back to the
// model. Fields without a type are strings.

// schema is the part of a JSON Schema that a signature shows.
type schema struct {
	Ref         string                     `json:"$ref"`
	Definitions map[string]json.RawMessage `json:"definitions"`
	Type        any                        `json:"type"`
	Enum        []any                      `json:"enum"`
	Items       json.RawMessage            `json:"items"`
	Properties  properties                 `json:"properties"`
	Required    []string                   `json:"required"`
	Additional  json.RawMessage            `json:"additionalProperties"`
	OneOf       []json.RawMessage          `json:"oneOf"`
	AnyOf       []json.RawMessage          `json:"anyOf"`
}

// properties keeps the order in which a schema has them.
type properties []property

type property struct {
	name   string
	schema json.RawMessage
}

// UnmarshalJSON reads an object in order.
func (p *properties) UnmarshalJSON(data []byte) error {
	dec := json.NewDecoder(strings.NewReader(string(data)))
	if _, err := dec.Token(); err != nil {
		return err
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return err
		}
		var s json.RawMessage
		if err := dec.Decode(&s); err != nil {
			return err
		}
		*p = append(*p, property{name.(string), s})
	}
	return nil
}

// printer writes types. Definitions that are met on the way are written once,
// by name, since they may hold themselves.
type printer struct {
	definitions map[string]json.RawMessage
	within      []string
	// told is the description: values that it names are not named again.
	told string
}

// typeText gives a schema as a type; "" is a string.
func (p *printer) typeText(raw json.RawMessage) string {
	var s schema
	if json.Unmarshal(raw, &s) != nil {
		return "any" // true
	}
	if s.Definitions != nil {
		p.definitions = s.Definitions
	}
	switch {
	case s.Ref != "":
		return p.refer(strings.TrimPrefix(s.Ref, "#/definitions/"))
	case s.Enum != nil:
		return p.values(s.Enum)
	case s.OneOf != nil || s.AnyOf != nil:
		return p.union(append(slices.Clone(s.OneOf), s.AnyOf...))
	}
	switch t := s.Type.(type) {
	case string:
		return p.simple(t, &s)
	case []any:
		var all []string
		for _, one := range t {
			name, _ := one.(string)
			all = append(all, orString(p.simple(name, &s)))
		}
		return strings.Join(all, "|")
	}
	return "any"
}

func (p *printer) simple(t string, s *schema) string {
	switch t {
	case "string":
		return ""
	case "integer":
		return "int"
	case "boolean":
		return "bool"
	case "array":
		if s.Items == nil {
			return "any[]"
		}
		item := orString(p.typeText(s.Items))
		if strings.Contains(item, "|") {
			item = "(" + item + ")"
		}
		return item + "[]"
	case "object":
		return p.object(s)
	}
	return t
}

func (p *printer) object(s *schema) string {
	if len(s.Properties) == 0 {
		if len(s.Additional) > 0 && s.Additional[0] == '{' {
			return "{[name]: " + orString(p.typeText(s.Additional)) + "}"
		}
		return "object"
	}
	return "{" + p.fields(s) + "}"
}

// fields lists the properties of an object; those that may be left out have a
// question mark.
func (p *printer) fields(s *schema) string {
	var out []string
	for _, f := range s.Properties {
		if bytes.Contains(f.schema, []byte(`"x-page"`)) {
			continue // pages are for who reads them: a plan gets all
		}
		text := f.name
		if !slices.Contains(s.Required, f.name) {
			text += "?"
		}
		if t := p.typeText(f.schema); t != "" {
			text += ": " + t
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

func (p *printer) union(all []json.RawMessage) string {
	var out []string
	for _, one := range all {
		if t := orString(p.typeText(one)); !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return strings.Join(out, "|")
}

func (p *printer) refer(name string) string {
	if slices.Contains(p.within, name) {
		return "same"
	}
	p.within = append(p.within, name)
	defer func() { p.within = p.within[:len(p.within)-1] }()
	return p.typeText(p.definitions[name])
}

func orString(t string) string {
	if t == "" {
		return "string"
	}
	return t
}

// values gives what a value may be, or "" where the description says it.
func (p *printer) values(all []any) string {
	var out []string
	said := true
	for _, v := range all {
		b, err := canon.Encode(v)
		if err != nil {
			continue
		}
		_, text := v.(string)
		said = said && text && strings.Contains(p.told, string(b))
		out = append(out, string(b))
	}
	if said {
		return ""
	}
	return strings.Join(out, "|")
}

// scope are the parameters that say which notes a tool works on; a dozen tools
// have them.
var scope = []string{"path", "paths", "folder"}

// scopeText stands for them in a signature, where scopeType explains it.
const (
	scopeText = "...Scope"
	scopeType = "Scope = path?, paths?: string[], folder?: one note, some, or a folder with those below (\"\": the whole vault)."
)

// takes gives a tool's parameters; told is its description.
func takes(raw json.RawMessage, told string) string {
	var s schema
	if json.Unmarshal(raw, &s) != nil {
		return "object"
	}
	p := &printer{definitions: s.Definitions, told: told}
	var rest properties
	found := 0
	for _, f := range s.Properties {
		if slices.Contains(scope, f.name) && !slices.Contains(s.Required, f.name) && bytes.Contains(f.schema, []byte(`"x-path"`)) &&
			!bytes.Contains(f.schema, []byte(`"new"`)) {
			found++
			continue
		}
		rest = append(rest, f)
	}
	if found < len(scope) {
		return p.fields(&s)
	}
	s.Properties = rest
	if text := p.fields(&s); text != "" {
		return scopeText + ", " + text
	}
	return scopeText
}

// gives gives a tool's output.
func gives(raw json.RawMessage) string { return new(printer).typeText(raw) }

// Line tells a tool in full, on one line: its signature and what it does.
func Line(e *tool.Entry) string {
	what := brief(e.Description)
	return "- " + e.Name + "(" + takes(e.Input, what) + ") → " + gives(e.Output) + ": " + what + "\n"
}

// ShortLine is Line for a model with a small window: of what the tool does, the first sentence.
func ShortLine(e *tool.Entry) string {
	what := brief(e.Description)
	return "- " + e.Name + "(" + takes(e.Input, "") + ") → " + gives(e.Output) + ": " + sentences(what)[0] + "\n"
}

// Catalogue tells tools in full, a line each (by line), after what the lines share. The same tools give the same text,
// to the byte.
func Catalogue(full []*tool.Entry, line func(*tool.Entry) string) string {
	var b strings.Builder
	b.WriteString("- " + scopeType + "\n")
	for _, e := range full {
		b.WriteString(line(e))
	}
	return b.String()
}

// About is a tool by its name and description.
type About struct{ Name, Description string }

// NamesOf is Names of registered tools.
func NamesOf(entries []*tool.Entry) string {
	all := make([]About, len(entries))
	for i, e := range entries {
		all[i] = About{e.Name, e.Description}
	}
	return Names(all)
}

// Names lists tools with what each does in a few words, a line for each group: "- tags: add, rename (or merge)" for tags.add and
// tags.rename.
func Names(tools []About) string {
	var b strings.Builder
	group := ""
	for _, t := range tools {
		space, name, _ := strings.Cut(t.Name, ".")
		switch {
		case space == group:
			b.WriteString(", ")
		case group == "":
			b.WriteString("- " + space + ": ")
		default:
			b.WriteString("\n- " + space + ": ")
		}
		group = space
		b.WriteString(name)
		if what := Brief(t.Name, t.Description); what != "" {
			b.WriteString(" (" + what + ")")
		}
	}
	if group != "" {
		b.WriteByte('\n')
	}
	return b.String()
}

var (
	// scopePhrase is how descriptions put the scope.
	scopePhrase = regex.Lazy("(?i)(?:(?:in|from|of) )?one note \\(`path`\\), some \\(`paths`\\), a `folder` with those below, or the whole vault")
	// told are sentences that tell what the signature tells already, which other
	// tool does something else, how a call fails, which is told where it happens,
	// or what stays as it is.
	told = regex.Lazy("^(?:Gives |Each note has `|Fails with |[A-Z]+_[A-Z]+ )|" +
		"^(?:To|For) [^.]*\\buse [a-z]+\\.[a-zA-Z]+|" +
		"(?:byte for byte|left alone|keeps its line ends|not changed|stays? as (?:it is|they are))")
	// failure is the code of an error, in a sentence that names no parameter.
	failure = regex.Lazy("^[^`]*\\b[A-Z]+_[A-Z]+\\b[^`]*$")
	// sentenceEnd is followed by the beginning of the next one.
	sentenceEnd = regex.Lazy("[.!?][)\"]? [A-Z`\"]")
)

// brief gives a description on one line, without what is told elsewhere. Its
// first sentence is always there.
func brief(description string) string {
	description = scopePhrase().ReplaceAllString(description, "in scope")
	var keep []string
	for _, line := range strings.Split(description, "\n") {
		for _, s := range sentences(strings.TrimSpace(line)) {
			if s != "" && (len(keep) == 0 || !told().MatchString(s) && !failure().MatchString(s)) {
				keep = append(keep, s)
			}
		}
	}
	return strings.Join(keep, " ")
}

func sentences(text string) []string {
	var out []string
	for {
		at := sentenceEnd().FindStringIndex(text)
		if at == nil {
			return append(out, text)
		}
		out = append(out, text[:at[1]-2])
		text = text[at[1]-1:]
	}
}
