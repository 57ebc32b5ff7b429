package plan

import (
	"slices"
	"strings"

	"embedded-agent/wasm/internal/fault"
	similar "embedded-agent/wasm/internal/text"
	"embedded-agent/wasm/internal/tool"
)

// Rules are the rules that a plan is checked against. Zero fields mean the defaults.
type Rules struct {
	MaxSteps     int   // DefaultMaxSteps
	MaxAttempts  int   // DefaultMaxAttempts
	MaxBackoffMs int64 // DefaultMaxBackoffMs
	MaxTimeoutMs int64 // no cap
	// Sandbox refuses paths that are written out in the plan. The policy asks
	// again for every call, when all paths are known.
	Sandbox tool.Sandbox
	// Script says what is wrong with a script that is written out in the plan; nil
	// looks at none. It reads the script and executes nothing.
	Script func(script string) error
	// Platform (host.Platform.Name) is where new names must be legal too.
	Platform string
	// Vars are variables that are there without a captureAs.
	Vars []string
	// Bound says that parameters were put into the plan, so that its texts may
	// hold anything: what looks like a forgotten foreach is none.
	Bound bool
	// Template checks a saved action before its parameters are bound: ${name}
	// stands for a value that is not known yet.
	Template bool
}

// The caps where the rules set none.
const (
	DefaultMaxSteps     = 500
	DefaultMaxAttempts  = 5
	DefaultMaxBackoffMs = 60_000
	// defaultAttempts and defaultBackoffMs are for onError "retry" without a
	// retry field.
	defaultAttempts  = 3
	defaultBackoffMs = 500
)

func (r Rules) withDefaults() Rules {
	if r.MaxSteps <= 0 {
		r.MaxSteps = DefaultMaxSteps
	}
	if r.MaxAttempts <= 0 {
		r.MaxAttempts = DefaultMaxAttempts
	}
	if r.MaxBackoffMs <= 0 {
		r.MaxBackoffMs = DefaultMaxBackoffMs
	}
	return r
}

// Check holds a plan against the tools and the rules before anything runs. It
// gives the graph to run, or nil and what is wrong; warnings come with either.
// The plan is not changed.
func Check(p *Plan, reg *tool.Registry, rules Rules) (*Graph, []Problem) {
	c := newChecker(p, reg, rules)
	c.run()
	found := c.problems.result()
	if Failed(found) {
		return nil, found
	}
	return c.graph(), found
}

func newChecker(p *Plan, reg *tool.Registry, rules Rules) *checker {
	return &checker{plan: p, reg: reg, rules: rules.withDefaults(), shapes: newShapes(), told: map[spot]bool{}}
}

// prepare finds names, tools and loops, and reports nothing.
func (c *checker) prepare() {
	c.names()
	c.nodes, c.loops = make([]*Node, len(c.plan.Steps)), make([]loop, len(c.plan.Steps))
	for i := range c.plan.Steps {
		s := &c.plan.Steps[i]
		c.nodes[i] = &Node{Step: s, Index: i, Tool: c.tool(s)}
		if s.Foreach != nil {
			c.loops[i] = c.loopOf(s.Foreach.From)
		}
	}
}

// loopOf reads where a loop's list comes from; nothing is known of one that is
// written out.
func (c *checker) loopOf(from any) loop {
	text, _ := from.(string)
	segments := parse(text, env{params: c.rules.Template})
	if len(segments) != 1 {
		return loop{}
	}
	return loop{from: segments[0].ref}
}

// checker is the state of one Check.
type checker struct {
	plan     *Plan
	reg      *tool.Registry
	rules    Rules
	problems problems
	shapes   *shapes

	nodes []*Node
	// named has the names that a reference may begin with.
	named struct {
		steps    map[string]int // ids
		captures map[string]int // captureAs
		items    []string       // of every loop
	}
	uses    []use
	told    map[spot]bool // mistakes in references that are reported already
	loops   []loop        // by step
	deps    [][]edge
	outs    map[int]shape // of steps with foreach
	outputs *Compiled
	at      int   // the step under check, -1 for the plan itself
	way     place // the memory of argWalk's stack
}

// use is one reference at its place.
type use struct {
	step  int // -1: the plan's outputs
	field string
	ref   *ref
	want  []string // types that the place takes; nil when any
	whole bool
	// optional: the step is done without the value, too.
	optional bool
}

// loop has the facts about a step's foreach.
type loop struct {
	from *ref  // nil: a list written out
	item shape // of one element, once it was read
	read bool
}

func (c *checker) problem(field, key string, params fault.P) {
	c.problems.add(Problem{Step: c.stepID(c.at), Field: field, Key: key, Params: params})
}

func (c *checker) warn(field, key string, params fault.P) {
	c.problems.add(Problem{Step: c.stepID(c.at), Field: field, Key: key, Params: params, Warning: true})
}

func (c *checker) stepID(i int) string {
	if i < 0 {
		return ""
	}
	if id := c.plan.Steps[i].ID; id != "" {
		return id
	}
	return "#" + itoa(i+1)
}

func (c *checker) run() {
	c.at = -1
	n := len(c.plan.Steps)
	switch {
	case n == 0:
		c.problem("steps", "error.plan.empty", nil)
		return
	case n > c.rules.MaxSteps:
		c.problem("steps", "error.plan.tooManySteps", fault.P{"n": itoa(n), "max": itoa(c.rules.MaxSteps)})
		return
	}
	c.names()
	c.nodes = make([]*Node, n)
	c.loops = make([]loop, n)
	c.deps = make([][]edge, n)
	for i := range c.plan.Steps {
		c.at = i
		c.step(i)
	}
	c.at = -1
	if c.plan.Outputs != nil {
		c.outputs = &Compiled{}
		c.lookalikesIn("outputs", c.plan.Outputs, env{params: c.rules.Template})
		c.outputs.root = c.outputs.node(c.plan.Outputs, env{params: c.rules.Template})
		for _, r := range c.outputs.refs {
			c.uses = append(c.uses, use{step: -1, field: "outputs", ref: r})
		}
	}
	c.references()
	c.cycles()
}

// names looks at what steps, loops and captures are called, so that the rest
// can refer to them.
func (c *checker) names() {
	c.named.steps, c.named.captures, c.outs = map[string]int{}, map[string]int{}, map[int]shape{}
	for i := range c.plan.Steps {
		c.at = i
		s := &c.plan.Steps[i]
		first, twice := c.named.steps[s.ID]
		switch {
		case !wellFormed(s.ID):
			c.problem("id", "error.plan.id", fault.P{"id": s.ID})
		case twice:
			c.problem("id", "error.plan.idTwice", fault.P{"id": s.ID, "n": itoa(first + 1), "m": itoa(i + 1)})
		default:
			c.named.steps[s.ID] = i
		}
		if s.CaptureAs != "" {
			first, twice := c.named.captures[s.CaptureAs]
			switch {
			case !wellFormed(s.CaptureAs):
				c.problem("captureAs", "error.plan.name", fault.P{"name": s.CaptureAs})
			case twice:
				c.problem("captureAs", "error.plan.captureTwice", fault.P{"name": s.CaptureAs, "step": c.stepID(first)})
			default:
				c.named.captures[s.CaptureAs] = i
			}
		}
		if s.Foreach != nil {
			c.loopNames(s.Foreach)
		}
	}
}

func (c *checker) loopNames(f *Foreach) {
	item, index := f.itemName(), f.indexName()
	c.loopName("foreach.itemName", item)
	c.loopName("foreach.indexName", index)
	if item == index {
		c.problem("foreach.indexName", "error.plan.foreach.sameName", fault.P{"name": item})
	}
	if !slices.Contains(c.named.items, item) {
		c.named.items = append(c.named.items, item)
	}
}

func (c *checker) loopName(field, name string) {
	if !wellFormed(name) || name[0] >= '0' && name[0] <= '9' || name == "steps" || name == "vars" {
		c.problem(field, "error.plan.name", fault.P{"name": name})
	}
}

// step checks one step by itself and notes its references.
func (c *checker) step(i int) {
	s := &c.plan.Steps[i]
	n := &Node{Step: s, Index: i, Tool: c.tool(s)}
	c.nodes[i] = n
	c.control(n)
	for k, id := range s.DependsOn {
		field := "dependsOn[" + itoa(k) + "]"
		to, ok := c.named.steps[id]
		switch {
		case !ok && c.problems.full():
			c.problem(field, "error.plan.dependsUnknown", nil)
		case !ok:
			params := fault.P{"id": id, "near": similar.Closest(id, c.ids())}
			c.problem(field, withNear("error.plan.dependsUnknown", params), params)
		case to == i:
			c.problem(field, "error.plan.dependsSelf", nil)
		default:
			c.deps[i] = append(c.deps[i], edge{to: to, path: field})
		}
	}
	if s.Foreach != nil {
		c.foreach(i, s.Foreach)
	}
	c.when(i, "when", s.When, env{params: c.rules.Template})
	e := stepEnv(s, c.rules.Template)
	if s.Foreach != nil {
		c.when(i, "foreach.when", s.Foreach.When, e)
	}
	n.preview = parse(s.Preview, env{item: e.item, index: e.index})
	c.args(n, e)
}

func (c *checker) ids() []string {
	ids := make([]string, 0, len(c.named.steps))
	for i := range c.plan.Steps {
		ids = append(ids, c.plan.Steps[i].ID)
	}
	return ids
}

// tool finds the step's tool; nil after a problem.
func (c *checker) tool(s *Step) *tool.Entry {
	name, version, pinned := strings.Cut(s.Tool, "@")
	switch {
	case !pinned:
		version = s.Version
	case s.Version != "" && s.Version != version:
		c.problem("version", "error.plan.versions", fault.P{"tool": s.Tool, "version": s.Version})
		return nil
	}
	e, err := c.reg.Get(name, version)
	if err != nil && fault.Is(err, fault.NotFound) {
		// The name as providers have it, who refuse dots.
		if wired, again := c.reg.Get(tool.FromWire(name), version); again == nil {
			e, err = wired, nil
		}
	}
	if err != nil {
		f := fault.From(err)
		c.problem("tool", f.Key, f.Params)
		return nil
	}
	if e.Lifecycle == tool.Deprecated {
		c.warn("tool", "error.plan.deprecated", fault.P{"tool": e.ID()})
	}
	return e
}

// foreach reads where the list comes from: one reference, or written out.
func (c *checker) foreach(i int, f *Foreach) {
	if f.Concurrency < 0 {
		c.problem("foreach.concurrency", "error.plan.type.whole", fault.P{"min": "1"})
	}
	compiled := &Compiled{}
	switch from := f.From.(type) {
	case string:
		if c.loops[i] = c.loopOf(from); c.loops[i].from == nil {
			c.problem("foreach.from", "error.plan.foreach.from", nil)
			return
		}
		c.uses = append(c.uses, use{step: i, field: "foreach.from", ref: c.loops[i].from, want: []string{"array"}, whole: true})
	case []any:
		c.lookalikesIn("foreach.from", from, env{params: c.rules.Template})
		compiled.node(from, env{params: c.rules.Template})
		for _, r := range compiled.refs {
			c.uses = append(c.uses, use{step: i, field: "foreach.from", ref: r})
		}
	default:
		c.problem("foreach.from", "error.plan.foreach.from", nil)
	}
}

// graph makes the result of a check without errors.
func (c *checker) graph() *Graph {
	g := &Graph{Plan: c.plan, Risk: tool.ReadOnly, byID: make(map[string]*Node, len(c.nodes)), outputs: c.outputs}
	for i, n := range c.nodes {
		g.byID[n.Step.ID] = n
		g.Risk = g.Risk.Max(n.Effects.Risk())
		before := make([]int, 0, len(c.deps[i]))
		for _, e := range c.deps[i] {
			before = append(before, e.to)
		}
		slices.Sort(before)
		for _, to := range slices.Compact(before) {
			n.DependsOn = append(n.DependsOn, c.plan.Steps[to].ID)
		}
	}
	for _, u := range c.uses {
		if to := c.stepOf(u.ref); u.step >= 0 && to >= 0 && u.ref.or == nil && !u.optional {
			c.nodes[u.step].Needs = append(c.nodes[u.step].Needs, c.plan.Steps[to].ID)
		}
	}
	for _, i := range order(c.deps) {
		g.Nodes = append(g.Nodes, c.nodes[i])
	}
	return g
}
