package sentinel

import (
	"strings"
	"unicode/utf8"
)

// Reason says why a block holds no call.
type Reason string

// The reasons. They are fit for a log: none of them carries content.
const (
	ReasonUnclosed  Reason = "unclosed"       // the stream ended inside the block
	ReasonTooLong   Reason = "too_long"       // the block is over Options.MaxBlock
	ReasonMalformed Reason = "malformed"      // not one JSON object, or not valid UTF-8, or nested too deeply
	ReasonNoName    Reason = "no_name"        // "name" is missing or no string
	ReasonUnknown   Reason = "unknown_tool"   // no tool of that name
	ReasonExcluded  Reason = "excluded_tool"  // a tool of the request that tool_choice does not allow
	ReasonArguments Reason = "bad_arguments"  // arguments are not a JSON object (strict: not given as a string)
	ReasonSchema    Reason = "schema_failure" // strict: arguments do not fit the schema
)

// Repair names a slip that was put right.
type Repair string

// The repairs, made only for tools that are not strict.
const (
	RepairTrailingComma Repair = "trailing_comma"   // commas before a closing bracket, in the block or in the arguments
	RepairObject        Repair = "arguments_object" // arguments given as an object instead of a string
	RepairEmpty         Repair = "arguments_empty"  // arguments null, missing or ""
)

// Call is a call found in the stream.
type Call struct {
	Name      string
	Arguments string   // a JSON object, in the bytes that the model wrote, quoting undone
	Repairs   []Repair // in the order made
	Warning   string   // where the arguments do not fit the schema of a tool that is not strict; no content
}

// CallError is a strict failure.
type CallError struct {
	Reason Reason
	Tool   string // the tool named, "" where none was
	Where  string // ReasonSchema: which part of the schema, no content
}

// Error says what is wrong in words that hold no content of the stream.
func (e *CallError) Error() string {
	var b strings.Builder
	b.WriteString("the model wrote a tool call that cannot be used: ")
	switch e.Reason {
	case ReasonUnclosed:
		b.WriteString("it does not end")
	case ReasonTooLong:
		b.WriteString("it is too long")
	case ReasonMalformed:
		b.WriteString("it is not one JSON object")
	case ReasonNoName:
		b.WriteString("it names no tool")
	case ReasonUnknown:
		b.WriteString("there is no tool of the name it gives")
	case ReasonExcluded:
		b.WriteString("tool_choice does not allow that tool")
	case ReasonArguments:
		b.WriteString(`"arguments" is not a string that holds a JSON object`)
	case ReasonSchema:
		b.WriteString("the arguments do not fit the tool's schema")
	default:
		b.WriteString(string(e.Reason))
	}
	if e.Tool != "" {
		b.WriteString(" (tool " + e.Tool + ")")
	}
	if e.Where != "" {
		b.WriteString(" at " + e.Where)
	}
	return b.String()
}

// decode reads the content of a block. Without a call it says why, and which tool the block names, if any.
func (r *Registry) decode(block string) (*Call, *CallError) {
	f, ok := scanBlock(block)
	if !ok {
		return nil, &CallError{Reason: ReasonMalformed}
	}
	name, ok := unquote(f.name)
	if !ok || name == "" {
		return nil, &CallError{Reason: ReasonNoName}
	}
	tool := r.byName[name]
	if tool == nil {
		if r.excluded[name] {
			return nil, &CallError{Reason: ReasonExcluded, Tool: name}
		}
		// An unknown name is the model's own text: it is not repeated in errors.
		return nil, &CallError{Reason: ReasonUnknown}
	}
	call := &Call{Name: name}
	if f.commas {
		call.Repairs = append(call.Repairs, RepairTrailingComma)
	}
	if !call.setArguments(f.arguments, tool.strict) || tool.strict && len(call.Repairs) > 0 {
		return nil, &CallError{Reason: ReasonArguments, Tool: name}
	}
	if where := tool.check(call.Arguments); where != "" {
		if tool.strict {
			return nil, &CallError{Reason: ReasonSchema, Tool: name, Where: where}
		}
		call.Warning = where
	}
	return call, nil
}

// setArguments takes the value of "arguments" as it stands in the block ("" where it is missing) and makes it the text of a
// JSON object, with the repairs that are allowed.
func (c *Call) setArguments(raw string, strict bool) bool {
	text := ""
	switch {
	case raw == "" || raw == "null":
		if strict {
			return false
		}
	case raw[0] == '"':
		var ok bool
		if text, ok = unquote(raw); !ok || strict && text == "" {
			return false
		}
	case raw[0] == '{':
		if strict {
			return false
		}
		fixed, _, ok := checkObject(raw) // the commas were counted with the block's
		if !ok {
			return false
		}
		text = compact(fixed)
		c.Repairs = append(c.Repairs, RepairObject)
	default:
		return false
	}
	if text == "" {
		c.Arguments = "{}"
		c.Repairs = append(c.Repairs, RepairEmpty)
		return true
	}
	fixed, commas, ok := checkObject(text)
	if !ok {
		return false
	}
	if commas {
		c.Repairs = append(c.Repairs, RepairTrailingComma)
	}
	c.Arguments = UnescapeJSON(fixed)
	return true
}

// blockFields are the values of a block as they stand there.
type blockFields struct {
	name, arguments string
	commas          bool
}

// scanBlock reads one JSON object with nothing but white space around it.
func scanBlock(block string) (blockFields, bool) {
	var f blockFields
	if !utf8.ValidString(block) {
		return f, false
	}
	sc := scanner{s: block, lenient: true}
	sc.space()
	if sc.i >= len(block) || block[sc.i] != '{' || !sc.object(f.take) {
		return f, false
	}
	sc.space()
	f.commas = len(sc.commas) > 0
	return f, sc.i == len(block)
}

// take keeps the members that matter. Of a key that comes twice the last counts.
func (f *blockFields) take(key, value string) {
	switch k, _ := unquote(key); k {
	case "name":
		f.name = value
	case "arguments":
		f.arguments = value
	}
}

// checkObject checks that text is one JSON object and cuts trailing commas out of it.
func checkObject(text string) (fixed string, commas, ok bool) {
	sc := scanner{s: text, lenient: true}
	sc.space()
	if sc.i >= len(text) || text[sc.i] != '{' || !sc.value() {
		return "", false, false
	}
	sc.space()
	if sc.i != len(text) {
		return "", false, false
	}
	if len(sc.commas) == 0 {
		return text, false, true
	}
	var b strings.Builder
	b.Grow(len(text))
	from := 0
	for _, at := range sc.commas {
		b.WriteString(text[from:at])
		from = at + 1
	}
	b.WriteString(text[from:])
	return b.String(), true, true
}
