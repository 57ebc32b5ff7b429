package notepage

import (
	"errors"
	"strconv"
	"strings"

	"embedded-agent/wasm/internal/answer"
	"embedded-agent/wasm/internal/regex"
)

// embedded gives the note that an embed shows, and which part of it; false where
// the embed is of no note.
func (w *writer) embedded(p place, n *answer.Node) (target, sub string, ok bool) {
	path, sub := split(n.To)
	target = p.path
	if path != "" {
		target = w.from.Resolve(path, p.path)
	}
	return target, sub, target == "" || isNote(target)
}

// embed writes the note that is embedded, in its place.
func (w *writer) embed(p place, n *answer.Node, target, sub string) error {
	switch {
	case target == "":
		w.without(n.To, Missing)
		return nil
	case p.inside(target):
		w.without(target, Cycle)
		return nil
	}
	text, err := w.from.Text(target)
	if errors.Is(err, ErrAway) {
		w.without(n.To, Missing)
		return nil
	}
	if err != nil {
		return err
	}
	part, ok := w.from.Part(target, text, sub)
	if !ok {
		w.without(n.To, Missing)
		return nil
	}
	w.out.WriteString("<div class=\"embed\">\n")
	blocks, footnotes := answer.Page(uncommented(part))
	inner := place{path: target, above: append(append([]string{}, p.above...), target), shift: w.level + 1 - highest(blocks)}
	level := w.level
	if err := w.note(inner, blocks, footnotes); err != nil {
		return err
	}
	w.level = level
	w.out.WriteString("</div>\n")
	return nil
}

// highest gives the level of the highest heading, which comes below the one that
// the embed stands under.
func highest(blocks []answer.Node) int {
	level := 7
	for i := range blocks {
		if blocks[i].Kind == "heading" {
			level = min(level, blocks[i].Level)
		}
	}
	return level
}

// without says in the page, and to who asked for it, what is not in it.
func (w *writer) without(path string, why Lack) {
	w.from.Left(path, why)
	name, _ := split(path)
	if name == "" {
		name = path
	}
	w.out.WriteString("<p class=\"left\">" + escape(w.from.Say(why, Name(name))) + "</p>\n")
}

// sized is the text of a picture that is its width, or width and height.
var sized = regex.Lazy(`(?:^|\|)(\d{1,5})(?:x(\d{1,5}))?$`)

// picture writes an embed that is no note: a picture where it can be in the page,
// and its name where it cannot. It says false for what is left to be a link.
func (w *writer) picture(p place, n *answer.Node, target string) bool {
	if target == "" {
		w.from.Left(n.To, Missing)
		w.out.WriteString("<span class=\"left\">" + escape(w.from.Say(Missing, n.To)) + "</span>")
		return true
	}
	if isNote(target) {
		return false
	}
	address, lack, err := w.from.Picture(target)
	if err != nil || address == "" {
		if err != nil {
			lack = Missing
		}
		w.from.Left(target, lack)
		w.out.WriteString("<span class=\"left\">" + escape(w.from.Say(lack, target[strings.LastIndexByte(target, '/')+1:])) + "</span>")
		return true
	}
	alt, size := "", ""
	if n.Where != "" { // words of its own
		alt = words(n.Kids)
	}
	if m := sized().FindStringSubmatch(strings.TrimSpace(alt)); m != nil {
		alt = strings.TrimSuffix(strings.TrimSpace(alt), m[0])
		size = attribute("width", m[1]) + attribute("height", number(m[2]))
	}
	w.out.WriteString("<img src=\"" + address + "\" alt=\"" + escape(strings.TrimSpace(alt)) + "\"" + size + ">")
	return true
}

// number gives digits as a number, "" for none.
func number(s string) string {
	n, err := strconv.Atoi(s)
	if err != nil {
		return ""
	}
	return strconv.Itoa(n)
}
