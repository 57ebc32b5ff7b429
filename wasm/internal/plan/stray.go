package plan

import "strings"

// maxStray bounds how far the end of what only looks like a reference is looked
// for, in bytes.
const maxStray = 200

// token finds what stands at s[i], a '$' or '{', and where it ends: a reference,
// or, with r nil, a stray: braces that begin like a reference and are none, such
// as {index + 1}. Check refuses them, since they would be written into notes as
// they are. End is 0 for neither.
func token(s string, i int, e env) (r *ref, end int) {
	if r, end = match(s, i, e); r == nil {
		return nil, stray(s, i, e)
	}
	return r, end
}

// stray gives where braces end that begin with a bound name, or with steps or
// vars, and are no reference; 0 for other text. What holds a backslash, another
// brace or a line break is LaTeX or code, and so is {name: value}.
func stray(s string, i int, e env) int {
	if e.wordsOnly {
		return 0
	}
	at, close := i, "}"
	if s[at] == '$' {
		at++
	}
	if !strings.HasPrefix(s[at:], "{") {
		return 0
	}
	if at++; strings.HasPrefix(s[at:], "{") {
		at, close = at+1, "}}"
	}
	near := s[at:min(len(s), at+maxStray)]
	n := strings.Index(near, close)
	if n < 0 || strings.ContainsAny(near[:n], "\\{\n") || !e.begins(strings.TrimLeft(near[:n], " ")) {
		return 0
	}
	return at + n + len(close)
}

// begins says whether the inside of braces begins with a bound name, or with
// steps or vars and a field of them.
func (e env) begins(inner string) bool {
	n := bracedName(inner)
	if n == 0 {
		return false
	}
	name, rest := inner[:n], inner[n:]
	if name == "steps" || name == "vars" {
		return strings.HasPrefix(rest, ".") || strings.HasPrefix(rest, "[")
	}
	for _, bound := range []string{e.item, e.index} {
		if bound != "" && (name == bound || strings.HasPrefix(name, bound+"-")) {
			return !strings.HasPrefix(rest, ": ") && !strings.HasPrefix(rest, ",")
		}
	}
	return false
}

// strays lists what only looks like a reference in a text, or like a part of one,
// but for what a backslash keeps from being one.
func strays(s string, e env) []string {
	var out []string
	from := 0
	for i := 0; i < len(s); i++ {
		if s[i] != '$' && s[i] != '{' {
			continue
		}
		r, end := token(s, i, e)
		if end == 0 {
			continue
		}
		more := 0
		if r != nil {
			more = astray(s[end:], r, e)
		}
		if (r == nil || more > 0) && backslashes(s[from:i])%2 == 0 {
			out = append(out, s[i:end+more])
		}
		from, i = end, end-1
	}
	return out
}

// astray gives the length of text that looks like the rest of the reference
// before it: an index that is none, as in $steps.a.items[{index}], or a default
// without braces around, as in $steps.a.b|"none".
func astray(rest string, r *ref, e env) int {
	if e.wordsOnly || r.text[len(r.text)-1] == '}' {
		return 0
	}
	return trailing(rest, e)
}

// trailing is astray behind whatever is taken for a reference without braces around.
func trailing(rest string, e env) int {
	switch {
	case strings.HasPrefix(rest, `|"`), strings.HasPrefix(rest, "|'"):
		return 2
	case strings.HasPrefix(rest, "[") && e.begins(strings.TrimLeft(rest[1:], "${ ")):
		return strings.IndexByte(rest[:min(len(rest), maxKey)], ']') + 1
	}
	return 0
}

// rightForm gives the reference that a stray begins with, as it is written: for
// {index + 1}, {index}.
func rightForm(stray string, e env) string {
	inner := strings.TrimLeft(stray, "${ ")
	to := min(len(inner), max(1, strings.IndexAny(inner+" ", " |+*/}'\"()?:<>=")))
	for ; to > 0; to-- {
		if r, end := matchBraced("${"+inner[:to]+"}", 0, 2, e); r != nil && end == to+3 {
			return written(r)
		}
	}
	return "${steps.ID.field}"
}
