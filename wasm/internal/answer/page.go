package answer

import (
	"bytes"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"embedded-agent/wasm/internal/protocol"
)

// FootnoteTo begins the address of a link to a footnote; its label follows.
const FootnoteTo = "#fn:"

// Footnote is the text of a footnote, under the label that refers to it.
type Footnote struct {
	Label  string
	Blocks []Node
}

// page holds the definitions of a note that is read as a page: addresses by their
// labels, and footnotes. Links of a page lead to any file of the vault, and its
// characters stay as they are, since nobody approves anything by a page.
type page struct {
	refs    parser.Context
	notes   []Footnote
	labels  map[string]bool
	written bool // a footnote in the line is being read
}

// maxPageNodes is how many parts one note may have in a page.
const maxPageNodes = 200_000

// pageParser finds the blocks of a note.
var pageParser = sync.OnceValue(func() parser.Parser {
	blocks := append(parser.DefaultBlockParsers(),
		util.Prioritized(footnotes{}, 640),
		util.Prioritized(fence{mark: "%%", kind: "source"}, 650),
		util.Prioritized(fence{mark: "$$", kind: "math"}, 660))
	return parser.NewParser(parser.WithBlockParsers(blocks...),
		parser.WithParagraphTransformers(util.Prioritized(definitions{parser.LinkReferenceParagraphTransformer}, 100)))
})

// definitions finds the addresses that a paragraph defines. In one of more lines
// than anybody writes they are words, since the library takes time by the square
// of their number.
type definitions struct{ parser.ParagraphTransformer }

const maxDefinitions = 500

func (d definitions) Transform(n *ast.Paragraph, reader text.Reader, pc parser.Context) {
	if n.Lines().Len() <= maxDefinitions {
		d.ParagraphTransformer.Transform(n, reader, pc)
	}
}

// Page reads a note, without its front matter, as blocks to be written as a page,
// and its footnotes in the order of their definitions. It costs time linear in the
// note's length. What is past the bounds of nesting and number is Plain.
func Page(source string) ([]Node, []Footnote) {
	src := []byte(strings.ReplaceAll(strings.ToValidUTF8(source, "\ufffd"), "\r\n", "\n"))
	whole := len(src)
	src = append(src, '\n')
	if tooDeep(src) {
		return []Node{{Kind: protocol.ReplyPlain, Text: string(src[:whole])}}, nil
	}
	r := &reader{src: src, left: maxPageNodes, public: func(string) bool { return true }}
	r.page = &page{refs: parser.NewContext(), labels: map[string]bool{}}
	doc := pageParser().Parse(text.NewReader(src), parser.WithContext(r.page.refs))
	defined := r.page.find(doc)
	blocks := r.blocks(doc.FirstChild(), 1)
	for _, f := range defined {
		note := Footnote{Label: f.label, Blocks: r.blocks(f.FirstChild(), 2)}
		r.page.notes = append(r.page.notes, note)
	}
	return blocks, r.page.notes
}

// find gives the footnotes that are defined, the first of each label.
func (p *page) find(doc ast.Node) []*footnote {
	var out []*footnote
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		f, ok := n.(*footnote)
		if ok && entering && !p.labels[f.label] {
			p.labels[f.label] = true
			out = append(out, f)
		}
		return ast.WalkContinue, nil // no error: nothing in it fails
	})
	return out
}

// marked gives a text as nodes: for a page as it is.
func (r *reader) marked(s string) []Node {
	if r.page == nil || s == "" {
		return marked(s)
	}
	return []Node{{Kind: protocol.ReplyWords, Text: s}}
}

// target reads where a link leads within the vault: for a page, a link to any
// file, or to a place of its own note.
func (r *reader) target(to string, encoded bool) (string, bool) {
	if r.page == nil {
		return notePath(to, encoded)
	}
	if encoded {
		plain, err := url.PathUnescape(to)
		if err == nil {
			to = plain // a broken encoding is taken as it is written
		}
	}
	return to, to != "" && !strings.ContainsFunc(to, unicode.IsControl)
}

// leadsTo says what an address of a note may be in a page: one of the web, one of
// mail, or something of the vault. All others, such as scripts and data, lead
// nowhere.
func (r *reader) leadsTo(to string) (Node, bool) {
	if PageAddress(to) {
		return Node{Kind: protocol.ReplyLink, To: to}, true
	}
	if scheme, _, found := strings.Cut(to, ":"); found && !strings.ContainsAny(scheme, "/#?%. ") || strings.HasPrefix(to, "//") || strings.HasPrefix(to, `\\`) {
		return Node{}, false
	}
	path, ok := r.target(to, true)
	return Node{Kind: protocol.ReplyNote, To: path, Where: path}, ok
}

// PageAddress says whether a page may hold a link to an address.
func PageAddress(to string) bool {
	u, err := url.Parse(to)
	if err != nil || strings.ContainsFunc(to, func(c rune) bool { return unicode.IsSpace(c) || unicode.IsControl(c) }) {
		return false
	}
	switch strings.ToLower(u.Scheme) {
	case "http", "https":
		return u.Host != ""
	case "mailto":
		return u.Opaque != ""
	}
	return false
}

// reference reads the label that follows a bracket, or is in it, and gives the
// address that is defined for it.
func (in *inline) reference(from int) (to string, end int, ok bool) {
	label, end := in.s[from:in.at], in.at+1
	if rest := in.s[end:]; strings.HasPrefix(rest, "[") {
		if n := strings.IndexByte(rest[:min(len(rest), maxLabel)], ']'); n >= 0 {
			if n > 1 {
				label = rest[1:n]
			}
			end += n + 1
		}
	}
	if len(label) > maxLabel || label == "" {
		return "", 0, false
	}
	ref, ok := in.page.refs.Reference(util.ToLinkReference([]byte(label)))
	if !ok {
		return "", 0, false
	}
	return decoded(string(bytes.TrimSpace(ref.Destination()))), end, true
}

// maxLabel is how long the label of a reference may be (CommonMark §6.3).
const maxLabel = 999

// footnote reads a reference to a footnote that is defined.
func (in *inline) footnote() bool {
	rest, ok := strings.CutPrefix(in.s[in.at:min(len(in.s), in.at+maxLabel)], "[^")
	if !ok {
		return false
	}
	label, _, ok := strings.Cut(rest, "]")
	if !ok || !in.page.labels[label] {
		return false
	}
	in.at += len("[^") + len(label) + len("]")
	in.add(Node{Kind: protocol.ReplyLink, To: FootnoteTo + label})
	return true
}

// caret reads a footnote that is written in its line: "^[text]".
func (in *inline) caret() {
	at := in.at
	if in.page == nil || in.page.written || !strings.HasPrefix(in.s[at:], "^[") {
		in.literal(at + 1)
		return
	}
	depth := 0
	for i := at + 1; i < min(len(in.s), at+maxLabel); i++ {
		switch in.s[i] {
		case '\\':
			i++
		case '[':
			depth++
		case ']':
			depth--
		}
		if depth > 0 {
			continue
		}
		label := "\x00" + strconv.Itoa(len(in.page.notes)) // no definition can have it
		in.page.written = true
		words := in.lines(in.s[at+2 : i])
		in.page.written = false
		in.page.notes = append(in.page.notes, Footnote{Label: label, Blocks: []Node{{Kind: protocol.ReplyParagraph, Kids: words}}})
		in.at = i + 1
		in.add(Node{Kind: protocol.ReplyLink, To: FootnoteTo + label})
		return
	}
	in.literal(at + 1)
}
