package notepage

import (
	"strconv"
	"strings"

	"embedded-agent/wasm/internal/answer"
)

// elements are those of emphasis and its like.
var elements = map[string]string{
	"emphasis": "em", "strong": "strong", "strike": "del", "highlight": "mark", "verbatim": "code",
}

// inline writes what stands in a line. HTML in it is kept where an element begins
// and ends among the same words.
func (w *writer) inline(p place, nodes []answer.Node) {
	kept := pairs(nodes)
	for i := range nodes {
		n := &nodes[i]
		switch n.Kind {
		case "text":
			w.out.WriteString(escape(n.Text))
		case "verbatim":
			w.out.WriteString("<code>" + escape(n.Text) + "</code>")
		case "formula":
			w.out.WriteString("<code class=\"math\">" + escape(n.Text) + "</code>")
		case "break":
			w.out.WriteString("<br>\n")
		case "unseen":
			w.unseen(p, n.Text, kept[i])
		case "link":
			w.link(p, n)
		case "note":
			w.toNote(p, n)
		case "image":
			w.from.Left(p.path, Remote)
			w.outward(n.To, func() {
				if len(n.Kids) == 0 {
					w.out.WriteString(escape(n.To))
				}
				w.inline(p, n.Kids)
			})
		default:
			element := elements[string(n.Kind)]
			if element == "" {
				w.out.WriteString(escape(n.Text))
				continue
			}
			w.out.WriteString("<" + element + ">")
			w.inline(p, n.Kids)
			w.out.WriteString("</" + element + ">")
		}
	}
}

// link writes a link to an address, or the number of a footnote.
func (w *writer) link(p place, n *answer.Node) {
	if label, ok := strings.CutPrefix(n.To, answer.FootnoteTo); ok {
		number := strconv.Itoa(p.labels[label])
		id := p.notes + "r" + number
		if w.ids[id] {
			id = ""
		} else {
			w.ids[id] = true
		}
		w.out.WriteString("<sup" + attribute("id", id) + "><a href=\"#" + p.notes + number + "\">" + number + "</a></sup>")
		return
	}
	w.outward(n.To, func() { w.inline(p, n.Kids) })
}

// outward writes a link that leads out of the page, or its words alone where a
// page may not hold its address.
func (w *writer) outward(to string, words func()) {
	ok := answer.PageAddress(to)
	if ok {
		w.out.WriteString("<a" + attribute("href", to) + " rel=\"noopener noreferrer\">")
	}
	words()
	if ok {
		w.out.WriteString("</a>")
	}
}

// toNote writes a link to a file of the vault: one into the page where it leads to
// a note that is there, and its words elsewhere. An embed that cannot stand in a
// line is a link as well.
func (w *writer) toNote(p place, n *answer.Node) {
	path, sub := split(n.To)
	target := p.path
	if path != "" {
		target = w.from.Resolve(path, p.path)
	}
	if n.Embed {
		if w.picture(p, n, target) {
			return
		}
		if target != "" && isNote(target) && w.number[target] == 0 {
			w.from.Left(target, Kind) // it has no place in a table or within other marks
		}
	}
	number := w.number[target]
	if target == "" || number == 0 {
		w.inline(p, n.Kids)
		return
	}
	j := jump{note: "n" + strconv.Itoa(number)}
	j.id = j.note
	if sub != "" {
		j.id += "-" + anchor(sub)
	}
	w.out.WriteString("<a href=\"")
	j.at = w.out.Len()
	w.jumps = append(w.jumps, j)
	w.out.WriteString("\">")
	if n.Where == "" && len(n.Kids) == 1 {
		w.out.WriteString(escape(strings.ReplaceAll(strings.TrimPrefix(n.To, "#"), "#", " > ")))
	} else {
		w.inline(p, n.Kids)
	}
	w.out.WriteString("</a>")
}

// split takes a link apart into its path and "#…".
func split(to string) (path, sub string) {
	if i := strings.IndexByte(to, '#'); i >= 0 {
		return strings.TrimSpace(to[:i]), to[i:]
	}
	return to, ""
}

// anchor gives the id that a heading or block has within its note.
func anchor(sub string) string {
	sub = sub[strings.LastIndexByte(sub, '#')+1:]
	if id, ok := strings.CutPrefix(sub, "^"); ok {
		return "b-" + strings.ToLower(id)
	}
	return "h-" + slug(sub)
}

func isNote(path string) bool { return strings.HasSuffix(strings.ToLower(path), ".md") }
