package plan

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
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

// seg is one step of a way into a value. num is set when it can index a list.
type seg struct {
	key   string
	index int
	num   bool
}

// ref is one reference. Two with the same text mean the same.
type ref struct {
	kind  refKind
	name  string // the step, variable, parameter or loop name
	path  []seg
	text  string // as it was written
	brace bool   // written {name}: text where the schema asks for text
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
		r, end := match(s, i, e)
		if r == nil {
			i++
			continue
		}
		escapes := backslashes(s[from:i])
		text := s[from : i-(escapes+1)/2]
		if escapes%2 == 1 {
			kept.WriteString(text)
			kept.WriteString(s[i:end])
		} else {
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
			if r, end := match(text, i, e); r != nil {
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
		case s.num:
			b.WriteString("[" + s.key + "]")
		case bracedName(s.key) == len(s.key):
			b.WriteString("." + s.key)
		default:
			b.WriteString(`["` + s.key + `"]`)
		}
	}
	b.WriteByte('}')
	return b.String()
}

// match finds the reference that begins at s[i], a '$' or '{', and where it
// ends; nil when there is none.
func match(s string, i int, e env) (*ref, int) {
	if s[i] == '$' {
		if strings.HasPrefix(s[i:], "${") {
			return matchBraced(s, i, i+2, e)
		}
		if e.wordsOnly {
			return nil, 0
		}
		return matchBare(s, i)
	}
	r, end := matchBraced(s, i, i+1, e)
	switch {
	case r == nil || r.kind == refStep || r.kind == refVar || r.kind == refParam:
		return nil, 0 // these have a dollar
	case i > 0 && s[i-1] == '{' && end < len(s) && s[end] == '}':
		return nil, 0 // {{name}} is somebody else's template
	}
	r.brace = true
	return r, end
}

// matchBraced reads name, way and closing brace from s[at:].
func matchBraced(s string, from, at int, e env) (*ref, int) {
	n := bracedName(s[at:])
	if n == 0 {
		return nil, 0
	}
	r := &ref{name: s[at : at+n]}
	at += n
	var ok bool
	if r.path, at, ok = bracedPath(s, at); !ok {
		return nil, 0
	}
	if !r.resolve(e) {
		return nil, 0
	}
	r.text = s[from:at]
	return r, at
}

// resolve finds what a braced name is bound to.
func (r *ref) resolve(e env) bool {
	switch {
	case e.wordsOnly:
		r.kind = refParam
		return e.params && len(r.path) == 0 && wellFormed(r.name)
	case (r.name == "steps" || r.name == "vars") && len(r.path) > 0:
		first := r.path[0]
		r.kind = refStep
		if r.name == "vars" {
			r.kind = refVar
		}
		r.name, r.path = first.key, r.path[1:]
		return wellFormed(first.key)
	case e.item != "" && r.name == e.item:
		r.kind = refItem
	case e.index != "" && r.name == e.index && len(r.path) == 0:
		r.kind = refIndex
	case e.params && len(r.path) == 0 && wellFormed(r.name):
		r.kind = refParam
	default:
		return false
	}
	return true
}

// bracedPath reads .name, [3] and ["any name"] up to the closing brace.
func bracedPath(s string, at int) ([]seg, int, bool) {
	var path []seg
	for at < len(s) {
		switch s[at] {
		case '}':
			return path, at + 1, true
		case '.':
			n := bracedName(s[at+1:])
			if n == 0 {
				return nil, 0, false
			}
			path = append(path, newSeg(s[at+1:at+1+n]))
			at += 1 + n
		case '[':
			key, end := bracket(s, at)
			if end == 0 {
				return nil, 0, false
			}
			path = append(path, key)
			at = end
		default:
			return nil, 0, false
		}
	}
	return nil, 0, false
}

// maxKey bounds the look for a closing bracket, which would otherwise be made
// again to the end of the text for every opening one.
const maxKey = 256

// bracket reads [3] or ["any name"]; end is 0 when it is neither.
func bracket(s string, at int) (seg, int) {
	s = s[:min(len(s), at+maxKey)]
	end := strings.IndexByte(s[at:], ']')
	if end < 0 {
		return seg{}, 0
	}
	inner := s[at+1 : at+end]
	if k := newSeg(inner); k.num {
		return k, at + end + 1
	}
	if !strings.HasPrefix(s[at+1:], `"`) {
		return seg{}, 0
	}
	shut := strings.Index(s[at+2:], `"]`)
	if shut <= 0 {
		return seg{}, 0
	}
	key := s[at+2 : at+2+shut]
	if strings.ContainsAny(key, "{}\"\\\n") {
		return seg{}, 0
	}
	return seg{key: key}, at + 2 + shut + 2
}

// matchBare reads $steps.id.path or $vars.name.path.
func matchBare(s string, from int) (*ref, int) {
	r := &ref{kind: refStep}
	at := from
	switch {
	case strings.HasPrefix(s[from:], "$steps."):
		at += len("$steps.")
	case strings.HasPrefix(s[from:], "$vars."):
		r.kind = refVar
		at += len("$vars.")
	default:
		return nil, 0
	}
	n := bareName(s[at:])
	if n == 0 {
		return nil, 0
	}
	r.name = s[at : at+n]
	at += n
	for at < len(s) {
		if s[at] == '.' {
			n := bareName(s[at+1:])
			if n == 0 {
				break
			}
			r.path = append(r.path, newSeg(s[at+1:at+1+n]))
			at += 1 + n
			continue
		}
		if s[at] != '[' {
			break
		}
		k, end := bracket(s, at)
		if !k.num {
			break
		}
		r.path = append(r.path, k)
		at = end
	}
	r.text = s[from:at]
	return r, at
}

// newSeg makes a way's step; of up to nine digits it can index a list.
func newSeg(key string) seg {
	k := seg{key: key}
	if len(key) == 0 || len(key) > 9 {
		return k
	}
	for i := range len(key) {
		if key[i] < '0' || key[i] > '9' {
			return k
		}
	}
	n, err := strconv.Atoi(key)
	k.index, k.num = n, err == nil
	return k
}

// bareName gives the length of the name at the start of s: ASCII letters,
// digits and _, with single hyphens inside.
func bareName(s string) int {
	n := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z':
			n = i + 1
		case c == '-' && n == i && i > 0:
		default:
			return n
		}
	}
	return n
}

// bracedName is bareName with letters and digits of every script, and
// combining marks.
func bracedName(s string) int {
	n := 0
	for i := 0; i < len(s); {
		r, w := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && w <= 1:
			return n
		case r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || i > 0 && unicode.IsMark(r):
			n = i + w
		case r == '-' && n == i && i > 0:
		default:
			return n
		}
		i += w
	}
	return n
}

// wellFormed says whether a text can be a step's id or another name: what
// bareName reads, at most 64 bytes.
func wellFormed(name string) bool {
	return name != "" && len(name) <= 64 && bareName(name) == len(name)
}
