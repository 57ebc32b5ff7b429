package plan

import (
	"slices"
	"strings"

	"embedded-agent/wasm/internal/fault"
	similar "embedded-agent/wasm/internal/text"
)

// references follows every reference that the steps noted: to a step or
// capture that is there, through fields that its tool's output has, to a type
// that the place takes. It also collects what each step waits for.
func (c *checker) references() {
	for _, u := range c.uses {
		c.at = u.step
		c.reference(u)
	}
}

// mistake reports what is wrong with a reference, once for each place.
func (c *checker) mistake(u use, key string, params fault.P) {
	s := spot{u.step, u.field, u.ref.text}
	if c.told[s] {
		return
	}
	c.told[s] = true
	c.problem(u.field, key, params)
}

// spot is a reference's text at a place.
type spot struct {
	step  int
	field string
	text  string
}

func (c *checker) reference(u use) {
	switch u.ref.kind {
	case refStep:
		to, ok := c.named.steps[u.ref.name]
		switch {
		case !ok && c.problems.full():
			c.mistake(u, "error.plan.ref.unknownStep", nil)
			return
		case !ok:
			params := fault.P{
				"ref": u.ref.text, "name": u.ref.name, "near": similar.Closest(u.ref.name, c.ids()), "steps": strings.Join(c.ids(), ", "),
			}
			c.mistake(u, withNear("error.plan.ref.unknownStep", params), params)
			return
		case to == u.step:
			c.mistake(u, "error.plan.ref.self", fault.P{"ref": u.ref.text})
			return
		}
		c.wait(u, to)
	case refVar:
		to, captured := c.named.captures[u.ref.name]
		switch {
		case captured && to == u.step:
			c.mistake(u, "error.plan.ref.self", fault.P{"ref": u.ref.text})
			return
		case captured:
			c.wait(u, to)
		case !slices.Contains(c.rules.Vars, u.ref.name):
			known := append(sortedKeys(c.named.captures), c.rules.Vars...)
			params := fault.P{"ref": u.ref.text, "name": u.ref.name, "near": similar.Closest(u.ref.name, known)}
			c.mistake(u, withNear("error.plan.ref.unknownVar", params), params)
			return
		}
	}
	c.follow(u)
}

// withNear picks the form of a message that makes a suggestion.
func withNear(key string, params fault.P) string {
	if params["near"] != "" {
		return key + "Near"
	}
	return key
}

// wait notes that a step comes after another because it refers to it.
func (c *checker) wait(u use, to int) {
	if u.step >= 0 {
		c.deps[u.step] = append(c.deps[u.step], edge{to: to, ref: u.ref, path: u.field})
	}
}

// follow walks the reference through the schema.
func (c *checker) follow(u use) {
	sh, k, found := c.start(u.step, u.ref).along(u.ref.path)
	params := fault.P{"ref": u.ref.text, "field": k.key}
	switch {
	case found == entryNoField:
		names := sh.fields()
		params["near"] = similar.Closest(k.key, names)
		params["fields"] = strings.Join(names, ", ")
		c.mistake(u, withNear("error.plan.ref.noField", params), params)
	case found == entryIsList:
		c.mistake(u, "error.plan.ref.isList", params)
	case found == entryIsScalar:
		params["types"] = strings.Join(sh.types(), ", ")
		c.mistake(u, "error.plan.ref.isScalar", params)
	case u.whole && !fits(sh.types(), u.want):
		c.mistake(u, "error.plan.ref.type", fault.P{
			"ref": u.ref.text, "given": strings.Join(sh.types(), ", "), "want": strings.Join(u.want, ", "),
		})
	}
}

// start gives the shape that a reference's way begins in.
func (c *checker) start(step int, r *ref) shape {
	switch r.kind {
	case refStep, refVar:
		if to := c.stepOf(r); to >= 0 {
			return c.outputShape(to)
		}
	case refItem:
		if step >= 0 {
			return c.itemShape(step)
		}
	case refIndex:
		return (&schemaDoc{}).at(map[string]any{"type": "integer"})
	}
	return shape{}
}

// stepOf gives the step whose output a reference is about; -1 for none.
func (c *checker) stepOf(r *ref) int {
	names := map[refKind]map[string]int{refStep: c.named.steps, refVar: c.named.captures}[r.kind]
	if to, ok := names[r.name]; ok {
		return to
	}
	return -1
}

func (c *checker) outputShape(i int) shape {
	n := c.nodes[i]
	if n.Tool == nil {
		return shape{}
	}
	if n.Step.Foreach == nil {
		return c.shapes.output(n.Tool)
	}
	sh, read := c.outs[i]
	if !read {
		sh = listOf(c.shapes.output(n.Tool), c.itemShape(i))
		c.outs[i] = sh
	}
	return sh
}

// itemShape gives the shape of an element of a step's loop. One that depends on
// itself, as in a circle of steps, is unknown.
func (c *checker) itemShape(i int) shape {
	l := &c.loops[i]
	if l.from != nil && !l.read {
		l.read = true
		if sh, ok := c.quietShape(i, l.from); ok {
			l.item, _ = sh.items()
		}
	}
	return l.item
}

// quietShape is follow without reports.
func (c *checker) quietShape(step int, r *ref) (shape, bool) {
	sh, _, found := c.start(step, r).along(r.path)
	return sh, found == entryOK
}
