package plan

import (
	"strings"

	"embedded-agent/wasm/internal/canon"
)

// refKind says where a reference's value comes from.
type refKind uint8

const (
	refStep  refKind = iota // $steps.ID
	refVar                  // $vars.NAME
	refItem                 // {item}
	refIndex                // {index}
	refParam                // ${name}
)

// seg is one step of a way into a value. num is set when it can index a list; all,
// written [*], goes into every element of one.
type seg struct {
	key   string
	index int
	num   bool
	all   bool
}

// ref is one reference. Two with the same text mean the same.
type ref struct {
	kind  refKind
	name  string // the step, variable, parameter or loop name
	path  []seg
	text  string // as it was written
	brace bool   // written {name}: text where the schema asks for text
	or    *any   // stands for a value that is missing or null; nil for none
}

// env is which names are bound where a string stands.
type env struct {
	item, index string // "" outside a loop
	params      bool   // ${name} is a parameter
	wordsOnly   bool   // nothing but parameters: a goal, an assumption
}

// segment is a piece of a template: literal text, or a reference.
type segment struct {
	lit string
	ref *ref
}

// parse splits a string into literal text and references (see the package
// comment). Neighbouring literal text is one segment; no segment is empty.
func parse(s string, e env) []segment {
	var out []segment
	var kept strings.Builder // literal text before s[from:], once an escape was taken out
	literal := func(rest string) {
		if kept.Len() > 0 {
			kept.WriteString(rest)
			rest = kept.String()
			kept.Reset()
		}
		if rest != "" {
			out = append(out, segment{lit: rest})
		}
	}
	from, i := 0, 0
	for {
		n := strings.IndexAny(s[i:], "${")
		if n < 0 {
			break
		}
		i += n
		r, end := token(s, i, e)
		if end == 0 {
			i++
			continue
		}
		escapes := backslashes(s[from:i])
		text := s[from : i-(escapes+1)/2]
		switch {
		case escapes%2 == 1:
			kept.WriteString(text)
			kept.WriteString(s[i:end])
		case r == nil: // it stays as it is
			kept.WriteString(s[from:end])
		default:
			literal(text)
			out = append(out, segment{ref: r})
		}
		from, i = end, end
	}
	literal(s[from:])
	return out
}

// backslashes counts those at the end of a text.
func backslashes(s string) int { return len(s) - len(strings.TrimRight(s, "\\")) }

// quote writes literal text so that parse gives it back as it is, whatever is
// in it. followed says that a delimited reference comes right after.
func quote(dst *strings.Builder, text string, e env, followed bool) {
	escapes := 0
	for i := 0; i < len(text); {
		c := text[i]
		if c == '$' || c == '{' {
			if _, end := token(text, i, e); end > 0 {
				for range escapes + 1 {
					dst.WriteByte('\\')
				}
				dst.WriteString(text[i:end])
				i, escapes = end, 0
				continue
			}
		}
		if escapes++; c != '\\' {
			escapes = 0
		}
		dst.WriteByte(c)
		i++
	}
	if followed {
		for range escapes {
			dst.WriteByte('\\')
		}
	}
}

// render writes segments as a string that parses into the same segments.
func render(segments []segment, e env) string {
	if len(segments) == 1 && segments[0].ref != nil {
		return segments[0].ref.text
	}
	var b strings.Builder
	for i, s := range segments {
		if s.ref != nil {
			b.WriteString(s.ref.delimited())
			continue
		}
		quote(&b, s.lit, e, i+1 < len(segments) && segments[i+1].ref != nil)
	}
	return b.String()
}

// delimited writes the reference in the form that nothing around it changes.
func (r *ref) delimited() string {
	var b strings.Builder
	b.WriteString("${")
	switch r.kind {
	case refStep:
		b.WriteString("steps.")
	case refVar:
		b.WriteString("vars.")
	}
	b.WriteString(r.name)
	for _, s := range r.path {
		switch {
		case s.num, s.all:
			b.WriteString("[" + s.key + "]")
		case bracedName(s.key) == len(s.key) && !newSeg(s.key).num:
			b.WriteString("." + s.key)
		default:
			b.WriteString(`["` + s.key + `"]`)
		}
	}
	if r.or != nil {
		// A default was read from JSON, so it can be written as such.
		text, _ := canon.Append(nil, *r.or)
		b.WriteString("|" + string(text))
	}
	b.WriteByte('}')
	return b.String()
}
