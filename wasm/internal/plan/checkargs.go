package plan

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/vaultpath"
)

// args compiles a step's arguments and checks them against the tool's input
// schema as far as they are known: a reference is stood in for by a sample,
// and what the schema says about that place is left for run time.
func (c *checker) args(n *Node, e env) {
	n.Args = &Compiled{step: n.Step.ID}
	given, known := c.normalised(n)
	n.Args.root = n.Args.node(given, e)
	c.suspicious(n)
	if !known {
		for _, r := range n.Args.refs {
			c.uses = append(c.uses, use{step: n.Index, field: "args", ref: r})
		}
		return
	}
	w := argWalk{c: c, step: n.Index, e: e}
	root, ok := w.walk(n.Args.root, given, c.shapes.input(n.Tool), place{}).(map[string]any)
	if !ok {
		root = map[string]any{}
	}
	n.Deferred = len(w.open) > 0
	c.validate(n, root, w.open)
}

// normalised gives the arguments under the tool's own names; false when there
// is no way to hold them against the tool.
func (c *checker) normalised(n *Node) (map[string]any, bool) {
	if n.Tool == nil {
		return n.Step.Args, false
	}
	normal, err := n.Tool.NormaliseArgs(n.Step.Args)
	var f *fault.Error
	switch {
	case err == nil:
		return normal, true
	case errors.As(err, &f):
		c.problem("args", f.Key, f.Params)
	default:
		c.problem("args", "error.plan.schema", fault.P{"message": err.Error()})
	}
	return n.Step.Args, false
}

// validate says how the arguments miss the schema, but for the places that a
// reference fills.
func (c *checker) validate(n *Node, args map[string]any, open []string) {
	s, err := n.Tool.InputSchema()
	if err != nil {
		c.problem("args", "error.plan.schema", fault.P{"message": err.Error()})
		return
	}
	own := c.unknownArgs(n, s, args)
	for _, name := range s.Required() {
		if _, ok := args[name]; !ok {
			own = true
			c.problem("args."+name, "error.plan.args.missing", fault.P{"tool": n.Tool.Name, "name": name})
		}
	}
	violations := s.Validate(args)
	slices.SortFunc(violations, func(a, b tool.Violation) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Message, b.Message))
	})
	for _, v := range violations {
		if own && v.Path == "" || coveredBy(v.Path, open) {
			continue
		}
		c.problem("args"+fieldOf(v.Path), "error.plan.args.invalid", fault.P{"tool": n.Tool.Name, "message": v.Message})
	}
}

// unknownArgs reports arguments that the tool does not know.
func (c *checker) unknownArgs(n *Node, s *tool.Schema, args map[string]any) bool {
	var unknown []string
	for name := range args {
		if _, ok := s.Properties()[name]; !ok {
			unknown = append(unknown, name)
		}
	}
	if unknown == nil || c.shapes.input(n.Tool).open() {
		return false
	}
	slices.Sort(unknown)
	names := sortedKeys(s.Properties())
	for _, name := range unknown {
		params := fault.P{"tool": n.Tool.Name, "name": name, "near": near(name, names), "fields": strings.Join(names, ", ")}
		c.problem("args."+name, withNear("error.plan.args.unknown", params), params)
	}
	return true
}

// coveredBy says whether a JSON pointer is one of the open places or lies
// below one.
func coveredBy(pointer string, open []string) bool {
	for _, o := range open {
		if strings.HasPrefix(pointer, o) && (len(pointer) == len(o) || pointer[len(o)] == '/') {
			return true
		}
	}
	return false
}

// fieldOf writes a JSON pointer as a field: /items/0/a as .items[0].a.
func fieldOf(pointer string) string {
	out := ""
	for part := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		switch {
		case part == "":
		case newSeg(part).num:
			out += "[" + part + "]"
		default:
			out += "." + fromPointer.Replace(part)
		}
	}
	return out
}

// place is where a value stands: as a JSON pointer below args, and as a field
// for people. Both are written only when somebody asks.
type place struct {
	parent *place
	key    string
	index  int // -1 for a key
}

func (p place) pointer() string {
	if p.parent == nil {
		return ""
	}
	if p.index >= 0 {
		return p.parent.pointer() + "/" + itoa(p.index)
	}
	return p.parent.pointer() + "/" + toPointer.Replace(p.key)
}

// JSON pointers escape two characters (RFC 6901 §3).
var (
	toPointer   = strings.NewReplacer("~", "~0", "/", "~1")
	fromPointer = strings.NewReplacer("~1", "/", "~0", "~")
)

func (p place) field() string {
	if p.parent == nil {
		return "args"
	}
	if p.index >= 0 {
		return p.parent.field() + "[" + itoa(p.index) + "]"
	}
	return p.parent.field() + "." + p.key
}

// argWalk goes through compiled arguments, their source and the schema side by
// side.
type argWalk struct {
	c    *checker
	step int
	e    env
	open []string // pointers of the places that references fill
}

// walk gives the value to validate in place of the node's.
func (w *argWalk) walk(n *node, src any, sh shape, at place) any {
	switch n.kind {
	case nodeRef:
		return w.whole(n, src, sh, at)
	case nodeTemplate:
		return w.mixed(n, src, sh, at)
	case nodeMap:
		m, _ := src.(map[string]any)
		out := make(map[string]any, len(n.keys))
		for i, k := range n.keys {
			sub, _ := sh.enter(seg{key: k})
			out[k] = w.walk(n.kids[i], m[k], sub, place{&at, k, -1})
		}
		return out
	case nodeList:
		list, _ := src.([]any)
		sub, _ := sh.items()
		out := make([]any, len(n.kids))
		for i, k := range n.kids {
			out[i] = w.walk(k, list[i], sub, place{&at, "", i})
		}
		return out
	}
	w.literals(n.value, src, sh, at)
	return n.value
}

// literals looks for paths in values without references, and for mistakes in
// their source.
func (w *argWalk) literals(v, src any, sh shape, at place) {
	switch v := v.(type) {
	case string:
		if kind := sh.keyword("x-path"); kind != "" {
			w.path(v, kind, at, true)
		}
		s, _ := src.(string)
		w.unbound(s, at)
	case map[string]any:
		m, _ := src.(map[string]any)
		for _, k := range sortedKeys(v) {
			sub, _ := sh.enter(seg{key: k})
			w.literals(v[k], m[k], sub, place{&at, k, -1})
		}
	case []any:
		list, _ := src.([]any)
		sub, _ := sh.items()
		for i, e := range v {
			w.literals(e, list[i], sub, place{&at, "", i})
		}
	}
}

func (w *argWalk) whole(n *node, src any, sh shape, at place) any {
	types := sh.types()
	text := len(types) == 1 && types[0] == "string"
	if n.ref.brace && text {
		n.asText = true
		types = nil
	}
	w.c.uses = append(w.c.uses, use{step: w.step, field: at.field(), ref: n.ref, want: types, whole: true})
	w.open = append(w.open, at.pointer())
	return sample(types, src)
}

// sample gives a value of the right type to stand where a reference is.
func sample(types []string, src any) any {
	if len(types) == 0 || slices.Contains(types, "string") {
		return src
	}
	switch types[0] {
	case "array":
		return []any{}
	case "object":
		return map[string]any{}
	case "boolean":
		return false
	case "integer", "number":
		return float64(0)
	}
	return nil
}

func (w *argWalk) mixed(n *node, src any, sh shape, at place) any {
	for _, g := range n.segments {
		if g.ref != nil {
			w.c.uses = append(w.c.uses, use{step: w.step, field: at.field(), ref: g.ref})
		}
	}
	w.open = append(w.open, at.pointer())
	if types := sh.types(); types != nil && !slices.Contains(types, "string") {
		w.c.problem(at.field(), "error.plan.args.textAround", fault.P{"types": strings.Join(types, ", ")})
	}
	if kind := sh.keyword("x-path"); kind != "" {
		var b strings.Builder
		for _, g := range n.segments {
			if b.WriteString(g.lit); g.ref != nil {
				b.WriteByte('x') // stands for a harmless name
			}
		}
		w.path(b.String(), kind, at, false)
	}
	text, _ := src.(string)
	w.unbound(text, at)
	return src
}

// path checks a path that is written in the plan. known says that no part of
// it comes from a reference.
func (w *argWalk) path(p, kind string, at place, known bool) {
	var err error
	switch kind {
	case "folder":
		p, err = vaultpath.CleanFolder(p)
	case "new":
		p, err = vaultpath.CleanNew(p)
	default:
		p, err = vaultpath.Clean(p)
	}
	var f *fault.Error
	if errors.As(err, &f) {
		w.c.problem(at.field(), f.Key, f.Params)
		return
	}
	if known && !vaultpath.Allowed(p, w.c.rules.Sandbox) {
		w.c.problem(at.field(), "error.path.denied", fault.P{"path": p})
	}
}

// unbound reports, in text that stays as it is, {name.field} where name is the
// item of another step's loop: a foreach was forgotten.
func (w *argWalk) unbound(src string, at place) {
	if w.c.rules.Bound || strings.IndexByte(src, '{') < 0 {
		return
	}
	for _, name := range w.c.items {
		if name == w.e.item || !strings.Contains(src, "{"+name) {
			continue
		}
		for _, g := range parse(src, env{item: name}) {
			if g.ref != nil && g.ref.kind == refItem && len(g.ref.path) > 0 {
				w.c.problem(at.field(), "error.plan.ref.unbound", fault.P{"ref": g.ref.text, "name": name})
				return
			}
		}
	}
}

func sortedKeys[M ~map[string]V, V any](m M) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// suspicious warns of two habits that are not references here: $item.title,
// and {item.title} in a loop whose item has another name.
func (c *checker) suspicious(n *Node) {
	f := n.Step.Foreach
	if f == nil {
		return
	}
	item := f.itemName()
	eachString(n.Step.Args, func(s string) {
		if strings.Contains(s, "$"+item+".") {
			c.warn("args", "error.plan.ref.dollarItem", fault.P{"ref": "$" + item, "item": item})
		}
		if item != DefaultItem && (strings.Contains(s, "{item.") || strings.Contains(s, "{item}")) {
			c.warn("args", "error.plan.ref.otherItem", fault.P{"item": item})
		}
	})
}

func eachString(v any, do func(string)) {
	switch v := v.(type) {
	case string:
		do(v)
	case map[string]any:
		for _, k := range sortedKeys(v) {
			eachString(v[k], do)
		}
	case []any:
		for _, e := range v {
			eachString(e, do)
		}
	}
}
