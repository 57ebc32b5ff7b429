package plan

import (
	"encoding/json"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/canon"
	similar "embedded-agent/wasm/internal/text"
	"embedded-agent/wasm/internal/tool"
)

// Accept reads a plan that a model or a person wrote: decoded, mended, checked. Raw
// is the plan as it is to be kept: what was given, unless something was mended. A
// plan whose texts others have filled in (Rules.Bound) is not mended.
func Accept(given []byte, reg *tool.Registry, rules Rules) (p *Plan, g *Graph, raw json.RawMessage, problems []Problem) {
	var d decoder
	p, problems = d.decode(given, Limits{})
	if p == nil {
		return nil, nil, nil, problems
	}
	raw = given
	rewrite := len(p.Taken) > 0
	if !rules.Bound {
		p.Taken = d.taken // what a model says of this is not taken over
		p = Mend(p, reg)
	}
	if rewrite || len(p.Taken) > 0 {
		if b, err := canon.Encode(p); err == nil {
			raw = b
		}
	}
	g, problems = Check(p, reg, rules)
	return p, g, raw, problems
}

// Mend gives the plan with what it says otherwise than the language has it, where
// only one thing can be meant: other spellings of argument names, JSON or a number
// in a text, one element in place of a list, a reference with a dollar missing or
// too many. What was taken for what is noted in the plan. What is not certain stays,
// for Check to name. The plan given is not changed.
func Mend(p *Plan, reg *tool.Registry) *Plan {
	out := *p
	out.Steps = slices.Clone(p.Steps)
	m := &mender{c: newChecker(&out, reg, Rules{}), plan: &out, step: -1}
	m.c.prepare()
	for i := range out.Steps {
		m.from(i)
	}
	for i := range out.Steps {
		m.oneStep(i)
	}
	m.step, m.e = -1, env{params: true}
	if p.Outputs != nil {
		out.Outputs, _ = m.value("outputs", p.Outputs, shape{}).(map[string]any)
	}
	return &out
}

// MendArgs gives the arguments of one call as Mend gives a step's, and what was taken
// for what. It knows of no references: whatever looks like one is text. The arguments
// given are not changed.
func MendArgs(t *tool.Entry, args map[string]any) (map[string]any, []tool.Taken) {
	m := &mender{c: newChecker(&Plan{}, nil, Rules{}), plan: &Plan{}, step: -1, literal: true}
	out := m.arguments(t, args)
	var taken []tool.Taken
	for _, k := range m.plan.Taken {
		taken = append(taken, tool.Taken{Field: k.Field, From: k.From, To: k.To})
	}
	return out, taken
}

// mender goes through a plan. c knows the steps and what their tools give.
type mender struct {
	c    *checker
	plan *Plan
	step int
	e    env
	// literal: there are no references in the texts.
	literal bool
}

func (m *mender) took(field string, from, to any) {
	m.plan.Taken = take(m.plan.Taken, m.c.stepID(m.step), field, from, to)
}

// from mends where a loop's list comes from, so that its element is known.
func (m *mender) from(i int) {
	s := &m.plan.Steps[i]
	if s.Foreach == nil {
		return
	}
	f := *s.Foreach
	s.Foreach = &f
	m.step, m.e = i, env{params: true}
	const field = "foreach.from"
	if text, ok := f.From.(string); ok {
		if r := m.c.meant(text, m.e, true); r != nil && m.there(r) {
			f.From = r.delimited()
			m.took(field, text, f.From)
		}
	}
	f.From = m.value(field, f.From, (&schemaDoc{}).at(anyList))
	m.c.loops[i] = m.c.loopOf(f.From)
}

func (m *mender) oneStep(i int) {
	s := &m.plan.Steps[i]
	m.step, m.e = i, stepEnv(s, true)
	s.Preview = m.text("preview", s.Preview)
	m.conditions(s)
	s.Args = m.arguments(m.c.nodes[i].Tool, s.Args)
}

// arguments mends those of a call; t is nil for a tool that is not known.
func (m *mender) arguments(t *tool.Entry, given map[string]any) map[string]any {
	in := shape{}
	if t != nil {
		in = m.c.shapes.input(t)
		given = m.names(t, given)
	}
	args := make(map[string]any, len(given))
	for _, name := range sortedKeys(given) {
		sub, _ := in.enter(seg{key: name})
		args[name] = m.value("args."+name, given[name], sub)
	}
	return args
}

// names gives the arguments under the tool's own names; as they are where two
// spellings of one contradict each other.
func (m *mender) names(t *tool.Entry, args map[string]any) map[string]any {
	own, err := t.NormaliseArgs(args)
	if err != nil {
		return args
	}
	for _, name := range sortedKeys(args) {
		if is := t.OwnName(name); is != name {
			m.took("args", name, is)
		}
	}
	return own
}

// value mends a value that is to be of a shape.
func (m *mender) value(field string, v any, sh shape) any {
	types := sh.types()
	if s, isText := v.(string); isText {
		return m.textValue(field, s, types, sh)
	}
	if w := meantAs(v, types...); typeOf(w) != typeOf(v) {
		m.took(field, v, w)
		v = w
	} else if inList(v, types) {
		v = []any{v}
		m.took(field, w, v)
	}
	return m.inside(field, v, sh)
}

// inside mends the parts of a value.
func (m *mender) inside(field string, v any, sh shape) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for _, k := range sortedKeys(v) {
			own := m.ownField(field, k, v, sh)
			sub, _ := sh.enter(seg{key: own})
			out[own] = m.value(field+"."+own, v[k], sub)
		}
		return out
	case []any:
		sub, _ := sh.items()
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = m.value(field+"["+itoa(i)+"]", x, sub)
		}
		return out
	}
	return v
}

// ownField gives the name of an object's field in its own spelling, where the object
// has the fields that it names and no others.
func (m *mender) ownField(field, name string, v map[string]any, sh shape) string {
	if sh.open() {
		return name
	}
	names := sh.fields()
	for _, own := range names {
		_, given := v[own]
		if !given && !slices.Contains(names, name) && similar.FoldName(own) == similar.FoldName(name) {
			m.took(field+"."+name, name, own)
			return own
		}
	}
	return name
}

// inList says whether a value is certainly the one element of a list that is
// wanted. A text with a comma may be several.
func inList(v any, types []string) bool {
	text, isText := v.(string)
	return slices.Equal(types, []string{"array"}) && v != nil && typeOf(v) != "array" &&
		(!isText || text != "" && !strings.ContainsAny(text, ",\n"))
}

// textValue mends a text in the place of a value of some types.
func (m *mender) textValue(field, s string, types []string, sh shape) any {
	if read := meantAs(s, types...); typeOf(read) != "string" {
		m.took(field, s, read)
		return m.inside(field, read, sh)
	}
	if m.literal {
		if !inList(s, types) {
			return s
		}
		m.took(field, s, []any{s})
		return []any{s}
	}
	s = m.text(field, s)
	segments := parse(s, m.e)
	switch {
	case len(segments) == 1 && segments[0].ref != nil:
		return m.whole(field, segments[0].ref, types)
	case slices.ContainsFunc(segments, func(g segment) bool { return g.ref != nil }):
		return s
	case inList(s, types):
		m.took(field, s, []any{s})
		return []any{s}
	}
	return s
}
