package answer

import (
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/text"
)

// maxMarks is how many marks of one text are nodes; more are written out.
const maxMarks = 1000

// marked gives a text as nodes: where characters are that nobody would see, a
// mark with their name.
func marked(s string) []Node {
	if s == "" {
		return nil
	}
	var out []Node
	at := 0
	take := func(to int) {
		if to > at {
			out = append(out, Node{Kind: "text", Text: s[at:to]})
		}
		at = max(at, to)
	}
	for i, m := range text.Marks(s) {
		if i == maxMarks {
			return append(out, Node{Kind: "text", Text: text.Visible(s[at:])})
		}
		if m.Keep {
			take(m.End)
		}
		take(m.Start)
		out = append(out, Node{Kind: "mark", Text: m.Label})
		at = m.End
	}
	take(len(s))
	return out
}

// literal makes a node of a text that is drawn as it is.
func literal(kind protocol.ReplyKind, s string) Node {
	n := Node{Kind: kind, Text: s}
	if len(text.Marks(s)) > 0 {
		n.Kids = marked(s)
	}
	return n
}

// shown gives a text on one line, with marks written out.
func shown(s string) string { return text.Line(s) }

// hides says whether a text holds a character that would not be drawn.
func hides(s string) bool { return len(text.Marks(s)) > 0 }
