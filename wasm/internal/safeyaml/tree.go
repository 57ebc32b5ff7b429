package safeyaml

import (
	"errors"

	"go.yaml.in/yaml/v3"
)

// extent is how large and how deep a value is with its aliases put in.
type extent struct{ size, depth int }

// measure counts what a tree's aliases stand for, without putting them in.
type measure struct {
	nodes, anchors, aliases int
	of                      map[*yaml.Node]extent // of the values that are named
	open                    map[*yaml.Node]bool   // those that are being measured
}

var errCycle = errors.New("a value contains itself")

// checkTree bounds what decoding a parsed text makes.
func checkTree(body *yaml.Node) error {
	m := measure{of: map[*yaml.Node]extent{}, open: map[*yaml.Node]bool{}}
	_, err := m.node(body, 0)
	return err
}

// node measures a node that stands so deep in the tree.
func (m *measure) node(n *yaml.Node, at int) (extent, error) {
	if n.Kind == yaml.AliasNode {
		return m.alias(n, at)
	}
	if n.Anchor == "" {
		return m.sum(n, at)
	}
	if m.anchors++; m.anchors > MaxAnchors {
		return extent{}, beyond("it has more anchors than may be", MaxAnchors)
	}
	m.open[n] = true
	e, err := m.sum(n, at)
	m.open[n] = false
	m.of[n] = e
	return e, err
}

// sum measures a node with those below it.
func (m *measure) sum(n *yaml.Node, at int) (extent, error) {
	all := extent{size: nodeSize + len(n.Value)}
	if m.nodes++; m.nodes > MaxNodes {
		return all, beyond("it has more values than may be", MaxNodes)
	}
	for _, below := range n.Content {
		e, err := m.node(below, at+1)
		if err != nil {
			return e, err
		}
		all.size += e.size
		all.depth = max(all.depth, e.depth+1)
		if at+all.depth > MaxDepth {
			return all, beyond("it is nested deeper than may be, with its aliases put in", MaxDepth)
		}
		if all.size > MaxExpanded {
			return all, beyond("it is larger than may be, with its aliases put in", MaxExpanded)
		}
	}
	return all, nil
}

func (m *measure) alias(n *yaml.Node, at int) (extent, error) {
	if m.aliases++; m.aliases > MaxAliases {
		return extent{}, beyond("it has more aliases than may be", MaxAliases)
	}
	if m.open[n.Alias] {
		return extent{}, errCycle
	}
	e := m.of[n.Alias]
	if at+e.depth > MaxDepth {
		return e, beyond("it is nested deeper than may be, with its aliases put in", MaxDepth)
	}
	e.size += nodeSize
	return e, nil
}
