// Package webpage makes Markdown of a web page, for reading: headings,
// paragraphs, lists, quotes, code, tables, links and pictures. Scripts, styles,
// menus and footers are left out.
//
// It reads HTML as it comes, unclosed and wrongly nested elements included, in
// one pass and in linear time. It is no browser: what styles hide is shown. (The
// tokens are those of golang.org/x/net/html, for 5 kB of main.js; the libraries
// that do all of it, over a tree, cost 230.)
package webpage

import (
	"net/url"
	"strings"

	"golang.org/x/net/html"
)

// Page has the parts of a web page.
type Page struct {
	Title    string
	Markdown string
}

// Convert reads a page. Links are made whole by the page's address.
func Convert(page, address string) Page {
	base, err := url.Parse(address)
	if err != nil {
		base = &url.URL{}
	}
	c := &converter{base: base, named: map[string]int{}}
	z := html.NewTokenizer(strings.NewReader(page))
	for {
		switch z.Next() {
		case html.ErrorToken: // the end: reading from a text does not fail
			c.popTo(0)
			return Page{Title: c.title, Markdown: strings.TrimSpace(c.w.out.String())}
		case html.TextToken:
			c.text(string(z.Text()))
		case html.StartTagToken, html.SelfClosingTagToken:
			c.start(z.Token())
		case html.EndTagToken:
			name, _ := z.TagName()
			c.end(string(name))
		}
	}
}

// left are elements that are left out with all that is in them.
var left = map[string]bool{
	"script": true, "style": true, "textarea": true, "noscript": true, "iframe": true, "xmp": true, "noembed": true,
	"template": true, "svg": true, "math": true, "nav": true, "footer": true, "select": true, "button": true,
	"dialog": true, "object": true, "audio": true, "video": true, "canvas": true,
}

// void are elements without content.
var void = map[string]bool{
	"area": true, "base": true, "br": true, "col": true, "embed": true, "hr": true, "img": true, "input": true,
	"link": true, "meta": true, "source": true, "track": true, "wbr": true,
}

// blocks stand apart from what is around them, by so many line ends.
var blocks = map[string]int{
	"address": 2, "article": 2, "aside": 2, "blockquote": 2, "body": 2, "center": 2, "dd": 1, "details": 2, "div": 1,
	"dl": 2, "dt": 1, "fieldset": 2, "figcaption": 1, "figure": 2, "form": 2, "h1": 2, "h2": 2, "h3": 2, "h4": 2,
	"h5": 2, "h6": 2, "header": 2, "html": 2, "li": 1, "main": 2, "ol": 2, "p": 2, "pre": 2, "section": 2,
	"summary": 1, "table": 2, "tr": 1, "ul": 2, "caption": 2, "hr": 2,
}

// marks stand around text inside a line.
var marks = map[string]string{
	"b": "**", "strong": "**", "em": "*", "i": "*", "del": "~~", "s": "~~", "strike": "~~", "mark": "==",
	"code": "`", "kbd": "`", "samp": "`", "tt": "`",
}

// element is one that is open.
type element struct {
	name     string
	items    int    // of a list: numbered so far
	prefix   bool   // it has put a prefix before the lines in it
	mark     string // what stands around its text
	closing  string // what ends it, such as a link's target
	cells    int    // of a row
	rows     int    // of a table
	skipped  bool   // it is left out
	pre      bool
	opened   int // how much text there was when it began
	inactive bool
}

// maxOpen bounds elements inside elements; deeper ones change nothing.
const maxOpen = 200

type converter struct {
	base  *url.URL
	title string
	open  []element
	named map[string]int // how many elements of a name are open
	w     writer
	skip  int // how many elements that are left out are open
	link  int
	cell  int
}

func (c *converter) text(s string) {
	switch {
	case c.skip > 0:
	case len(c.open) > 0 && c.open[len(c.open)-1].name == "title":
		if c.title == "" {
			c.title = strings.Join(strings.Fields(s), " ")
		}
	default:
		c.w.text(s, c.cell > 0)
	}
}

// closes says which open elements a new one ends: HTML lets people leave their
// ends out.
func closes(name string) (which, within string) {
	switch name {
	case "li":
		return "li", "ul ol"
	case "dt", "dd":
		return "dt dd", "dl"
	case "tr":
		return "tr", "table"
	case "td", "th":
		return "td th", "tr table"
	case "option":
		return "option", "select"
	}
	if blocks[name] > 0 {
		return "p", "body div section article li td th blockquote"
	}
	return "", ""
}

func has(list, name string) bool {
	for w := range strings.FieldsSeq(list) {
		if w == name {
			return true
		}
	}
	return false
}

func (c *converter) start(t html.Token) {
	name := t.Data
	if which, within := closes(name); c.isOpen(which) {
		for i := len(c.open) - 1; i >= 0 && !has(within, c.open[i].name); i-- {
			if has(which, c.open[i].name) {
				c.popTo(i)
				break
			}
		}
	}
	if void[name] {
		c.single(t)
		return
	}
	if len(c.open) >= maxOpen || t.Type == html.SelfClosingTagToken && (name == "svg" || name == "math") {
		return
	}
	e := element{name: name}
	if left[name] {
		e.skipped = true
		c.skip++
	}
	if c.skip == 0 {
		c.begin(&e, t)
	}
	c.open = append(c.open, e)
	c.named[name]++
}

// isOpen says whether one of some elements is open.
func (c *converter) isOpen(names string) bool {
	for name := range strings.FieldsSeq(names) {
		if c.named[name] > 0 {
			return true
		}
	}
	return false
}

// single writes an element without content.
func (c *converter) single(t html.Token) {
	if c.skip > 0 {
		return
	}
	switch t.Data {
	case "base": // the page's own say where its links begin
		if u, err := c.base.Parse(strings.TrimSpace(attr(t, "href"))); err == nil && (u.Scheme == "http" || u.Scheme == "https") {
			c.base = u
		}
	case "br":
		if c.link > 0 || c.cell > 0 {
			c.w.space = true
		} else {
			c.w.lineBreak()
		}
	case "hr":
		c.w.gap(2)
		c.w.write("---")
		c.w.gap(2)
	case "img":
		alt := strings.Join(strings.Fields(attr(t, "alt")), " ")
		if src := c.address(attr(t, "src")); src != "" {
			c.w.word("![" + escapeInline(alt) + "](" + src + ")")
		} else if alt != "" {
			c.w.text(alt, c.cell > 0)
		}
	}
}

func attr(t html.Token, name string) string {
	for _, a := range t.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// address makes an address whole; "" for what leads nowhere a person would go.
func (c *converter) address(ref string) string {
	u, err := c.base.Parse(strings.TrimSpace(ref))
	if err != nil || ref == "" {
		return ""
	}
	switch u.Scheme {
	case "http", "https", "mailto":
	default:
		return ""
	}
	return strings.NewReplacer(" ", "%20", "(", "%28", ")", "%29", "<", "%3C", ">", "%3E").Replace(u.String())
}
