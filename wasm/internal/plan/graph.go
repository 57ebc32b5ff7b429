package plan

import (
	"slices"

	"embedded-agent/wasm/internal/tool"
)

// Graph is a checked plan, ready to run.
type Graph struct {
	Plan *Plan
	// Nodes are the steps in the order to run them one by one: each after all
	// it depends on, and in source order among those that are free.
	Nodes []*Node
	// Risk is the highest of the tools', whatever the plan says.
	Risk tool.Risk

	byID    map[string]*Node
	outputs *Compiled
}

// Node is one step of a checked plan.
type Node struct {
	Step *Step
	// Index is the step's place in the plan's source.
	Index int
	Tool  *tool.Entry
	// Args gives the arguments, under the tool's own parameter names.
	Args *Compiled
	// Effects are the side effects of the step's calls: less than the tool's where its
	// arguments say that it only looks.
	Effects tool.SideEffects
	// DependsOn are the ids of the steps that must have ended: those the step
	// names and those it refers to, in source order.
	DependsOn []string
	// Needs are the ids of the steps without whose output it cannot be done: those
	// that it refers to without a default.
	Needs []string
	// Deferred is true when some argument is a reference whose value the schema
	// could not be checked against yet: validate after Bind.
	Deferred bool
	// OnError, Retry and TimeoutMs are the step's, else the plan's defaults,
	// clamped to the rules. TimeoutMs 0 leaves it to the tool and the policy.
	OnError   string
	Retry     Retry
	TimeoutMs int64

	preview []segment
}

// Node finds a step by its id.
func (g *Graph) Node(id string) *Node { return g.byID[id] }

// Simulable says whether every step can be simulated.
func (g *Graph) Simulable() bool {
	for _, n := range g.Nodes {
		if !n.Tool.Simulable {
			return false
		}
	}
	return true
}

// BindOutputs gives the plan's outputs under a scope; nil when it has none.
func (g *Graph) BindOutputs(scope *Scope) (map[string]any, error) {
	if g.outputs == nil {
		return nil, nil
	}
	out, err := g.outputs.Bind(scope)
	return out, err
}

// Preview gives the step's own words for people. References that have no value
// yet stay as they are written.
func (n *Node) Preview(scope *Scope) string { return showText(n.preview, scope) }

// edge says that a step must come after another, and what made it so: "" for
// dependsOn, else the reference.
type edge struct {
	to   int
	ref  *ref
	path string // the field the reference stands in
}

// order sorts the steps topologically, by source order among the free. A
// cycle leaves its steps out.
func order(deps [][]edge) []int {
	waiting := make([]int, len(deps))
	followers := make([][]int, len(deps))
	for i, es := range deps {
		waiting[i] = len(es)
		for _, e := range es {
			followers[e.to] = append(followers[e.to], i)
		}
	}
	var free []int // sorted, the lowest last
	for i := len(deps) - 1; i >= 0; i-- {
		if waiting[i] == 0 {
			free = append(free, i)
		}
	}
	out := make([]int, 0, len(deps))
	for len(free) > 0 {
		i := free[len(free)-1]
		free = free[:len(free)-1]
		out = append(out, i)
		for _, f := range followers[i] {
			if waiting[f]--; waiting[f] == 0 {
				at, _ := slices.BinarySearchFunc(free, f, func(x, y int) int { return y - x })
				free = slices.Insert(free, at, f)
			}
		}
	}
	return out
}

// cycles finds one cycle for each knot of steps that wait for each other, as
// edges in order: from[i] waits for from[i+1], and the last for the first.
func cycles(deps [][]edge) [][]int {
	const (
		fresh = iota
		open
		done
	)
	state := make([]int, len(deps))
	var out [][]int
	for start := range deps {
		if state[start] != fresh {
			continue
		}
		// An explicit stack: a plan may be one long chain.
		way := []int{start}
		next := []int{0}
		state[start] = open
		for len(way) > 0 {
			top := len(way) - 1
			i := way[top]
			if next[top] == len(deps[i]) {
				state[i] = done
				way, next = way[:top], next[:top]
				continue
			}
			to := deps[i][next[top]].to
			next[top]++
			switch state[to] {
			case fresh:
				state[to] = open
				way, next = append(way, to), append(next, 0)
			case open:
				out = append(out, slices.Clone(way[slices.Index(way, to):]))
			}
		}
	}
	return out
}
