package plan

import (
	"slices"
	"strings"

	"embedded-agent/wasm/internal/compare"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/tool"
)

// Condition is a test, as vault.query has it in where. Property is a reference; in
// a foreach it may be the name of a field of the element, with dots, or of one of
// its properties. Value may hold references.
type Condition struct {
	Property string `json:"property"`
	Op       string `json:"op,omitempty"`
	Value    any    `json:"value,omitempty"`
}

var conditionFields = []string{"property", "op", "value"}

// conditions reads a list of conditions, or one alone.
func (d *decoder) conditions(m map[string]any, name string) []Condition {
	v := d.as(m, name, "array", "object")
	if one, ok := v.(map[string]any); ok {
		v = []any{one}
		d.took(name, one, v)
	}
	list, ok := v.([]any)
	if v != nil && !ok {
		d.wrong(name, "error.plan.when.list", nil)
	}
	before := d.prefix
	defer func() { d.prefix = before }()
	var out []Condition
	for i, e := range list {
		d.prefix = before + name + "[" + itoa(i) + "]."
		one, ok := e.(map[string]any)
		if !ok {
			d.wrong("", "error.plan.when.list", nil)
			continue
		}
		d.known(one, conditionFields)
		out = append(out, Condition{
			Property: d.text(one, "property", true), Op: d.oneOf(one, "op", compare.Operators...), Value: one["value"],
		})
	}
	return out
}

// subject gives the reference that a condition is about, in a step or loop that
// binds these names; nil where it has none.
func (c *Condition) subject(e env) *ref {
	segments := parse(c.Property, e)
	if len(segments) == 1 && segments[0].ref != nil {
		return segments[0].ref
	}
	if e.item == "" || strings.ContainsAny(c.Property, "${") {
		return nil
	}
	r := &ref{kind: refItem, name: e.item, text: c.Property}
	for name := range strings.SplitSeq(c.Property, ".") {
		r.path = append(r.path, newSeg(name))
	}
	return r
}

// own says whether a condition names a field of the loop's element.
func (c *Condition) own() bool { return !strings.ContainsAny(c.Property, "${") }

// have gives the value that a condition is about; nil where there is none.
func (c *Condition) have(scope *Scope, e env) any {
	if c.own() {
		return compare.Field(tool.Plain(scope.Item), c.Property)
	}
	v, _ := scope.value(c.subject(e))
	return tool.Plain(v)
}

// holds says whether all conditions hold. A value that cannot be compared with the
// wanted one is an error.
func holds(list []Condition, step string, scope *Scope, e env) (bool, error) {
	all := true
	for i := range list {
		c := &list[i]
		compiled := &Compiled{step: step}
		n := compiled.node(c.Value, e)
		want, err := compiled.bind(&n, scope)
		if err != nil {
			return false, err
		}
		passes, known := compare.New(c.Op, want, scope.Now).Test(c.have(scope, e))
		if !known {
			return false, fault.New(fault.Validation, "tools.compare.not", nil)
		}
		all = all && passes
	}
	return all, nil
}

// Conditional says whether any step has conditions.
func (p *Plan) Conditional() bool {
	return slices.ContainsFunc(p.Steps, func(s Step) bool { return len(s.When) > 0 || s.Foreach != nil && len(s.Foreach.When) > 0 })
}

// Met says whether a step's conditions hold.
func Met(step *Step, scope *Scope) (bool, error) { return holds(step.When, step.ID, scope, env{}) }

// keep leaves only the elements of a loop for which its conditions hold. Those with
// a value that cannot be compared are put aside.
func (l *Loop) keep(step *Step, scope *Scope) error {
	var kept []any
	for i, item := range l.Items {
		at := scope.At(i, item)
		ok, err := holds(step.Foreach.When, step.ID, &at, stepEnv(step, false))
		switch f := fault.From(err); {
		case err == nil && ok:
			kept = append(kept, item)
		case err != nil && f.Key != "tools.compare.not":
			return err
		case err != nil:
			l.Unclear = append(l.Unclear, Unclear{item, f})
		}
	}
	l.Items = kept
	return nil
}

// Unclear is an element of a loop with a value that its conditions cannot compare.
type Unclear struct {
	Item any
	Why  *tool.Error
}

// when checks conditions and notes their references.
func (c *checker) when(i int, field string, list []Condition, e env) {
	for k := range list {
		cond := &list[k]
		at := field + "[" + itoa(k) + "]"
		if !slices.Contains(compare.Operators, cond.Op) && cond.Op != "" {
			c.problem(at+".op", "error.plan.type.oneOf", fault.P{"values": strings.Join(compare.Operators, ", ")})
		}
		r := cond.subject(e)
		switch {
		case r == nil:
			c.lookalikes(at+".property", cond.Property, e)
			c.problem(at+".property", "error.plan.when.property", fault.P{"name": cond.Property})
		case !cond.own() || !c.hasProperties(i):
			c.uses = append(c.uses, use{step: i, field: at + ".property", ref: r, optional: true})
		}
		c.lookalikesIn(at+".value", cond.Value, e)
		compiled := &Compiled{}
		compiled.node(cond.Value, e)
		for _, r := range compiled.refs {
			c.uses = append(c.uses, use{step: i, field: at + ".value", ref: r})
		}
	}
}

// hasProperties says whether an element may have a note's properties, which a
// condition may name like fields.
func (c *checker) hasProperties(step int) bool {
	_, found := c.itemShape(step).enter(seg{key: "properties"})
	return found == entryOK
}
