package note

import (
	"bytes"
	"strings"

	"embedded-agent/wasm/internal/regex"
	"embedded-agent/wasm/internal/safeyaml"
)

// Field is an inline field as the Dataview plugin writes them: "Key:: value"
// filling a line or list item, or "[Key:: value]" and "(Key:: value)" in a
// text.
type Field struct {
	Span  // what goes when the field goes: its line, or its brackets
	Key   string
	Value string
	// Whole says that the field fills its line.
	Whole bool
}

var lineField = regex.Lazy(`^(?:[-*+] |\d+[.)] )?(?:\*\*|__|\*|_)?([\pL\pN][^:\[\](){}#|*_` + "`" + `]{0,80}?)(?:\*\*|__|\*|_)?:: ?(?:\*\*|__)?[ \t]*(.*)$`)

var bracketField = regex.Lazy(`[\[(]([\pL\pN][^:\[\](){}|]{0,80}?)::[ \t]*`)

// Fields lists the inline fields of the text, in order, none from code.
func (d *Doc) Fields() []Field {
	var out []Field
	for n := d.Line(d.Body.Start); n >= 0 && n < d.Lines(); n++ {
		line := d.LineSpan(n)
		if line.Start < d.Body.Start || !bytes.Contains(line.Of(d.Data), []byte("::")) {
			continue
		}
		text := prefix(d.Data, line.Start, line.End).text
		if d.InOpaque(text) {
			continue
		}
		if m := lineField().FindSubmatch(d.Data[text:line.End]); m != nil {
			out = append(out, Field{
				Span: Span{line.Start, lineAfter(d.Data, line.End, len(d.Data))},
				Key:  strings.TrimSpace(string(m[1])), Value: strings.TrimSpace(string(m[2])), Whole: true,
			})
			continue
		}
		out = append(out, d.bracketFields(Span{text, line.End})...)
	}
	return out
}

func (d *Doc) bracketFields(line Span) []Field {
	found := bracketField().FindAllSubmatchIndex(line.Of(d.Data), -1)
	if len(found) == 0 {
		return nil
	}
	var out []Field
	closers := closers(d.Data, line)
	after := line.Start // fields within a field's value are its text
	for _, m := range found {
		start, value := line.Start+m[0], line.Start+m[1]
		if d.InOpaque(start) {
			continue
		}
		end, closed := closers[start]
		if !closed || end < value || start < after {
			continue
		}
		after = end
		out = append(out, Field{
			Span: Span{start, end + 1}, Key: strings.TrimSpace(string(d.Data[line.Start+m[2] : line.Start+m[3]])),
			Value: strings.TrimSpace(string(d.Data[value:end])),
		})
	}
	return out
}

// closers gives, for each bracket "[" or "(" of a line, the one that closes it;
// brackets of the other kind do not count.
func closers(data []byte, line Span) map[int]int {
	out := map[int]int{}
	var square, round []int
	shut := func(open []int, at int) []int {
		n := len(open) - 1
		if n < 0 {
			return open
		}
		out[open[n]] = at
		return open[:n]
	}
	for i := line.Start; i < line.End; i++ {
		switch data[i] {
		case '[':
			square = append(square, i)
		case '(':
			round = append(round, i)
		case ']':
			square = shut(square, i)
		case ')':
			round = shut(round, i)
		}
	}
	return out
}

// FieldValue gives an inline field's value as a property has it: a list where
// commas stand between elements (those inside links, quotes and brackets do
// not), otherwise a number, a truth value or a text.
func FieldValue(s string) any {
	parts := splitCommas(s)
	if len(parts) > 1 {
		list := make([]any, 0, len(parts))
		for _, p := range parts {
			list = append(list, fieldScalar(p))
		}
		return list
	}
	return fieldScalar(s)
}

func fieldScalar(s string) any {
	s = strings.TrimSpace(s)
	if len(s) > 1 && s[0] == '"' && s[len(s)-1] == '"' {
		return s[1 : len(s)-1]
	}
	if s == "" || strings.HasPrefix(s, "[") {
		return s
	}
	if v, ok := safeyaml.PlainScalar(s); ok && v != nil {
		return v
	}
	return s
}

// splitCommas splits at commas that stand in no link, quotes or brackets. One
// that a blank does not follow splits too, but not inside a number.
func splitCommas(s string) []string {
	var out []string
	depth, start := 0, 0
	quoted := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '(':
			depth++
		case c == ']' || c == ')':
			depth = max(0, depth-1)
		case c == ',' && depth == 0:
			digits := i > 0 && i+1 < len(s) && s[i-1] >= '0' && s[i-1] <= '9' && s[i+1] >= '0' && s[i+1] <= '9'
			if !digits {
				out = append(out, strings.TrimSpace(s[start:i]))
				start = i + 1
			}
		}
	}
	if last := strings.TrimSpace(s[start:]); last != "" || len(out) == 0 {
		out = append(out, last)
	}
	return out
}
