package safeyaml

import (
	"errors"

	"github.com/goccy/go-yaml/ast"
)

// extent is how large and how deep a value is with its aliases put in.
type extent struct{ size, depth int }

// measure counts what a tree's aliases stand for, without putting them in.
type measure struct {
	named map[string]extent
	open  map[string]bool // anchors whose value is being measured
}

var errCycle = errors.New("a value is named within itself")

// checkTree bounds what decoding a parsed text makes.
func checkTree(file *ast.File) error {
	m := measure{named: map[string]extent{}, open: map[string]bool{}}
	total := 0
	for _, doc := range file.Docs {
		if doc.Body == nil {
			continue
		}
		e, err := m.of(doc.Body, 0)
		if err != nil {
			return err
		}
		if total += e.size; total > MaxExpanded {
			return beyond("it is larger than may be, with its aliases put in", MaxExpanded)
		}
	}
	return nil
}

// of measures a node that stands so deep in the tree.
func (m *measure) of(n ast.Node, at int) (extent, error) {
	switch n := n.(type) {
	case nil:
		return extent{size: nodeSize}, nil
	case *ast.MappingNode:
		return sum(m, n.Values, at)
	case *ast.MappingValueNode:
		return sum(m, []ast.Node{n.Key, n.Value}, at)
	case *ast.SequenceNode:
		return sum(m, n.Values, at)
	case *ast.MappingKeyNode:
		return sum(m, []ast.Node{n.Value}, at)
	case *ast.TagNode:
		return sum(m, []ast.Node{n.Value}, at)
	case *ast.AnchorNode:
		return m.anchor(n, at)
	case *ast.AliasNode:
		return m.alias(n, at)
	case *ast.LiteralNode:
		return extent{size: nodeSize + len(n.Value.Value)}, nil
	}
	e := extent{size: nodeSize}
	if t := n.GetToken(); t != nil {
		e.size += len(t.Value)
	}
	return e, nil
}

// sum measures a node with others below it.
func sum[N ast.Node](m *measure, below []N, at int) (extent, error) {
	all := extent{size: nodeSize}
	for _, n := range below {
		e, err := m.of(n, at+1)
		if err != nil {
			return e, err
		}
		all.size += e.size
		all.depth = max(all.depth, e.depth+1)
		// Each mapping is two nodes, of its own and of its entry.
		if at+all.depth > 2*MaxDepth {
			return all, beyond("it is nested deeper than may be, with its aliases put in", MaxDepth)
		}
		if all.size > MaxExpanded {
			return all, beyond("it is larger than may be, with its aliases put in", MaxExpanded)
		}
	}
	return all, nil
}

func (m *measure) anchor(n *ast.AnchorNode, at int) (extent, error) {
	name := n.Name.GetToken().Value
	was := m.open[name]
	m.open[name] = true
	e, err := m.of(n.Value, at)
	m.open[name] = was
	m.named[name] = e
	return e, err
}

func (m *measure) alias(n *ast.AliasNode, at int) (extent, error) {
	name := n.Value.GetToken().Value
	if m.open[name] {
		return extent{}, errCycle
	}
	e := m.named[name] // one that is not named is refused by the decoder
	if at+e.depth > 2*MaxDepth {
		return e, beyond("it is nested deeper than may be, with its aliases put in", MaxDepth)
	}
	e.size += nodeSize
	return e, nil
}
