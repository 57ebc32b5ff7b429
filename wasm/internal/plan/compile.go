package plan

import (
	"strings"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/tool"
)

// Compiled is a step's arguments, read for references once, so that binding
// one of ten thousand iterations costs microseconds. It is never changed and
// may be bound by several goroutines at once.
type Compiled struct {
	step string
	root node
	refs []*ref
}

// nodeKind says how a node gets its value.
type nodeKind uint8

const (
	nodeConst    nodeKind = iota // no reference in it
	nodeRef                      // the string is one reference
	nodeTemplate                 // text around references
	nodeMap
	nodeList
)

type node struct {
	kind     nodeKind
	value    any  // nodeConst
	shared   bool // nodeConst: nothing in it can be changed, so no copy is made
	ref      *ref // nodeRef
	asText   bool // nodeRef: the schema asks for text
	segments []segment
	keys     []string // nodeMap
	kids     []node
}

// Compile reads a step for references. Check does the same with the tool's
// schema at hand, which settles parameter names and where {index} is text; use
// its Graph where there is one.
func Compile(step *Step) *Compiled {
	c := &Compiled{step: step.ID}
	c.root = c.node(step.Args, stepEnv(step, false))
	return c
}

// Bind materialises a step's arguments: Compile and Compiled.Bind in one.
func Bind(step *Step, scope *Scope) (tool.Args, error) { return Compile(step).Bind(scope) }

// stepEnv gives the names bound in a step's strings.
func stepEnv(s *Step, params bool) env {
	e := env{params: params}
	if s.Foreach != nil {
		e.item, e.index = s.Foreach.itemName(), s.Foreach.indexName()
	}
	return e
}

// node compiles one value.
func (c *Compiled) node(v any, e env) node {
	switch v := v.(type) {
	case string:
		return c.text(v, e)
	case map[string]any:
		n := node{kind: nodeMap, keys: sortedKeys(v), kids: make([]node, 0, len(v))}
		for _, k := range n.keys {
			n.kids = append(n.kids, c.node(v[k], e))
		}
		return n.folded()
	case []any:
		n := node{kind: nodeList, kids: make([]node, 0, len(v))}
		for _, x := range v {
			n.kids = append(n.kids, c.node(x, e))
		}
		return n.folded()
	}
	return node{value: v, shared: true}
}

func (c *Compiled) text(s string, e env) node {
	if !strings.ContainsAny(s, "${") {
		return node{value: s, shared: true}
	}
	segments := parse(s, e)
	bound := false
	for _, g := range segments {
		if g.ref != nil {
			c.refs = append(c.refs, g.ref)
			bound = true
		}
	}
	switch {
	case !bound:
		return node{value: segments[0].lit, shared: true}
	case len(segments) == 1:
		return node{kind: nodeRef, ref: segments[0].ref}
	}
	return node{kind: nodeTemplate, segments: segments}
}

// folded makes one constant of a map or list whose every part is one; escapes
// in it are resolved already.
func (n node) folded() node {
	for i := range n.kids {
		if n.kids[i].kind != nodeConst {
			return n
		}
	}
	if n.kind == nodeMap {
		m := make(map[string]any, len(n.keys))
		for i, k := range n.keys {
			m[k] = n.kids[i].value
		}
		return node{value: m}
	}
	list := make([]any, len(n.kids))
	for i := range n.kids {
		list[i] = n.kids[i].value
	}
	return node{value: list}
}

// Bind gives the arguments under a scope. A reference without a value is
// VALIDATION_ERROR, which names it. What it gives shares nothing with the
// scope or with other bindings.
func (c *Compiled) Bind(scope *Scope) (tool.Args, error) {
	v, err := c.bind(&c.root, scope)
	if err != nil {
		return nil, err
	}
	m, _ := v.(map[string]any)
	return m, nil
}

func (c *Compiled) bind(n *node, scope *Scope) (any, error) {
	switch n.kind {
	case nodeRef:
		v, ok := scope.value(n.ref)
		if !ok {
			return nil, c.missing(n.ref)
		}
		if err := scope.make(v, n.asText); err != nil {
			return nil, err
		}
		if _, text := v.(string); n.asText && !text {
			b, err := appendText(nil, v)
			if err != nil {
				return nil, c.unwritable(n.ref, err)
			}
			return string(b), nil
		}
		return tool.Plain(v), nil
	case nodeTemplate:
		return c.fill(n, scope)
	case nodeMap:
		m := make(map[string]any, len(n.keys))
		for i, k := range n.keys {
			v, err := c.bind(&n.kids[i], scope)
			if err != nil {
				return nil, err
			}
			m[k] = v
		}
		return m, nil
	case nodeList:
		list := make([]any, len(n.kids))
		for i := range n.kids {
			v, err := c.bind(&n.kids[i], scope)
			if err != nil {
				return nil, err
			}
			list[i] = v
		}
		return list, nil
	}
	if n.shared {
		return n.value, nil
	}
	return tool.Plain(n.value), nil
}

// fill puts values into a text, in one pass.
func (c *Compiled) fill(n *node, scope *Scope) (any, error) {
	b := make([]byte, 0, 128)
	for _, g := range n.segments {
		if g.ref == nil {
			b = append(b, g.lit...)
			continue
		}
		v, ok := scope.value(g.ref)
		if !ok {
			return nil, c.missing(g.ref)
		}
		if err := scope.make(v, true); err != nil {
			return nil, err
		}
		var err error
		if b, err = appendText(b, v); err != nil {
			return nil, c.unwritable(g.ref, err)
		}
	}
	return string(b), nil
}

func (c *Compiled) missing(r *ref) error {
	return fault.New(fault.Validation, "error.plan.ref.missing", fault.P{"step": c.step, "ref": r.text})
}

func (c *Compiled) unwritable(r *ref, err error) error {
	return fault.New(fault.Validation, "error.plan.ref.unwritable", fault.P{"step": c.step, "ref": r.text}).With(err)
}

// showText fills a text for people: what has no value yet stays as it is
// written.
func showText(segments []segment, scope *Scope) string {
	var b []byte
	for _, g := range segments {
		if g.ref == nil {
			b = append(b, g.lit...)
			continue
		}
		v, ok := scope.value(g.ref)
		n := len(b)
		if ok {
			var err error
			if b, err = appendText(b, v); err != nil {
				b, ok = b[:n], false
			}
		}
		if !ok {
			b = append(b, g.ref.text...)
		}
	}
	return string(b)
}
