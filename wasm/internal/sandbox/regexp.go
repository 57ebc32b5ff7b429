package sandbox

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"embedded-agent/wasm/internal/regex"
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
)

// textModule is "re" as Python has it, over Go's regular expressions: no
// backtracking, so that no pattern takes for ever. A match is a dict: text,
// groups (a list, None for those that took no part), named (a dict), start and
// end (as text[start:end] counts).
var textModule = &starlarkstruct.Module{Name: "re", Members: starlark.StringDict{
	"search":  starlark.NewBuiltin("re.search", search),
	"match":   starlark.NewBuiltin("re.match", search),
	"findall": starlark.NewBuiltin("re.findall", findAll),
	"finditer": starlark.NewBuiltin("re.finditer", func(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
		return eachMatch(b, args, kw, matchOf)
	}),
	"sub":    starlark.NewBuiltin("re.sub", substitute),
	"split":  starlark.NewBuiltin("re.split", splitText),
	"escape": starlark.NewBuiltin("re.escape", escape),
}}

// maxPatterns bounds what is kept compiled; the patterns of one script are few.
const maxPatterns = 32

var (
	patternsMu sync.Mutex // guards patterns: natively a test may run several interpreters
	patterns   = map[string]*regexp.Regexp{}
)

func compilePattern(pattern string) (*regexp.Regexp, error) {
	patternsMu.Lock()
	defer patternsMu.Unlock()
	if r, ok := patterns[pattern]; ok {
		return r, nil
	}
	r, err := regexp.Compile(pattern)
	if err != nil {
		return nil, err
	}
	if len(patterns) >= maxPatterns {
		clear(patterns)
	}
	patterns[pattern] = r
	return r, nil
}

func search(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
	var pattern, text string
	if err := starlark.UnpackArgs(b.Name(), args, kw, "pattern", &pattern, "text", &text); err != nil {
		return nil, err
	}
	if b.Name() == "re.match" {
		pattern = `\A(?:` + pattern + `)`
	}
	r, err := compilePattern(pattern)
	if err != nil {
		return nil, err
	}
	at := r.FindStringSubmatchIndex(text)
	if at == nil {
		return starlark.None, nil
	}
	return matchOf(r, text, at)
}

func eachMatch(b *starlark.Builtin, args starlark.Tuple, kw []starlark.Tuple,
	make func(*regexp.Regexp, string, []int) (starlark.Value, error),
) (starlark.Value, error) {
	var pattern, text string
	if err := starlark.UnpackArgs(b.Name(), args, kw, "pattern", &pattern, "text", &text); err != nil {
		return nil, err
	}
	r, err := compilePattern(pattern)
	if err != nil {
		return nil, err
	}
	var found []starlark.Value
	for _, at := range r.FindAllStringSubmatchIndex(text, -1) {
		v, err := make(r, text, at)
		if err != nil {
			return nil, err
		}
		found = append(found, v)
	}
	return starlark.NewList(found), nil
}

// findAll gives what Python's gives: texts, or where the pattern has groups
// those of the one group, or lists of them.
func findAll(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
	return eachMatch(b, args, kw, func(_ *regexp.Regexp, text string, at []int) (starlark.Value, error) {
		switch len(at) {
		case 2:
			return starlark.String(text[at[0]:at[1]]), nil
		case 4:
			return orEmpty(text, at, 1), nil
		}
		var all []starlark.Value
		for g := 1; g < len(at)/2; g++ {
			all = append(all, orEmpty(text, at, g))
		}
		return starlark.NewList(all), nil
	})
}

func orEmpty(text string, at []int, g int) starlark.Value {
	if at[2*g] < 0 {
		return starlark.String("")
	}
	return starlark.String(text[at[2*g]:at[2*g+1]])
}

func matchOf(r *regexp.Regexp, text string, at []int) (starlark.Value, error) {
	groups := make([]starlark.Value, 0, len(at)/2)
	named := starlark.NewDict(0)
	names := r.SubexpNames()
	for g := 1; g < len(at)/2; g++ {
		var v starlark.Value = starlark.None
		if at[2*g] >= 0 {
			v = starlark.String(text[at[2*g]:at[2*g+1]])
		}
		groups = append(groups, v)
		if names[g] != "" {
			if err := named.SetKey(starlark.String(names[g]), v); err != nil {
				return nil, err
			}
		}
	}
	m := starlark.NewDict(5)
	for _, e := range []struct {
		key string
		v   starlark.Value
	}{
		{"text", starlark.String(text[at[0]:at[1]])},
		{"groups", starlark.NewList(groups)},
		{"named", named},
		{"start", starlark.MakeInt(at[0])},
		{"end", starlark.MakeInt(at[1])},
	} {
		if err := m.SetKey(starlark.String(e.key), e.v); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// substitute replaces matches: by a text, where \1 and \g<name> are groups, or
// by what a function gives for each match.
func substitute(thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
	var pattern, text string
	var by starlark.Value
	count := 0
	err := starlark.UnpackArgs(b.Name(), args, kw, "pattern", &pattern, "repl", &by, "text", &text, "count?", &count)
	if err != nil {
		return nil, err
	}
	r, err := compilePattern(pattern)
	if err != nil {
		return nil, err
	}
	replacement, err := replacer(thread, r, by, text)
	if err != nil {
		return nil, err
	}
	if count <= 0 {
		count = -1
	}
	var out strings.Builder
	last := 0
	for _, at := range r.FindAllStringSubmatchIndex(text, count) {
		out.WriteString(text[last:at[0]])
		s, err := replacement(at)
		if err != nil {
			return nil, err
		}
		if out.Len()+len(s) > maxText {
			return nil, errors.New("re.sub: the text becomes too large")
		}
		out.WriteString(s)
		last = at[1]
	}
	out.WriteString(text[last:])
	return starlark.String(out.String()), nil
}

// maxText is the longest text that re.sub makes, in bytes.
const maxText = 16 << 20

func replacer(thread *starlark.Thread, r *regexp.Regexp, by starlark.Value, text string) (func(at []int) (string, error), error) {
	switch by := by.(type) {
	case starlark.String:
		template := goTemplate(string(by))
		return func(at []int) (string, error) {
			return string(r.ExpandString(nil, template, text, at)), nil
		}, nil
	case starlark.Callable:
		return func(at []int) (string, error) {
			m, err := matchOf(r, text, at)
			if err != nil {
				return "", err
			}
			v, err := starlark.Call(thread, by, starlark.Tuple{m}, nil)
			if err != nil {
				return "", err
			}
			s, ok := starlark.AsString(v)
			if !ok {
				return "", fmt.Errorf("re.sub: the function returned a %s, not text", v.Type())
			}
			return s, nil
		}, nil
	}
	return nil, fmt.Errorf("re.sub: repl is a %s, not text or a function", by.Type())
}

var group = regex.Lazy(`\\(?:(\d)|g<([A-Za-z0-9_]+)>|(\\))|\$`)

// goTemplate writes Python's \1 and \g<name> as Go has them.
func goTemplate(s string) string {
	return group().ReplaceAllStringFunc(s, func(m string) string {
		switch {
		case m == "$":
			return "$$"
		case m == `\\`:
			return `\`
		case m[1] == 'g':
			return "${" + m[3:len(m)-1] + "}"
		}
		return "${" + m[1:] + "}"
	})
}

func splitText(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
	var pattern, text string
	most := 0
	if err := starlark.UnpackArgs(b.Name(), args, kw, "pattern", &pattern, "text", &text, "maxsplit?", &most); err != nil {
		return nil, err
	}
	r, err := compilePattern(pattern)
	if err != nil {
		return nil, err
	}
	if most <= 0 {
		most = -1
	} else {
		most++
	}
	var parts []starlark.Value
	for _, p := range r.Split(text, most) {
		parts = append(parts, starlark.String(p))
	}
	return starlark.NewList(parts), nil
}

func escape(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
	var text string
	if err := starlark.UnpackArgs(b.Name(), args, kw, "text", &text); err != nil {
		return nil, err
	}
	return starlark.String(regexp.QuoteMeta(text)), nil
}
