package plan

import (
	"slices"
	"strings"
)

// there says whether a reference leads to something that its step's tool gives.
func (m *mender) there(r *ref) bool {
	switch r.kind {
	case refStep:
		if _, ok := m.c.named.steps[r.name]; !ok {
			return false
		}
	case refVar:
		if _, ok := m.c.named.captures[r.name]; !ok {
			return false
		}
	}
	_, ok := m.c.quietShape(m.step, r)
	return ok
}

// text mends the references in a text.
func (m *mender) text(field, s string) string {
	if to, ok := m.undollared(s); ok {
		m.took(field, s, to)
		return to
	}
	var b strings.Builder
	from := 0
	for i := 0; i < len(s); i++ {
		if s[i] != '$' && s[i] != '{' {
			continue
		}
		r, end := token(s, i, m.e)
		certain := false
		switch {
		case r != nil:
			certain = astray(s[end:], r, m.e) == 0 && m.short(r, nil)
		case backslashes(s[from:i])%2 == 0:
			if meant, to := m.c.likely(s, i, m.e); meant != nil && m.there(meant) && (s[to-1] == '}' || trailing(s[to:], m.e) == 0) {
				r, end, certain = meant, to, true
				m.short(r, nil)
			}
		}
		if certain {
			m.took(field, s[i:end], written(r))
			b.WriteString(s[from:i])
			b.WriteString(written(r))
			from = end
		}
		i = max(i, end-1)
	}
	if from == 0 {
		return s
	}
	return b.String() + s[from:]
}

// undollared takes a text that is steps.a.path for the reference.
func (m *mender) undollared(s string) (string, bool) {
	if !strings.HasPrefix(s, "steps.") && !strings.HasPrefix(s, "vars.") {
		return "", false
	}
	r, end := matchBare("$"+s, 0)
	return "$" + s, r != nil && end == len(s)+1 && m.there(r)
}

// short completes a reference to a whole step where its value is meant: the field
// "value" of its output, or, where types are wanted that no object fits, the only
// field that does.
func (m *mender) short(r *ref, wanted []string) bool {
	if r.kind != refStep && r.kind != refVar || len(r.path) > 0 {
		return false
	}
	sh := m.c.start(m.step, r)
	names := sh.fields()
	if slices.Contains(names, "value") {
		r.path = []seg{{key: "value"}}
		return true
	}
	if wanted == nil || slices.Contains(wanted, "object") {
		return false
	}
	var fit []seg
	for _, name := range names {
		k := seg{key: name}
		sub, found := sh.enter(k)
		if name != "skipped" && found == entryOK && !sub.unknown() && fits(sub.types(), wanted) {
			fit = append(fit, k)
		}
	}
	if len(fit) == 1 {
		r.path = fit
	}
	return len(fit) == 1
}

// whole mends a value that is one reference.
func (m *mender) whole(field string, r *ref, types []string) any {
	text := r.text
	if m.short(r, types) {
		m.took(field, text, written(r))
		text = written(r)
	}
	sh, ok := m.c.quietShape(m.step, r)
	given := sh.types()
	if !ok || given == nil || !slices.Equal(types, []string{"array"}) || slices.Contains(given, "array") || slices.Contains(given, "object") {
		return text
	}
	m.took(field, text, []any{text})
	return []any{text}
}

// conditions mends those of a step. One that is about the element belongs to the
// loop.
func (m *mender) conditions(s *Step) {
	given := s.When
	s.When = nil
	for k, c := range given {
		if loop := s.Foreach; loop != nil && c.subject(env{params: true}) == nil && c.subject(m.e) != nil {
			m.took("when", c.Property, "foreach.when")
			loop.When = append(slices.Clone(loop.When), c)
		} else {
			s.When = append(s.When, m.condition("when["+itoa(k)+"]", c))
		}
	}
	if s.Foreach == nil {
		return
	}
	given, s.Foreach.When = s.Foreach.When, nil
	for k, c := range given {
		s.Foreach.When = append(s.Foreach.When, m.condition("foreach.when["+itoa(k)+"]", c))
	}
}

func (m *mender) condition(field string, c Condition) Condition {
	c.Property = m.text(field+".property", c.Property)
	c.Value = m.value(field+".value", c.Value, shape{})
	return c
}
