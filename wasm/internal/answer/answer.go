// Package answer reads what a model said as a tree of parts that are drawn: a
// closed set of kinds. None of them loads, runs or opens anything by itself.
//
// It is the opposite of a renderer. Raw HTML, comments, embeds and the code
// blocks of plugins are text; an address is followed only by a person, who sees
// where it leads; characters that nobody would see have marks. Everything that
// stands in a reply is drawn somewhere, so that what is inserted into a note,
// which is the reply's text, has been read.
//
// Blocks are found by goldmark, by CommonMark's rules; what stands in lines is
// read here, as Obsidian has it, since the library's reader of lines takes time
// by the square of a paragraph and knows no wikilinks. The package is pure, takes
// time linear in the text, and bounds the tree: past maxNodes and maxNesting text
// is drawn as it was written.
package answer

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"embedded-agent/wasm/internal/protocol"
)

// Node is one part of the tree.
type Node = protocol.ReplyNode

const (
	// maxNodes is how many parts one reply may have. A page of ordinary text has
	// about a hundred.
	maxNodes = 30_000
	// maxNesting is how deep quotes and lists may stand in each other. JSON is
	// read to 128 levels; a list takes four, a run of emphasis two or four.
	maxNesting = 12
)

// Draw reads a text as blocks. drawn is how many nodes the reply has already.
// public says whether a host is a name of the public network: nothing else is
// loaded from.
func Draw(source string, drawn int, public func(host string) bool) protocol.ReplyTree {
	src := []byte(strings.ToValidUTF8(source, "\ufffd"))
	whole := len(src)
	src = append(src, '\n') // the library reads a last line by its end
	r := &reader{src: src, left: maxNodes - drawn, public: public}
	if tooDeep(src) || r.left <= 0 {
		return protocol.ReplyTree{Blocks: []Node{literal("plain", string(src[:whole]))}, Drawn: drawn}
	}
	doc := blockParser().Parse(text.NewReader(src))
	tree := protocol.ReplyTree{Blocks: []Node{}, Drawn: drawn}
	open := openBlock(src[:whole], doc)
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		start := min(lineOf(src, n), whole)
		if n == open {
			tree.Ready, tree.At, tree.Drawn = len(tree.Blocks), utf16Len(src[:start]), maxNodes-r.left
		}
		if r.left <= 0 {
			tree.Blocks = append(tree.Blocks, literal("plain", string(src[start:whole])))
			break
		}
		tree.Blocks = append(tree.Blocks, r.block(n, 1)...)
	}
	return tree
}

// openBlock gives the first block that more text may change: the last one, since
// one that is followed by another is closed. While its first line is still
// being written, it may yet turn out to belong to the one before.
func openBlock(src []byte, doc ast.Node) ast.Node {
	n := doc.LastChild()
	if n != nil && n.PreviousSibling() != nil && bytes.IndexByte(src[min(lineOf(src, n), len(src)):], '\n') < 0 {
		return n.PreviousSibling()
	}
	return n
}

// reader turns goldmark's blocks into nodes.
type reader struct {
	src    []byte
	left   int // nodes that may still be made
	public func(string) bool
	page   *page // nil where an answer is read
}

// make counts a node.
func (r *reader) make(n Node) Node {
	r.left--
	return n
}

// block gives the nodes of one block; a paragraph that holds a table gives two.
func (r *reader) block(n ast.Node, depth int) []Node {
	if depth > maxNesting || r.left <= 0 {
		return []Node{r.make(literal("plain", r.rawOf(n)))}
	}
	switch n := n.(type) {
	case *ast.Heading:
		return []Node{r.make(Node{Kind: "heading", Level: n.Level, Kids: r.lines(r.textOf(n))})}
	case *ast.Paragraph:
		return r.paragraph(n)
	case *ast.TextBlock:
		return []Node{r.make(Node{Kind: "tight", Kids: r.lines(r.textOf(n))})}
	case *ast.ThematicBreak:
		return []Node{r.make(Node{Kind: "rule"})}
	case *ast.FencedCodeBlock:
		c := literal("code", r.linesOf(n))
		if n.Info != nil {
			c.Info = shown(strings.TrimSpace(string(n.Info.Segment.Value(r.src))))
		}
		return []Node{r.make(c)}
	case *ast.CodeBlock:
		return []Node{r.make(literal("code", r.linesOf(n)))}
	case *ast.HTMLBlock:
		s := r.linesOf(n)
		if n.HasClosure() {
			s += string(n.ClosureLine.Value(r.src))
		}
		return []Node{r.make(literal("source", trimEnd(s)))}
	case *fenced:
		return []Node{r.make(literal(n.kind, trimEnd(r.linesOf(n))))}
	case *ast.List:
		return r.list(n, depth)
	case *ast.Blockquote:
		return []Node{r.quote(n, depth)}
	case *ast.LinkReferenceDefinition:
		return nil
	case *footnote:
		return nil // they come at the end of the page
	}
	return []Node{r.make(literal("plain", r.rawOf(n)))}
}

func (r *reader) blocks(from ast.Node, depth int) []Node {
	out := []Node{}
	for n := from; n != nil; n = n.NextSibling() {
		if r.left <= 0 {
			return append(out, literal("plain", r.restOf(n)))
		}
		out = append(out, r.block(n, depth)...)
	}
	return out
}

func (r *reader) list(n *ast.List, depth int) []Node {
	out := r.make(Node{Kind: "list", Ordered: n.IsOrdered()})
	for i := n.FirstChild(); i != nil; i = i.NextSibling() {
		if r.left <= 0 {
			return []Node{out, literal("plain", r.restOf(i))}
		}
		item := r.make(Node{Kind: "item"})
		if n.IsOrdered() {
			item.Text = r.numberOf(i)
		}
		first := i.FirstChild()
		if first != nil && depth < maxNesting && (first.Kind() == ast.KindTextBlock || first.Kind() == ast.KindParagraph) {
			if task, rest, ok := box(r.textOf(first)); ok {
				kind := protocol.ReplyTight
				if first.Kind() == ast.KindParagraph {
					kind = protocol.ReplyParagraph
				}
				item.Task = task
				item.Kids = append(item.Kids, r.make(Node{Kind: kind, Kids: r.lines(rest)}))
				first = first.NextSibling()
			}
		}
		item.Kids = append(item.Kids, r.blocks(first, depth+1)...)
		out.Kids = append(out.Kids, item)
	}
	return []Node{out}
}

// numberOf gives an item's number as it was written: lists are often numbered
// otherwise than a renderer would.
//
// goldmark's position of an item is the marker's, but for a column or two where
// tabs stand before it.
func (r *reader) numberOf(item ast.Node) string {
	line := lineOf(r.src, item)
	at := min(max(item.Pos(), line), len(r.src))
	for at < len(r.src) && (r.src[at] == ' ' || r.src[at] == '\t') {
		at++
	}
	if at == len(r.src) || r.src[at] < '0' || r.src[at] > '9' {
		at = line + bytes.LastIndexAny(r.src[line:at], "0123456789")
	}
	for at > line && r.src[at-1] >= '0' && r.src[at-1] <= '9' {
		at--
	}
	end := max(at, line)
	for end < len(r.src) && r.src[end] >= '0' && r.src[end] <= '9' {
		end++
	}
	return string(r.src[max(at, line):end])
}

// box reads the box of a task: "[ ] words".
func box(s string) (state, rest string, ok bool) {
	if !strings.HasPrefix(s, "[") {
		return "", "", false
	}
	_, n := utf8.DecodeRuneInString(s[1:])
	if n == 0 || !strings.HasPrefix(s[1+n:], "] ") || s[1] == '\n' || s[1] == ']' {
		return "", "", false
	}
	return shown(s[1 : 1+n]), s[1+n+2:], true
}

// quote reads a block quote; one that begins with "[!type]" is a callout, whose
// first part is its title.
func (r *reader) quote(n *ast.Blockquote, depth int) Node {
	first, ok := n.FirstChild().(*ast.Paragraph)
	if ok {
		line, more, _ := strings.Cut(r.textOf(first), "\n")
		if kind, title, ok := calloutOf(line); ok {
			out := r.make(Node{Kind: "callout", Text: kind})
			out.Kids = append(out.Kids, r.make(Node{Kind: "title", Kids: r.lines(title)}))
			if strings.TrimSpace(more) != "" {
				out.Kids = append(out.Kids, r.prose(more)...)
			}
			out.Kids = append(out.Kids, r.blocks(first.NextSibling(), depth+1)...)
			return out
		}
	}
	return r.make(Node{Kind: "quote", Kids: r.blocks(n.FirstChild(), depth+1)})
}

// calloutOf reads "[!type]- title".
func calloutOf(line string) (kind, title string, ok bool) {
	rest, ok := strings.CutPrefix(line, "[!")
	kind, title, found := strings.Cut(rest, "]")
	if !ok || !found || kind == "" || len(kind) > 60 || strings.ContainsAny(kind, "[\n") {
		return "", "", false
	}
	return shown(kind), strings.TrimSpace(strings.TrimLeft(title, "+-")), true
}

func (r *reader) paragraph(n *ast.Paragraph) []Node { return r.prose(r.textOf(n)) }

// textOf gives a leaf block's lines without their indentation, joined by "\n".
// Spaces at their ends stay, since two of them are a line break.
func (r *reader) textOf(n ast.Node) string {
	lines := n.Lines()
	var b strings.Builder
	for i := range lines.Len() {
		s := lines.At(i)
		b.WriteString(strings.TrimLeft(strings.TrimRight(string(s.Value(r.src)), "\r\n"), " \t"))
		if i < lines.Len()-1 {
			b.WriteByte('\n')
		}
	}
	return strings.TrimRight(b.String(), " \t")
}

// linesOf gives a block's lines as they are.
func (r *reader) linesOf(n ast.Node) string {
	lines := n.Lines()
	var b strings.Builder
	for i := range lines.Len() {
		s := lines.At(i)
		b.Write(s.Value(r.src))
	}
	return strings.ReplaceAll(b.String(), "\r\n", "\n")
}

// rawOf gives the source of a block from its line to the line of what follows.
func (r *reader) rawOf(n ast.Node) string {
	if next := n.NextSibling(); next != nil {
		return r.raw(n, lineOf(r.src, next))
	}
	return r.restOf(n)
}

// restOf gives the source from a block to the end of what it stands in.
func (r *reader) restOf(n ast.Node) string {
	for a := n.Parent(); a != nil; a = a.Parent() {
		if next := a.NextSibling(); next != nil {
			return r.raw(n, lineOf(r.src, next))
		}
	}
	return r.raw(n, len(r.src))
}

func (r *reader) raw(n ast.Node, end int) string {
	start := lineOf(r.src, n)
	if start >= end { // it shares its line with what it stands in
		start = min(max(n.Pos(), 0), end)
	}
	return trimEnd(string(r.src[start:end]))
}

// lineOf gives the start of the line on which a block begins.
func lineOf(src []byte, n ast.Node) int {
	at := min(max(n.Pos(), 0), len(src))
	return bytes.LastIndexByte(src[:at], '\n') + 1
}

func trimEnd(s string) string { return strings.TrimRight(s, "\r\n") }

// utf16Len counts UTF-16 code units: the panel cuts its text by them.
func utf16Len(b []byte) int {
	n := 0
	for len(b) > 0 {
		c, size := utf8.DecodeRune(b)
		n++
		if c > 0xffff {
			n++
		}
		b = b[size:]
	}
	return n
}
