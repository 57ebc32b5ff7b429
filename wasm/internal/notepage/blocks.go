package notepage

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"embedded-agent/wasm/internal/answer"
	"embedded-agent/wasm/internal/note"
	"embedded-agent/wasm/internal/regex"
)

func (w *writer) blocks(p place, nodes []answer.Node) error {
	for i := range nodes {
		if w.out.Len() > MaxSize {
			return ErrSize
		}
		if err := w.block(p, &nodes[i]); err != nil {
			return err
		}
	}
	return nil
}

// block writes one block.
func (w *writer) block(p place, n *answer.Node) error {
	switch n.Kind {
	case "paragraph", "tight":
		return w.paragraph(p, n)
	case "heading":
		return w.heading(p, n)
	case "rule":
		w.out.WriteString("<hr>\n")
	case "list":
		return w.list(p, n)
	case "quote":
		return w.within(p, "blockquote", "", n.Kids)
	case "callout":
		kids := n.Kids
		if len(kids) > 0 && kids[0].Kind == "title" && len(kids[0].Kids) == 0 { // its kind is its title
			kids = append([]answer.Node{{Kind: "title", Kids: []answer.Node{{Kind: "text", Text: upperFirst(n.Text)}}}}, kids[1:]...)
		}
		return w.within(p, "div", "callout", kids)
	case "title":
		return w.within(p, "div", "callout-title", []answer.Node{{Kind: "tight", Kids: n.Kids}})
	case "table":
		return w.table(p, n)
	case "code":
		language, _, _ := strings.Cut(n.Info, " ")
		class := ""
		if language != "" {
			class = "language-" + language
		}
		w.out.WriteString("<pre><code" + attribute("class", class) + ">" + escape(n.Text) + "</code></pre>\n")
	case "math":
		w.out.WriteString("<pre class=\"math\">" + escape(n.Text) + "</pre>\n")
	case "source":
		w.source(p, n.Text)
	default: // past the bounds: as it stands in the note
		w.from.Left(p.path, Long)
		w.out.WriteString("<pre>" + escape(n.Text) + "</pre>\n")
	}
	return nil
}

func upperFirst(s string) string {
	_, n := utf8.DecodeRuneInString(s)
	return strings.ToUpper(s[:n]) + s[n:]
}

// within writes blocks in an element.
func (w *writer) within(p place, element, class string, nodes []answer.Node) error {
	w.out.WriteString("<" + element + attribute("class", class) + ">\n")
	if err := w.blocks(p, nodes); err != nil {
		return err
	}
	w.out.WriteString("</" + element + ">\n")
	return nil
}

// paragraph writes words. An embedded note stands between paragraphs: the words
// before it and behind it are each one of their own.
func (w *writer) paragraph(p place, n *answer.Node) error {
	from := 0
	kids := n.Kids
	for i := range kids {
		if !kids[i].Embed || kids[i].Kind != "note" {
			continue
		}
		target, sub, ok := w.embedded(p, &kids[i])
		if !ok {
			continue
		}
		w.words(p, n.Kind, kids[from:i])
		from = i + 1
		if err := w.embed(p, &kids[i], target, sub); err != nil {
			return err
		}
	}
	w.words(p, n.Kind, kids[from:])
	return nil
}

// words writes a run of words as a paragraph, or as it is in a tight list.
func (w *writer) words(p place, kind any, kids []answer.Node) {
	for len(kids) > 0 && kids[0].Kind == "break" {
		kids = kids[1:]
	}
	for len(kids) > 0 && kids[len(kids)-1].Kind == "break" {
		kids = kids[:len(kids)-1]
	}
	if len(kids) == 0 {
		return
	}
	before, after := "<p>", "</p>\n"
	if kind == kindTight {
		before, after = "", "\n"
	}
	w.out.WriteString(before)
	w.inline(p, w.anchored(p, kids))
	w.out.WriteString(after)
}

var kindTight = answer.Node{Kind: "tight"}.Kind

// blockID is the id at the end of a block.
var blockID = regex.Lazy(`(?:^|\s)\^([A-Za-z0-9-]{1,100})\s*$`)

// anchored writes an anchor for the id at the end of a block, and gives the words
// without it.
func (w *writer) anchored(p place, kids []answer.Node) []answer.Node {
	last := len(kids) - 1
	if last < 0 || kids[last].Kind != "text" {
		return kids
	}
	text := kids[last].Text
	m := blockID().FindStringSubmatchIndex(text[max(0, len(text)-200):])
	if m == nil {
		return kids
	}
	cut := max(0, len(text)-200)
	if id := w.id(p, "b-"+strings.ToLower(text[cut+m[2]:cut+m[3]])); id != "" {
		w.out.WriteString("<a id=\"" + escape(id) + "\"></a>")
	}
	out := append([]answer.Node{}, kids...)
	out[last].Text = text[:cut+m[0]]
	return out
}

// id gives an id that no other element of the page has; "" where there is none to
// be had, as in an embed, whose original has it.
func (w *writer) id(p place, name string) string {
	id := p.ids + name
	if p.ids == "" || w.ids[id] {
		return ""
	}
	w.ids[id] = true
	return id
}

func (w *writer) heading(p place, n *answer.Node) error {
	w.level = n.Level + p.shift
	level := strconv.Itoa(min(max(w.level, 1), 6))
	w.out.WriteString("<h" + level + attribute("id", w.id(p, "h-"+slug(words(n.Kids)))) + ">")
	w.inline(p, w.anchored(p, n.Kids))
	w.out.WriteString("</h" + level + ">\n")
	return nil
}

func (w *writer) list(p place, n *answer.Node) error {
	element := "ul"
	if n.Ordered {
		element = "ol"
	}
	w.out.WriteString("<" + element + ">\n")
	next := 1
	for i := range n.Kids {
		item := &n.Kids[i]
		if item.Kind != "item" {
			if err := w.within(p, "li", "", []answer.Node{*item}); err != nil {
				return err
			}
			continue
		}
		w.out.WriteString("<li")
		if number, err := strconv.Atoi(item.Text); n.Ordered && err == nil {
			if number != next {
				w.out.WriteString(" value=\"" + strconv.Itoa(number) + "\"")
			}
			next = number
		}
		next++
		if item.Task != "" {
			w.out.WriteString(" class=\"task\"")
		}
		w.out.WriteString(">")
		if item.Task != "" {
			checked := ""
			if note.Done(item.Task) {
				checked = " checked"
			}
			w.out.WriteString("<input type=\"checkbox\" disabled" + checked + "> ")
		}
		if err := w.blocks(p, item.Kids); err != nil {
			return err
		}
		w.out.WriteString("</li>\n")
	}
	w.out.WriteString("</" + element + ">\n")
	return nil
}

func (w *writer) table(p place, n *answer.Node) error {
	w.out.WriteString("<table>\n")
	for i := range n.Kids {
		cell := "td"
		if i == 0 {
			cell = "th"
		}
		w.out.WriteString("<tr>")
		for j := range n.Kids[i].Kids {
			c := &n.Kids[i].Kids[j]
			align := ""
			switch c.Align {
			case "left", "center", "right":
				align = "text-align: " + c.Align
			}
			w.out.WriteString("<" + cell + attribute("style", align) + ">")
			w.inline(p, c.Kids)
			w.out.WriteString("</" + cell + ">")
		}
		w.out.WriteString("</tr>\n")
		if w.out.Len() > MaxSize {
			return ErrSize
		}
	}
	w.out.WriteString("</table>\n")
	return nil
}
