package answer

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// footnote is the definition of a footnote: "[^label]:", and blocks that are
// indented by four columns. (The library has one in an extension; linking that
// compiles the regular expressions of all its extensions at every start.)
type footnote struct {
	ast.BaseBlock
	label string
}

var kindFootnote = ast.NewNodeKind("FootnoteText")

func (n *footnote) Kind() ast.NodeKind       { return kindFootnote }
func (n *footnote) Dump(src []byte, lvl int) { ast.DumpHelper(n, src, lvl, nil, nil) }

// footnotes finds definitions of footnotes.
type footnotes struct{}

func (footnotes) Trigger() []byte             { return []byte{'['} }
func (footnotes) CanInterruptParagraph() bool { return true }
func (footnotes) CanAcceptIndentedLine() bool { return false }

func (footnotes) Open(_ ast.Node, reader text.Reader, _ parser.Context) (ast.Node, parser.State) {
	line, segment := reader.PeekLine()
	at := 0
	for at < len(line) && line[at] == ' ' {
		at++
	}
	rest, ok := bytes.CutPrefix(line[at:], []byte("[^"))
	label, _, closed := bytes.Cut(rest[:min(len(rest), maxLabel)], []byte("]:"))
	if !ok || !closed || len(label) == 0 || bytes.ContainsAny(label, "[] \t") {
		return nil, parser.NoChildren
	}
	reader.AdvanceAndSetPadding(at+len("[^")+len(label)+len("]:")-segment.Padding, segment.Padding)
	return &footnote{label: string(label)}, parser.HasChildren
}

func (footnotes) Continue(_ ast.Node, reader text.Reader, _ parser.Context) parser.State {
	line, _ := reader.PeekLine()
	if util.IsBlank(line) {
		return parser.Continue | parser.HasChildren
	}
	at, padding := util.IndentPosition(line, reader.LineOffset(), 4)
	if at < 0 {
		return parser.Close
	}
	reader.AdvanceAndSetPadding(at, padding)
	return parser.Continue | parser.HasChildren
}

func (footnotes) Close(ast.Node, text.Reader, parser.Context) {}
