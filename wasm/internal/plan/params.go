package plan

import (
	"maps"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/tool"
)

// A saved action is a plan with parameters: ${name} in its goal, assumptions,
// arguments, foreach.from, previews and outputs. A name that the step's own
// loop binds is the loop's.

// Parameters lists the parameters of a saved action, each once, in the order
// they appear (arguments of a step by name).
func Parameters(p *Plan) []string {
	var names []string
	eachTemplate(p, func(s string, e env) string {
		e.params = true
		for _, g := range parse(s, e) {
			if g.ref != nil && g.ref.kind == refParam && !slices.Contains(names, g.ref.name) {
				names = append(names, g.ref.name)
			}
		}
		return s
	}, nil)
	return names
}

// BindParameters gives the plan of a saved action: each ${name} replaced by
// its value. A string that is one parameter takes the value with its type;
// inside a longer string a text is put in as it is, anything else as JSON.
// What is in the values is never read for references or parameters, now or
// when the plan runs. A parameter without a value is VALIDATION_ERROR; values
// that no parameter asks for are not used. A reference beside parameters that are
// all empty stands alone afterwards, and so keeps its type. The plan given is not
// changed.
func BindParameters(p *Plan, values map[string]any) (*Plan, error) {
	var missing []string
	for _, name := range Parameters(p) {
		if _, ok := values[name]; !ok {
			missing = append(missing, name)
		}
	}
	if missing != nil {
		return nil, fault.New(fault.Validation, "error.plan.parameters", fault.P{"names": strings.Join(missing, ", ")})
	}
	var failed error
	out := eachTemplate(p,
		func(s string, e env) string {
			text, err := bindText(s, e, values)
			if err != nil && failed == nil {
				failed = err
			}
			return text
		},
		func(s string, e env) (any, bool) {
			e.params = true
			g := parse(s, e)
			if len(g) != 1 || g[0].ref == nil || g[0].ref.kind != refParam {
				return nil, false
			}
			e.params = false
			return quoteValue(tool.Plain(values[g[0].ref.name]), e), true
		})
	if failed != nil {
		return nil, failed
	}
	return out, nil
}

// bindText fills the parameters of one string and writes it so that, in a
// plan, the values stay text.
func bindText(s string, e env, values map[string]any) (string, error) {
	e.params = true
	segments := parse(s, e)
	out := make([]segment, 0, len(segments))
	changed := false
	var b []byte
	flush := func() {
		if len(b) > 0 {
			out = append(out, segment{lit: string(b)})
			b = b[:0]
		}
	}
	for _, g := range segments {
		switch {
		case g.ref == nil:
			b = append(b, g.lit...)
		case g.ref.kind == refParam:
			changed = true
			var err error
			if b, err = appendText(b, values[g.ref.name]); err != nil {
				return "", fault.New(fault.Validation, "error.plan.parameterValue", fault.P{"name": g.ref.name}).With(err)
			}
		default:
			flush()
			out = append(out, g)
		}
	}
	flush()
	e.params = false
	if !changed && sameSegments(segments, parse(s, e)) {
		return s, nil // as it was written
	}
	return render(out, e), nil
}

func sameSegments(a, b []segment) bool {
	return slices.EqualFunc(a, b, func(x, y segment) bool {
		if x.ref == nil || y.ref == nil {
			return x.ref == y.ref && x.lit == y.lit
		}
		return x.ref.text == y.ref.text
	})
}

// quoteValue writes every text in a value so that it stays as it is.
func quoteValue(v any, e env) any {
	switch v := v.(type) {
	case string:
		var b strings.Builder
		quote(&b, v, e, false)
		return b.String()
	case map[string]any:
		for k, x := range v {
			v[k] = quoteValue(x, e)
		}
	case []any:
		for i, x := range v {
			v[i] = quoteValue(x, e)
		}
	}
	return v
}

// AsTemplate makes a plan that ran into one that can be saved as an action:
// what looks like a parameter but is only text is escaped. Put parameters in
// afterwards. The plan given is not changed.
func AsTemplate(p *Plan) *Plan {
	out := eachTemplate(p, func(s string, e env) string {
		segments := parse(s, e)
		e.params = true
		if sameSegments(segments, parse(s, e)) {
			return s
		}
		return render(segments, e)
	}, nil)
	out.Taken = nil
	return out
}

// eachTemplate copies a plan with every string that may hold references passed
// through text; whole, where it is given, may put a value in place of a string
// in arguments, foreach.from and outputs.
func eachTemplate(p *Plan, text func(string, env) string, whole func(string, env) (any, bool)) *Plan {
	var value func(v any, e env) any
	value = func(v any, e env) any {
		switch v := v.(type) {
		case string:
			if whole != nil {
				if x, ok := whole(v, e); ok {
					return x
				}
			}
			return text(v, e)
		case map[string]any:
			out := make(map[string]any, len(v))
			for _, k := range sortedKeys(v) {
				out[k] = value(v[k], e)
			}
			return out
		case []any:
			out := make([]any, len(v))
			for i, x := range v {
				out[i] = value(x, e)
			}
			return out
		}
		return v
	}
	// In goal and assumptions only parameters mean anything.
	words := func(s string) string { return text(s, env{wordsOnly: true}) }
	out := *p
	out.Goal = words(p.Goal)
	out.Assumptions = slices.Clone(p.Assumptions)
	for i, a := range out.Assumptions {
		out.Assumptions[i] = words(a)
	}
	tests := func(list []Condition, e env) []Condition {
		out := slices.Clone(list)
		for i := range out {
			out[i].Property, out[i].Value = text(out[i].Property, e), value(out[i].Value, e)
		}
		return out
	}
	out.Steps = slices.Clone(p.Steps)
	for i := range out.Steps {
		s := &out.Steps[i]
		e := stepEnv(s, false)
		s.When = tests(s.When, env{})
		s.Preview = text(s.Preview, env{item: e.item, index: e.index})
		if s.Foreach != nil {
			f := *s.Foreach
			f.From, f.When = value(f.From, env{}), tests(f.When, e)
			s.Foreach = &f
		}
		if s.Args != nil {
			s.Args, _ = value(s.Args, e).(map[string]any)
		}
	}
	if p.Outputs != nil {
		out.Outputs, _ = value(maps.Clone(p.Outputs), env{}).(map[string]any)
	}
	return &out
}
