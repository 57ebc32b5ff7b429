package note

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"
)

// element is one element of a written list.
type element struct {
	Span      // a block element's lines; a flow element's text
	text Span // the value as written, of a value on one line
}

// editList changes a list in its own style: elements that stay keep their
// bytes, those that go are cut out, new ones are put where they come, in place
// of one that goes where there is one: its comment and quotes stay. false
// when the list is written in a way that is not understood; nothing is edited
// then.
func (d *Doc) editList(edits *Edits, p *Property, old, list []any) bool {
	if len(list) == 0 || len(old) == 0 {
		return false
	}
	if d.Data[p.ValueAt.Start] == '[' {
		return d.editFlow(edits, p, old, list)
	}
	elems, ok := d.blockElements(p)
	if !ok || len(elems) != len(old) {
		return false
	}
	kept := match(old, list)
	stays := staying(kept, len(old))
	first := elems[0]
	dash := string(d.Data[first.Start:first.text.Start])
	quote := d.commonQuote(elems)
	at := 0
	for j, v := range list {
		if k := kept[j]; k >= 0 {
			for ; at < k; at++ {
				edits.Replace(elems[at].Span, "")
			}
			at++
			continue
		}
		if at < len(elems) && !stays[at] && !elems[at].text.Empty() && d.oneLine(elems[at]) {
			edits.Replace(elems[at].text, yamlScalar(v, cmp.Or(d.quoteOf(elems[at]), quote)))
			at++
			continue
		}
		pos := elems[len(elems)-1].End
		if at < len(elems) {
			pos = elems[at].Start
		}
		edits.Insert(pos, dash+yamlScalar(v, quote)+d.EOL())
	}
	for ; at < len(elems); at++ {
		edits.Replace(elems[at].Span, "")
	}
	return true
}

// match gives for each element of the new list the element of the old one that
// it is, or -1. The elements that stay are in the same order in both.
func match(old, list []any) []int {
	places := map[string][]int{}
	for i, v := range old {
		id := valueID(v)
		places[id] = append(places[id], i)
	}
	out := make([]int, len(list))
	at := 0
	for j, v := range list {
		out[j] = -1
		id := valueID(v)
		is := places[id]
		for len(is) > 0 && is[0] < at {
			is = is[1:]
		}
		if len(is) > 0 {
			out[j], at = is[0], is[0]+1
			is = is[1:]
		}
		places[id] = is
	}
	return out
}

// valueID is the same for values that are the same in YAML, and for no others.
func valueID(v any) string { return fmt.Sprintf("%T %v", number(v), number(v)) }

// staying says of each old element whether it is kept.
func staying(kept []int, old int) []bool {
	out := make([]bool, old)
	for _, k := range kept {
		if k >= 0 {
			out[k] = true
		}
	}
	return out
}

// commonQuote gives the quotes that all elements have, or 0.
func (d *Doc) commonQuote(elems []element) byte {
	var quote byte
	for i, e := range elems {
		c := d.quoteOf(e)
		if i > 0 && c != quote {
			return 0
		}
		quote = c
	}
	return quote
}

// quoteOf gives an element's quotes, or 0.
func (d *Doc) quoteOf(e element) byte {
	if !e.text.Empty() && (d.Data[e.text.Start] == '"' || d.Data[e.text.Start] == '\'') {
		return d.Data[e.text.Start]
	}
	return 0
}

// oneLine says whether a block element is a scalar on its own line.
func (d *Doc) oneLine(e element) bool {
	c := d.Data[e.text.Start]
	return lineAfter(d.Data, e.Start, e.End) == e.End && bytes.IndexByte([]byte("[{|>&*!"), c) < 0
}

// blockElements reads a block list: lines that start with "- " at one
// indentation, each with the deeper lines after it.
func (d *Doc) blockElements(p *Property) ([]element, bool) {
	data := d.Data
	var elems []element
	indent := -1
	for at := lineAfter(data, p.KeyAt.End, p.End); at < p.End; {
		next := lineAfter(data, at, p.End)
		end := trimEOL(data, at, next)
		text := at
		for text < end && data[text] == ' ' {
			text++
		}
		dash := text < end && data[text] == '-' && (text+1 == end || data[text+1] == ' ')
		switch {
		case text == end, data[text] == '#': // belongs to none
		case dash && (indent < 0 || text-at == indent):
			indent = text - at
			value := text + 1
			for value < end && data[value] == ' ' {
				value++
			}
			scan := valueScan{data: data}
			elems = append(elems, element{Span{at, next}, Span{value, max(value, scan.line(value, end))}})
			if scan.open() {
				return nil, false
			}
		case len(elems) > 0 && text-at > indent:
			elems[len(elems)-1].End = next
		default:
			return nil, false
		}
		at = next
	}
	for _, e := range elems {
		if e.text.Start-e.Start < indent+2 {
			return nil, false // a dash without a value
		}
	}
	return elems, len(elems) > 0
}

// editFlow changes a list between brackets.
func (d *Doc) editFlow(edits *Edits, p *Property, old, list []any) bool {
	raw := p.ValueAt.Of(d.Data)
	if flowComment(raw) || raw[len(raw)-1] != ']' {
		return false
	}
	elems, ok := d.flowElements(Span{p.ValueAt.Start + 1, p.ValueAt.End - 1})
	if !ok || len(elems) != len(old) {
		return false
	}
	kept := match(old, list)
	stays := staying(kept, len(old))
	quote := d.commonQuote(elems)
	separator := ", "
	if len(elems) > 1 {
		separator = string(d.Data[elems[0].End:elems[1].Start])
	}
	taken := map[int]bool{} // old elements whose place a new one has
	out := append([]byte{}, d.Data[p.ValueAt.Start:elems[0].Start]...)
	for j, v := range list {
		k := kept[j]
		if k < 0 && j < len(elems) && !stays[j] {
			taken[j] = true
		}
		switch {
		case j == 0:
		case j < len(elems) && (k == j || taken[j]) && (kept[j-1] == j-1 || taken[j-1]): // nothing moved
			out = append(out, d.Data[elems[j-1].End:elems[j].Start]...)
		case k > 0 && kept[j-1] == k-1:
			out = append(out, d.Data[elems[k-1].End:elems[k].Start]...)
		default:
			out = append(out, separator...)
		}
		if k >= 0 {
			out = append(out, elems[k].Of(d.Data)...)
		} else {
			own := quote
			if taken[j] {
				own = cmp.Or(d.quoteOf(elems[j]), quote)
			}
			out = append(out, flowScalar(v, own)...)
		}
	}
	last := elems[len(elems)-1].End
	out = append(out, d.Data[last:p.ValueAt.End]...)
	edits.Replace(p.ValueAt, string(out))
	return true
}

// flowComment says whether there is a comment between the brackets: a "#" after
// a space, outside quotes.
func flowComment(raw []byte) bool {
	var quote byte
	for i, c := range raw {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '#' && (i == 0 || isSpace(raw[i-1])):
			return true
		}
	}
	return false
}

// flowScalar writes a scalar inside brackets, where more needs quotes.
func flowScalar(v any, quote byte) string {
	if s, ok := v.(string); ok && s == "" {
		return `""`
	}
	if v == nil {
		return "null"
	}
	if s, ok := v.(string); ok && quote == 0 && strings.Contains(s, "?") {
		return quoteYAML(s) // some readers take the mark for the end of a key
	}
	return yamlScalar(v, quote)
}

// flowElements splits what is between brackets at its commas.
func (d *Doc) flowElements(inside Span) ([]element, bool) {
	data := d.Data
	var elems []element
	start, depth := inside.Start, 0
	var quote byte
	add := func(end int) bool {
		s := trimSpan(data, Span{start, end})
		elems = append(elems, element{s, s})
		return !s.Empty()
	}
	for i := inside.Start; i < inside.End; i++ {
		switch c := data[i]; {
		case quote != 0:
			if c == '\\' && quote == '"' {
				i++
			} else if c == quote {
				quote = 0
			}
		case (c == '"' || c == '\'') && trimSpan(data, Span{start, i}).Empty():
			quote = c
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
		case c == ',' && depth == 0:
			if !add(i) {
				return nil, false
			}
			start = i + 1
		}
	}
	if !trimSpan(data, Span{start, inside.End}).Empty() && !add(inside.End) {
		return nil, false
	}
	return elems, quote == 0 && depth == 0 && len(elems) > 0
}
