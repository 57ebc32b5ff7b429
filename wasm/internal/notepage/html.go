package notepage

import (
	"slices"
	"strings"

	"golang.org/x/net/html"

	"embedded-agent/wasm/internal/answer"
)

// kept are the elements of HTML that a page takes over from a note, without their
// attributes: those that set words apart, lists and tables.
var kept = map[string]bool{
	"b": true, "i": true, "u": true, "s": true, "em": true, "strong": true, "small": true, "sub": true, "sup": true, "kbd": true, "mark": true,
	"del": true, "ins": true, "q": true, "cite": true, "code": true, "samp": true, "var": true, "ruby": true, "rt": true, "rp": true,
	"p": true, "div": true, "span": true, "center": true, "pre": true, "blockquote": true, "details": true, "summary": true,
	"ul": true, "ol": true, "li": true, "dl": true, "dt": true, "dd": true,
	"table": true, "thead": true, "tbody": true, "tr": true, "th": true, "td": true, "caption": true,
	"h1": true, "h2": true, "h3": true, "h4": true, "h5": true, "h6": true,
}

// inlineKept are those that may stand among the words of a line.
var inlineKept = map[string]bool{
	"b": true, "i": true, "u": true, "s": true, "em": true, "strong": true, "small": true, "sub": true, "sup": true, "kbd": true, "mark": true,
	"del": true, "ins": true, "q": true, "cite": true, "code": true, "samp": true, "var": true, "span": true,
}

// silent are elements whose text is not for people.
var silent = map[string]bool{
	"script": true, "style": true, "iframe": true, "object": true, "template": true, "noscript": true, "noembed": true,
	"noframes": true, "textarea": true, "title": true, "xmp": true, "plaintext": true, "svg": true, "math": true, "select": true,
}

// empty are elements without an end.
var empty = map[string]bool{"br": true, "hr": true, "wbr": true}

// source writes a block of HTML that stands in a note, or leaves a comment out:
// the elements that are kept, each closed in the block, and the words of others.
func (w *writer) source(p place, text string) {
	if strings.HasPrefix(strings.TrimSpace(text), "%%") {
		return
	}
	z := html.NewTokenizer(strings.NewReader(text))
	z.SetMaxBuf(MaxSize)
	var open []string
	quiet, left := "", false
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			break // the end: the text is in memory
		}
		t := z.Token()
		switch kind {
		case html.TextToken:
			if quiet == "" {
				w.out.WriteString(escape(t.Data))
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			switch {
			case quiet != "":
			case silent[t.Data]:
				left = true
				if kind == html.StartTagToken {
					quiet = t.Data
				}
			case empty[t.Data]:
				w.out.WriteString("<" + t.Data + ">")
			case kept[t.Data] && kind == html.StartTagToken && len(open) < maxOpen:
				open = append(open, t.Data)
				w.out.WriteString("<" + t.Data + ">")
			default:
				left = left || !kept[t.Data]
			}
		case html.EndTagToken:
			if t.Data == quiet {
				quiet = ""
				continue
			}
			if i := slices.Index(open, t.Data); quiet == "" && i >= 0 {
				for len(open) > i {
					w.out.WriteString("</" + open[len(open)-1] + ">")
					open = open[:len(open)-1]
				}
			}
		}
	}
	for len(open) > 0 {
		w.out.WriteString("</" + open[len(open)-1] + ">")
		open = open[:len(open)-1]
	}
	w.out.WriteString("\n")
	if left {
		w.from.Left(p.path, HTML)
	}
}

// maxOpen is how many elements of a note's HTML stand in each other.
const maxOpen = 30

// pairs finds the tags that are kept among the nodes of one line: those of
// elements without an end, and those that begin and end in the same line. It
// gives what is written for each.
func pairs(nodes []answer.Node) map[int]string {
	var out map[int]string
	type begin struct {
		name string
		at   int
	}
	var open []begin
	put := func(i int, tag string) {
		if out == nil {
			out = map[int]string{}
		}
		out[i] = tag
	}
	for i := range nodes {
		if nodes[i].Kind != "unseen" {
			continue
		}
		name, end, ok := tagOf(nodes[i].Text)
		switch {
		case !ok:
		case empty[name] && !end:
			put(i, "<"+name+">")
		case !inlineKept[name]:
		case !end && len(open) < maxOpen:
			open = append(open, begin{name, i})
		case end:
			for k := len(open) - 1; k >= 0; k-- {
				if open[k].name == name {
					put(open[k].at, "<"+name+">")
					put(i, "</"+name+">")
					open = open[:k]
					break
				}
			}
		}
	}
	return out
}

// tagOf reads the name of a tag.
func tagOf(s string) (name string, end, ok bool) {
	s, ok = strings.CutPrefix(s, "<")
	s, end = strings.CutPrefix(s, "/")
	n := 0
	for n < len(s) && (s[n]|0x20 >= 'a' && s[n]|0x20 <= 'z' || n > 0 && s[n] >= '0' && s[n] <= '9') {
		n++
	}
	ok = ok && n > 0 && n < len(s) && strings.IndexByte(" \t\n/>", s[n]) >= 0 && strings.HasSuffix(s, ">")
	return strings.ToLower(s[:n]), end, ok
}

// unseen writes what a reading view of a note would not show as text: nothing for
// a comment, a tag that is kept, another tag as it is written.
func (w *writer) unseen(p place, text, tag string) {
	switch {
	case tag != "":
		w.out.WriteString(tag)
	case strings.HasPrefix(text, "%%"), strings.HasPrefix(text, "<!--"):
	case strings.HasPrefix(text, "<"):
		if name, _, ok := tagOf(text); ok && !inlineKept[name] && !empty[name] {
			w.from.Left(p.path, HTML)
		}
		w.out.WriteString(escape(text))
	}
}
