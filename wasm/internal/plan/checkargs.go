package plan

import (
	"cmp"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/sorting"
	similar "embedded-agent/wasm/internal/text"
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
	if n.Tool != nil {
		n.Effects = n.Tool.EffectsOf(given)
	}
	if !known {
		for _, r := range n.Args.refs {
			c.uses = append(c.uses, use{step: n.Index, field: "args", ref: r})
		}
		return
	}
	w := argWalk{c: c, step: n.Index, e: e, at: c.way[:0]}
	root, ok := w.walk(&n.Args.root, given, c.shapes.input(n.Tool)).(map[string]any)
	if !ok {
		root = map[string]any{}
	}
	c.way = w.at
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
	if err == nil {
		return normal, true
	}
	if f := fault.From(err); f.Code == fault.Validation {
		c.problem("args", f.Key, f.Params)
	} else {
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
	sorting.Func(violations, func(a, b tool.Violation) int {
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
		if c.problems.full() {
			c.problem("args", "error.plan.args.unknown", nil)
			continue
		}
		params := fault.P{"tool": n.Tool.Name, "name": name, "near": similar.Closest(name, names), "fields": strings.Join(names, ", ")}
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

// place is the way from args to a value: keys, and indexes into lists. It is
// kept on a stack, and written out only when somebody asks.
type place []placeKey

type placeKey struct {
	key   string
	index int // -1 for a key
}

// pointer writes the way as a JSON pointer.
func (p place) pointer() string {
	var b strings.Builder
	for _, k := range p {
		b.WriteByte('/')
		if k.index >= 0 {
			b.WriteString(itoa(k.index))
		} else {
			b.WriteString(toPointer.Replace(k.key))
		}
	}
	return b.String()
}

// field writes the way for people.
func (p place) field() string {
	var b strings.Builder
	b.WriteString("args")
	for _, k := range p {
		if k.index >= 0 {
			b.WriteString("[" + itoa(k.index) + "]")
		} else {
			b.WriteString("." + k.key)
		}
	}
	return b.String()
}

// JSON pointers escape two characters (RFC 6901 §3).
var (
	toPointer   = strings.NewReplacer("~", "~0", "/", "~1")
	fromPointer = strings.NewReplacer("~1", "/", "~0", "~")
)

// argWalk goes through compiled arguments, their source and the schema side by
// side.
type argWalk struct {
	c    *checker
	step int
	e    env
	at   place
	open []string // pointers of the places that references fill
}

func (w *argWalk) in(key string)  { w.at = append(w.at, placeKey{key, -1}) }
func (w *argWalk) item(index int) { w.at = append(w.at, placeKey{"", index}) }
func (w *argWalk) out()           { w.at = w.at[:len(w.at)-1] }

// walk gives the value to validate in place of the node's.
func (w *argWalk) walk(n *node, src any, sh shape) any {
	switch n.kind {
	case nodeRef:
		return w.whole(n, src, sh)
	case nodeTemplate:
		return w.mixed(n, src, sh)
	case nodeMap:
		m, _ := src.(map[string]any)
		out := make(map[string]any, len(n.keys))
		for i, k := range n.keys {
			sub, _ := sh.enter(seg{key: k})
			w.in(k)
			out[k] = w.walk(&n.kids[i], m[k], sub)
			w.out()
		}
		return out
	case nodeList:
		list, _ := src.([]any)
		sub, _ := sh.items()
		out := make([]any, len(n.kids))
		for i := range n.kids {
			w.item(i)
			out[i] = w.walk(&n.kids[i], list[i], sub)
			w.out()
		}
		return out
	}
	w.literals(n.value, src, sh)
	return n.value
}

// literals looks for paths in values without references, and for mistakes in
// their source.
func (w *argWalk) literals(v, src any, sh shape) {
	switch v := v.(type) {
	case string:
		if kind := sh.keyword("x-path"); kind != "" {
			w.path(v, kind, true)
		}
		if sh.keyword("x-script") != "" {
			w.script(v)
		}
		s, _ := src.(string)
		w.unbound(s)
	case map[string]any:
		m, _ := src.(map[string]any)
		for _, k := range sortedKeys(v) {
			sub, _ := sh.enter(seg{key: k})
			w.in(k)
			w.literals(v[k], m[k], sub)
			w.out()
		}
	case []any:
		list, _ := src.([]any)
		sub, _ := sh.items()
		for i, e := range v {
			w.item(i)
			w.literals(e, list[i], sub)
			w.out()
		}
	}
}

func (w *argWalk) whole(n *node, src any, sh shape) any {
	types := sh.types()
	text := len(types) == 1 && types[0] == "string"
	if n.ref.brace && text {
		n.asText = true
		types = nil
	}
	w.c.uses = append(w.c.uses, use{step: w.step, field: w.at.field(), ref: n.ref, want: types, whole: true})
	w.open = append(w.open, w.at.pointer())
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

func (w *argWalk) mixed(n *node, src any, sh shape) any {
	for _, g := range n.segments {
		if g.ref != nil {
			w.c.uses = append(w.c.uses, use{step: w.step, field: w.at.field(), ref: g.ref})
		}
	}
	w.open = append(w.open, w.at.pointer())
	if types := sh.types(); types != nil && !slices.Contains(types, "string") {
		w.c.problem(w.at.field(), "error.plan.args.textAround", fault.P{"types": strings.Join(types, ", ")})
	}
	if kind := sh.keyword("x-path"); kind != "" {
		var b strings.Builder
		for _, g := range n.segments {
			if b.WriteString(g.lit); g.ref != nil {
				b.WriteByte('x') // stands for a harmless name
			}
		}
		w.path(b.String(), kind, false)
	}
	text, _ := src.(string)
	w.unbound(text)
	return src
}

// path checks a path that is written in the plan. known says that no part of
// it comes from a reference.
func (w *argWalk) path(p, kind string, known bool) {
	var err error
	switch kind {
	case "folder":
		p, err = vaultpath.CleanFolder(p)
	case "new":
		// Folders on the way may be there already, whatever they are called; those
		// that are not, the tool checks when it makes them.
		if p, err = vaultpath.Clean(p); err == nil {
			err = vaultpath.CheckNameOn(w.c.rules.Platform, p)
		}
	default:
		p, err = vaultpath.Clean(p)
	}
	if err != nil {
		f := fault.From(err)
		w.c.problem(w.at.field(), f.Key, f.Params)
		return
	}
	if known && !vaultpath.Allowed(p, w.c.rules.Sandbox) {
		w.c.problem(w.at.field(), "error.path.denied", fault.P{"path": p})
	}
}

// script checks a script that is written in the plan. One that a reference fills in
// is known at run time only.
func (w *argWalk) script(text string) {
	if w.c.rules.Script == nil || text == "" {
		return
	}
	if err := w.c.rules.Script(text); err != nil {
		w.c.problem(w.at.field(), "error.plan.script", fault.P{"problem": err.Error()})
	}
}

// unbound reports, in text that stays as it is, {name.field} where name is the
// item of another step's loop: a foreach was forgotten.
func (w *argWalk) unbound(src string) {
	w.c.lookalikes(w.at.field(), src, w.e)
	if w.c.rules.Bound || strings.IndexByte(src, '{') < 0 {
		return
	}
	for _, name := range w.c.named.items {
		if name == w.e.item || !strings.Contains(src, "{"+name) {
			continue
		}
		for _, g := range parse(src, env{item: name}) {
			if g.ref == nil || g.ref.kind != refItem {
				continue
			}
			// The name alone in braces may well be meant as it is.
			w.c.problems.add(Problem{
				Step: w.c.stepID(w.step), Field: w.at.field(), Key: "error.plan.ref.unbound",
				Params: fault.P{"ref": g.ref.text, "name": name}, Warning: len(g.ref.path) == 0,
			})
			return
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
