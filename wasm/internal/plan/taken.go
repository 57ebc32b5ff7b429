package plan

import (
	"slices"
	"strings"

	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/strictjson"
)

// Taken is something that a plan says otherwise than the language has it, and what
// it was taken as, since only one thing can be meant. The plan keeps it, so that a
// person can see it.
type Taken struct {
	Step  string `json:"step,omitempty"` // its id; "" for the plan itself
	Field string `json:"field"`
	From  string `json:"from"`
	To    string `json:"to"`
}

// maxTaken bounds how many are kept, and maxTakenText how much of each, in bytes.
const (
	maxTaken     = 200
	maxTakenText = 120
)

// take adds one to a list. The values are shown shortened.
func take(list []Taken, step, field string, from, to any) []Taken {
	if len(list) >= maxTaken {
		return list
	}
	quoted := typeOf(from) != typeOf(to) // else "10" and 10 would be shown alike
	return append(list, Taken{Step: clip(step, 80), Field: clip(field, 200), From: shown(from, quoted), To: shown(to, quoted)})
}

func shown(v any, quoted bool) string {
	s, ok := v.(string)
	if !ok || quoted {
		b, err := canon.Append(nil, v)
		if err != nil {
			return "…"
		}
		s = string(b)
	}
	return clip(s, maxTakenText)
}

// typeOf gives the JSON type of a value that was decoded.
func typeOf(v any) string {
	switch v := v.(type) {
	case string:
		return "string"
	case float64:
		if v == float64(int64(v)) {
			return "integer"
		}
		return "number"
	case bool:
		return "boolean"
	case map[string]any:
		return "object"
	case []any:
		return "array"
	}
	return "null"
}

// meantAs gives the value of one of the types that v is certainly meant as: JSON
// in a text, in a fence or not, or a number where a text is wanted. It gives v
// itself where it fits already, or where nothing is certain.
func meantAs(v any, types ...string) any {
	if types == nil || fits([]string{typeOf(v)}, types) {
		return v
	}
	switch w := v.(type) {
	case string:
		if read, ok := readText(w); ok && fits([]string{typeOf(read)}, types) {
			return read
		}
	case float64:
		if slices.Contains(types, "string") {
			return shown(w, false)
		}
	}
	return v
}

// Wrapped says whether a text is JSON in a fence, or in a text of JSON, as Decode
// takes it.
func Wrapped(s string) bool {
	s = strings.TrimSpace(s)
	return strings.HasPrefix(s, "```") || strings.HasPrefix(s, `"`)
}

// Unwrapped gives the JSON that stands in a fence or in a text of JSON; false where
// there is neither around it.
func Unwrapped(s string) (string, bool) {
	if !Wrapped(s) {
		return "", false
	}
	v, twice, err := strictjson.Read([]byte(strings.TrimSpace(s)), MaxDepth)
	if inner, isText := v.(string); isText && err == nil && twice == nil {
		s = inner
	}
	return unfenced(s), true
}

// readText reads JSON that stands in a text.
func readText(s string) (any, bool) {
	v, twice, err := strictjson.Read([]byte(unfenced(s)), MaxDepth)
	return v, err == nil && twice == nil
}

// unfenced takes a Markdown fence from around a text.
func unfenced(s string) string {
	s = strings.TrimSpace(s)
	inner, opened := strings.CutPrefix(s, "```")
	_, inner, lines := strings.Cut(inner, "\n")
	inner, closed := strings.CutSuffix(inner, "```")
	if !opened || !lines || !closed {
		return s
	}
	return strings.TrimSpace(inner)
}
