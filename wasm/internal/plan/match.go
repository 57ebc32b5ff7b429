package plan

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"embedded-agent/wasm/internal/strictjson"
)

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
	if r.path, at, ok = bracedPath(s, at); !ok || !r.resolve(e) {
		return nil, 0
	}
	if at, ok = r.fallback(s, at); !ok {
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

// fallback reads a default with the closing brace, |"none"}, or the brace alone: a
// value without parts, or an empty list. A parameter has none: it is bound before
// the plan runs.
func (r *ref) fallback(s string, at int) (end int, ok bool) {
	if s[at] == '}' {
		return at + 1, true
	}
	rest := s[at:min(len(s), at+maxKey)]
	n := afterSpaces(rest, 0)
	if r.kind == refParam || n == len(rest) || rest[n] != '|' {
		return 0, false
	}
	v, n, err := strictjson.Value([]byte(rest), afterSpaces(rest, n+1), 1)
	list, isList := v.([]any)
	_, isMap := v.(map[string]any)
	if n = afterSpaces(rest, n); err != nil || isMap || isList && len(list) > 0 || n >= len(rest) || rest[n] != '}' {
		return 0, false
	}
	r.or = &v
	return at + n + 1, true
}

func afterSpaces(s string, at int) int {
	for at < len(s) && s[at] == ' ' {
		at++
	}
	return at
}

// bracedPath reads .name, [3], [*] and ["any name"] up to the closing brace or to
// a default.
func bracedPath(s string, at int) ([]seg, int, bool) {
	var path []seg
	for at < len(s) {
		switch s[at] {
		case '}', '|', ' ':
			return path, at, true
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

// bracket reads [3], [*] or ["any name"]; end is 0 when it is none of them.
func bracket(s string, at int) (seg, int) {
	s = s[:min(len(s), at+maxKey)]
	end := strings.IndexByte(s[at:], ']')
	if end < 0 {
		return seg{}, 0
	}
	inner := s[at+1 : at+end]
	if inner == "*" {
		return seg{key: inner, all: true}, at + end + 1
	}
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
		if !k.num && !k.all {
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
