package answer

import (
	"bytes"
	"sync"

	"embedded-agent/wasm/internal/protocol"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// blockParser finds blocks and nothing in lines. Definitions of references are
// no blocks: they are text, and what refers to them is text too, so that nothing
// stands in a reply that is not drawn.
var blockParser = sync.OnceValue(func() parser.Parser {
	blocks := append(parser.DefaultBlockParsers(),
		util.Prioritized(fence{mark: "%%", kind: "source"}, 650),
		util.Prioritized(fence{mark: "$$", kind: "math"}, 660))
	return parser.NewParser(parser.WithBlockParsers(blocks...))
})

// tooDeep says whether a line opens more quotes and lists at once than anybody
// writes: every one costs the parser all the others.
func tooDeep(src []byte) bool {
	for line := range bytes.Lines(src) {
		depth, indent := 0, 0
		for i := 0; i < len(line); i++ {
			switch c := line[i]; {
			case c == ' ':
				indent++
				continue
			case c == '\t':
				indent += 4
				continue
			case c == '>', (c == '-' || c == '*' || c == '+') && i+1 < len(line) && isBlank(line[i+1]):
				depth++
				continue
			case c >= '0' && c <= '9' && i+2 < len(line) && (line[i+1] == '.' || line[i+1] == ')') && isBlank(line[i+2]):
				depth++
				i++
				continue
			}
			break
		}
		if depth > maxNesting || depth > 0 && indent > 8*maxNesting {
			return true
		}
	}
	return false
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// fence reads what stands between two lines with the same mark: Obsidian's
// comments ("%%") and formulas ("$$").
type fence struct {
	mark string
	kind protocol.ReplyKind
}

// fenced is such a block; its lines hold the marks.
type fenced struct {
	ast.BaseBlock
	kind   protocol.ReplyKind
	closed bool
}

var kindFenced = ast.NewNodeKind("Fenced")

func (n *fenced) Kind() ast.NodeKind        { return kindFenced }
func (n *fenced) IsRaw() bool               { return true }
func (n *fenced) Dump(src []byte, lvl int)  { ast.DumpHelper(n, src, lvl, nil, nil) }
func (f fence) Trigger() []byte             { return []byte(f.mark[:1]) }
func (f fence) CanInterruptParagraph() bool { return true }
func (f fence) CanAcceptIndentedLine() bool { return false }

func (f fence) Open(_ ast.Node, reader text.Reader, _ parser.Context) (ast.Node, parser.State) {
	line, segment := reader.PeekLine()
	rest, ok := bytes.CutPrefix(bytes.TrimLeft(line, " "), []byte(f.mark))
	if !ok {
		return nil, parser.NoChildren
	}
	n := &fenced{kind: f.kind}
	if _, after, twice := bytes.Cut(rest, []byte(f.mark)); twice {
		// On one line it is a block only if nothing follows.
		if len(bytes.TrimSpace(after)) > 0 {
			return nil, parser.NoChildren
		}
		n.closed = true
	}
	n.Lines().Append(segment)
	reader.AdvanceToEOL()
	return n, parser.NoChildren
}

func (f fence) Continue(node ast.Node, reader text.Reader, _ parser.Context) parser.State {
	n, ok := node.(*fenced)
	if !ok || n.closed {
		return parser.Close
	}
	line, segment := reader.PeekLine()
	n.Lines().Append(segment)
	n.closed = bytes.Contains(line, []byte(f.mark))
	reader.AdvanceToEOL()
	return parser.Continue | parser.NoChildren
}

func (f fence) Close(ast.Node, text.Reader, parser.Context) {}
