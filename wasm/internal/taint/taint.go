// Package taint finds the steps of a plan whose calls may hold text of notes:
// what such a call would send to the web is asked about first. It is pure, and
// errs towards yes: a tool is taken to read notes unless it is known not to.
package taint

import (
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/tool"
)

// Steps gives, by the ids of its steps, which calls of a checked plan may hold,
// or depend on, text that came out of notes, the editor or a model that has read
// them. What a step only waits for counts as well: whether and how often a call
// is made says something too.
func Steps(g *plan.Graph) map[string]bool {
	held := make(map[string]bool, len(g.Nodes))
	gives := make(map[string]bool, len(g.Nodes))
	for _, n := range g.Nodes { // each after all that it depends on
		id := n.Step.ID
		for _, from := range n.DependsOn {
			held[id] = held[id] || gives[from]
		}
		gives[id] = held[id] || reads(n.Tool)
	}
	return held
}

// reads says whether what a tool gives may hold what is in notes, beside what it
// was called with. Tools that do nothing but compute do not, and what the web
// answers is the web's.
func reads(e *tool.Entry) bool {
	return e.SideEffects != tool.None && !e.Facts.ReadsElsewhere
}
