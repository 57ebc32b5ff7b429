package plan

import (
	"strings"

	"embedded-agent/wasm/internal/fault"
)

// likely finds the reference that is meant at s[i], a '$' or '{', by text that is
// none but names a step, a capture or the loop's element: {steps.q.count},
// {q.count}, $q.count, { n.title }. It gives the reference and where the text ends.
func (c *checker) likely(s string, i int, e env) (*ref, int) {
	at, closing := i, "}"
	if s[at] == '$' {
		at++
	}
	if !strings.HasPrefix(s[at:], "{") {
		return c.likelyBare(s, at, e)
	}
	if at++; strings.HasPrefix(s[at:], "{") {
		at, closing = at+1, "}}"
	}
	near := s[at:min(len(s), at+maxStray)]
	n := strings.Index(near, closing)
	if n < 0 || strings.Contains(near[:n], "\n") {
		return nil, 0
	}
	r := c.meant(strings.TrimSpace(near[:n]), e, false)
	if r == nil || closing == "}}" && r.kind != refStep && r.kind != refVar {
		return nil, 0 // {{name}} may be a template's
	}
	return r, at + n + len(closing)
}

// likelyBare does the same behind a dollar alone. It reads as far as a reference
// would.
func (c *checker) likelyBare(s string, at int, e env) (*ref, int) {
	if s[at-1] != '$' {
		return nil, 0
	}
	const lead = "$steps."
	r, end := matchBare(lead+s[at:min(len(s), at+maxStray)], 0)
	to := at + end - len(lead)
	if r == nil || len(r.path) == 0 && (at > 1 || to < len(s)) {
		return nil, 0 // $x$ is a formula
	}
	return c.meant(s[at:to], e, true), to
}

// meant reads the way of a reference whose first name may be a step's, a
// capture's, or item where the loop's element has another name.
func (c *checker) meant(way string, e env, bare bool) *ref {
	n := bracedName(way)
	name := way[:n]
	_, step := c.named.steps[name]
	_, capture := c.named.captures[name]
	switch {
	case n == 0:
		return nil
	case name == "steps", name == "vars", name == e.item, name == e.index:
		step, capture = false, false
	case step:
		way = "steps." + way
	case capture:
		way = "vars." + way
	case name == DefaultItem && e.item != "":
		way = e.item + way[n:]
	default:
		return nil
	}
	way = "${" + way + "}"
	r, end := matchBraced(way, 0, 2, e)
	if r == nil || end != len(way) || (step || capture) && len(r.path) == 0 && !bare {
		return nil // \frac{a}{b} is a formula
	}
	return r
}

// lookalikes refuses text that looks like a reference and is none: it would be
// written into a note as it is.
func (c *checker) lookalikes(field, s string, e env) {
	if c.rules.Bound || !strings.ContainsAny(s, "${") {
		return
	}
	for _, text := range strays(s, e) {
		key := "error.plan.ref.stray"
		if strings.Contains(text, "[") && text[len(text)-1] == ']' {
			key = "error.plan.ref.strayIndex"
		}
		c.problem(field, key, fault.P{"text": text, "near": rightForm(text, e)})
	}
	for i := 0; i < len(s); i++ {
		if s[i] != '$' && s[i] != '{' {
			continue
		}
		if _, end := token(s, i, e); end > 0 {
			i = end - 1
		} else if r, end := c.likely(s, i, e); r != nil {
			c.problem(field, "error.plan.ref.lookalike", fault.P{"text": s[i:end], "near": written(r)})
			i = end - 1
		}
	}
}

// written gives a reference as the language's examples have it.
func written(r *ref) string {
	if r.kind == refItem || r.kind == refIndex {
		return r.delimited()[1:]
	}
	return r.delimited()
}

// lookalikesIn is lookalikes for every text in a value.
func (c *checker) lookalikesIn(field string, v any, e env) {
	switch v := v.(type) {
	case string:
		c.lookalikes(field, v, e)
	case map[string]any:
		for _, k := range sortedKeys(v) {
			c.lookalikesIn(field+"."+k, v[k], e)
		}
	case []any:
		for i, x := range v {
			c.lookalikesIn(field+"["+itoa(i)+"]", x, e)
		}
	}
}
