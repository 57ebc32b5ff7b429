package answer

import (
	"strings"

	"embedded-agent/wasm/internal/protocol"
)

const (
	// maxOpen is how many runs of delimiters may be open at once in a paragraph;
	// of more, the first are text. It bounds the search for an opener, and how
	// deep emphasis is nested.
	maxOpen = 12
	// maxRun is the longest run of delimiters that is one: "________" is a line.
	maxRun = 4
)

// frame is an open run of delimiters and the nodes that follow it; the first of
// a stack has none.
type frame struct {
	piece
	nodes []Node
}

// resolve pairs runs of delimiters by CommonMark's rules ("process emphasis"),
// and gives the nodes.
func (r *reader) resolve(pieces []piece) []Node {
	stack := []frame{{}}
	for _, p := range pieces {
		if p.delim == 0 {
			top := &stack[len(stack)-1]
			top.nodes = append(top.nodes, p.node)
			r.left--
			continue
		}
		for p.close && p.count > 0 {
			i := opener(stack, p)
			if i == 0 {
				break
			}
			stack = r.wrap(stack, i, &p)
		}
		switch {
		case p.count == 0:
		case p.open:
			if len(stack) > maxOpen {
				r.fold(stack[0:2])
				stack = append(stack[:1], stack[2:]...)
			}
			stack = append(stack, frame{piece: p})
		default:
			r.say(&stack[len(stack)-1], p)
		}
	}
	for len(stack) > 1 {
		r.fold(stack[0:2])
		stack = append(stack[:1], stack[2:]...)
	}
	return merged(stack[0].nodes)
}

// opener gives the frame that a closing run belongs to, from the top down; 0
// where there is none.
func opener(stack []frame, p piece) int {
	for i := len(stack) - 1; i > 0; i-- {
		o := stack[i]
		if o.delim != p.delim {
			continue
		}
		// The rule of three: "*a**b*" is not closed by the run in the middle.
		if (o.close || p.open) && (o.count+p.count)%3 == 0 && (o.count%3 != 0 || p.count%3 != 0) {
			continue
		}
		return i
	}
	return 0
}

// wrap makes one node of what stands between the opener in frame i and a closing
// run, which it shortens.
func (r *reader) wrap(stack []frame, i int, p *piece) []frame {
	for len(stack) > i+1 { // runs that nothing closed are text
		r.fold(stack[len(stack)-2:])
		stack = stack[:len(stack)-1]
	}
	f := &stack[i]
	n := min(f.count, p.count, 2)
	kind := [...]protocol.ReplyKind{1: protocol.ReplyEmphasis, 2: protocol.ReplyStrong}[n]
	switch p.delim {
	case '~':
		kind = protocol.ReplyStrike
	case '=':
		kind = protocol.ReplyHighlight
	}
	f.count -= n
	p.count -= n
	made := Node{Kind: kind, Kids: merged(f.nodes)}
	r.left--
	if f.count > 0 {
		f.nodes = []Node{made}
		return stack
	}
	under := &stack[i-1]
	under.nodes = append(under.nodes, made)
	return stack[:i]
}

// fold adds the second frame to the first, its delimiters as text.
func (r *reader) fold(two []frame) {
	r.say(&two[0], two[1].piece)
	two[0].nodes = append(two[0].nodes, two[1].nodes...)
}

// say adds a run of delimiters as text.
func (r *reader) say(f *frame, p piece) {
	r.left--
	f.nodes = append(f.nodes, Node{Kind: "text", Text: strings.Repeat(string(rune(p.delim)), p.count)})
}

// merged writes texts that stand side by side as one.
func merged(nodes []Node) []Node {
	out := nodes[:0]
	for i := 0; i < len(nodes); {
		j := i
		for j < len(nodes) && nodes[j].Kind == "text" {
			j++
		}
		if j-i > 1 {
			var b strings.Builder
			for _, n := range nodes[i:j] {
				b.WriteString(n.Text)
			}
			out = append(out, Node{Kind: "text", Text: b.String()})
		} else {
			j = i + 1
			out = append(out, nodes[i])
		}
		i = j
	}
	return out
}
