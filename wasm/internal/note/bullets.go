package note

import (
	"bytes"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// Bullet is one list item of a text.
type Bullet struct {
	// Text is the first paragraph as written, without the marker and the task
	// box; its lines are joined by "\n".
	Text string
	// Title is Text without marks: plain words on one line.
	Title string
	// Level is 0 at the top.
	Level   int
	Task    bool
	State   string // the character in the task box
	Ordered bool
	// Content has all after the first paragraph, as Markdown without the
	// item's indentation; it includes the nested items.
	Content  string
	Children []*Bullet
}

// Bullets gives the top-level list items of a text in order, of all its lists
// (also those in block quotes), as CommonMark nests them. Line ends of the
// result are "\n".
func Bullets(data []byte) []*Bullet {
	data = bytes.TrimPrefix(data, []byte(BOM))
	data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	if f := ParseFront(data).Front; !f.Empty() {
		data = data[f.End:]
	}
	data = shallow(unindent(data))
	doc := blockParser().Parse(text.NewReader(data))
	w := bulletWalk{src: data}
	w.lists(doc, 0, &w.top)
	return w.top
}

// blockParser reads blocks only: the inline parser is left for titles, since
// its cost can grow with the square of a paragraph's length.
var blockParser = sync.OnceValue(func() parser.Parser {
	return parser.NewParser(parser.WithBlockParsers(parser.DefaultBlockParsers()...))
})

// shallow blanks the lines that open more block quotes and lists at once than
// anybody writes; every one costs the parser all the others.
func shallow(data []byte) []byte {
	lines := bytes.Split(data, []byte("\n"))
	deep := false
	for i, l := range lines {
		pre := prefix(l, 0, len(l))
		depth, at := pre.quotes, pre.text
		for at < len(l) && depth <= maxNesting {
			_, text, ok := marker(l, at, len(l))
			if !ok {
				break
			}
			depth, at = depth+1, text
		}
		if depth > maxNesting {
			lines[i], deep = nil, true
		}
	}
	if !deep {
		return data
	}
	return bytes.Join(lines, []byte("\n"))
}

// unindent takes away the indentation that all lines share, which a selection
// from inside a list has and which would make it code.
func unindent(data []byte) []byte {
	lines := bytes.Split(data, []byte("\n"))
	first := -1
	for i, l := range lines {
		if len(bytes.TrimSpace(l)) > 0 {
			first = i
			break
		}
	}
	if first < 0 {
		return data
	}
	trimmed := bytes.TrimLeft(lines[first], " \t")
	pad := lines[first][:len(lines[first])-len(trimmed)]
	if len(pad) == 0 {
		return data
	}
	if _, _, ok := marker(trimmed, 0, len(trimmed)); !ok {
		return data
	}
	for i, l := range lines {
		lines[i] = bytes.TrimPrefix(l, pad)
	}
	return bytes.Join(lines, []byte("\n"))
}

// maxNesting is how deep items are taken apart; what is nested deeper stays in
// the content. JSON is read to 128 levels, and an item takes two.
const maxNesting = 50

type bulletWalk struct {
	src []byte
	top []*Bullet
}

// lists finds the lists among a node's children, down to those in quotes.
func (w *bulletWalk) lists(n ast.Node, level int, into *[]*Bullet) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.List:
			for i := c.FirstChild(); i != nil; i = i.NextSibling() {
				*into = append(*into, w.item(i, c.IsOrdered(), level))
			}
		case *ast.Blockquote:
			w.lists(c, level, into)
		}
	}
}

func (w *bulletWalk) item(n ast.Node, ordered bool, level int) *Bullet {
	b := &Bullet{Level: level, Ordered: ordered}
	first := n.FirstChild()
	bodyFrom := first
	if first != nil && (first.Kind() == ast.KindTextBlock || first.Kind() == ast.KindParagraph || first.Kind() == ast.KindHeading) {
		b.Text = w.blockText(first)
		b.Title = Title(b.Text)
		bodyFrom = first.NextSibling()
	}
	if box, at, ok := taskBox([]byte(b.Text), 0, len(b.Text)); ok {
		b.Task, b.State = true, b.Text[box.Start:box.End]
		b.Text = b.Text[at:]
		b.Title = Title(b.Text)
	}
	if level+1 < maxNesting {
		w.lists(n, level+1, &b.Children)
	}
	b.Content = w.content(n, bodyFrom)
	return b
}

// blockText gives a leaf block's lines, each without its indentation.
func (w *bulletWalk) blockText(n ast.Node) string {
	lines := n.Lines()
	parts := make([]string, 0, lines.Len())
	for i := range lines.Len() {
		s := lines.At(i)
		parts = append(parts, strings.TrimSpace(string(s.Value(w.src))))
	}
	return strings.Join(parts, "\n")
}

// content gives the source from a child of an item to the item's end, without
// the indentation that the item gives it.
func (w *bulletWalk) content(item, from ast.Node) string {
	if from == nil {
		return ""
	}
	start := w.lineOf(from)
	sameLine := start <= item.Pos() // "- - a": the child begins on its item's line
	if sameLine {
		start = from.Pos()
	}
	end := len(w.src)
	if next := following(item); next != nil {
		end = w.lineOf(next)
	}
	if start >= end {
		return ""
	}
	lines := strings.Split(string(w.src[start:end]), "\n")
	pad := -1
	for i, l := range lines {
		if i == 0 && sameLine {
			continue
		}
		if t := strings.TrimLeft(l, " \t>"); t != "" && (pad < 0 || len(l)-len(t) < pad) {
			pad = len(l) - len(t)
		}
	}
	for i, l := range lines {
		cut := 0
		for (i > 0 || !sameLine) && cut < pad && cut < len(l) && strings.IndexByte(" \t>", l[cut]) >= 0 {
			cut++
		}
		lines[i] = strings.TrimRight(l[cut:], " \t")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

// lineOf gives the start of the line on which a block begins.
func (w *bulletWalk) lineOf(n ast.Node) int {
	at := min(max(n.Pos(), 0), len(w.src))
	return bytes.LastIndexByte(w.src[:at], '\n') + 1
}

// following gives the next block after a node and all that is in it.
func following(n ast.Node) ast.Node {
	for ; n != nil; n = n.Parent() {
		if next := n.NextSibling(); next != nil {
			return next
		}
	}
	return nil
}

// titleParser is made once: making it costs more than reading a title.
var titleParser = sync.OnceValue(goldmark.DefaultParser)

// maxTitle is how long a text may be for its emphasis and links to be read by
// the Markdown parser; what is longer is no title.
const maxTitle = 1024

// Title gives the words of a paragraph on one line: links as what they show, no
// emphasis, no code marks.
func Title(s string) string {
	if !strings.ContainsAny(s, "*_[]<>&\\`!~=^%$#:@") {
		return strings.Join(strings.Fields(s), " ") // nothing in it to take out
	}
	if len(s) > maxTitle {
		return Plain(s)
	}
	src := []byte("\u200b" + strings.ReplaceAll(s, "\n", " ")) // a paragraph, whatever it starts with
	var b strings.Builder
	doc := titleParser().Parse(text.NewReader(src))
	for c := doc.FirstChild(); c != nil; c = c.NextSibling() {
		b.WriteString(plainInline(c, src))
	}
	return strings.TrimSpace(Plain(strings.TrimPrefix(b.String(), "\u200b")))
}

// plainInline gives the words of a block: link texts instead of links, code
// without backticks, no emphasis marks. Wikilinks show their alias or name.
func plainInline(n ast.Node, src []byte) string {
	var b strings.Builder
	var walk func(n ast.Node)
	walk = func(n ast.Node) {
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			switch c := c.(type) {
			case *ast.Text:
				b.Write(c.Segment.Value(src))
				if c.SoftLineBreak() || c.HardLineBreak() {
					b.WriteByte(' ')
				}
			case *ast.String:
				b.Write(c.Value)
			case *ast.AutoLink:
				b.Write(c.URL(src))
			case *ast.RawHTML:
			default:
				walk(c)
			}
		}
	}
	walk(n)
	return b.String()
}
