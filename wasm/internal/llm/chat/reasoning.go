package chat

import (
	"strings"

	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/jsontree"
	"embedded-agent/wasm/internal/llm"
)

// reasoning takes the reasoning of a delta. Endpoints send the same text in up to three fields; it counts once.
func (p *parser) reasoning(d jsontree.Value) {
	entries := d.Get("reasoning_details")
	p.details.add(entries)
	for _, field := range []string{"reasoning_content", "reasoning"} {
		if text := d.Get(field); text.Kind() == jsontree.String && !text.Is("") {
			p.addThinking(field, text)
			return
		}
	}
	for e := range entries.Elements() {
		for _, name := range []string{"text", "summary"} {
			p.addThinking("", e.Get(name))
		}
	}
}

func (p *parser) addThinking(field string, piece jsontree.Value) {
	if piece.Kind() != jsontree.String || piece.Is("") {
		return
	}
	if p.field == "" {
		p.field = field
	}
	if p.thinking < 0 {
		p.endText()
		p.thinking = p.b.Open(llm.Block{Type: llm.BlockThinking})
	}
	p.b.DeltaJSON(p.thinking, piece)
}

// endThinking closes the thinking block when something else begins, unless it waits for what must be carried back, which
// may come last.
func (p *parser) endThinking() {
	if p.details.any() {
		return
	}
	p.closeThinking("")
}

func (p *parser) closeThinking(details string) {
	if block := p.b.Block(p.thinking); block != nil {
		block.Signature = signature(p.field, details)
		p.b.Close(p.thinking)
	}
	p.thinking = -1
}

// endReasoning closes the thinking block at the end of the answer. Details without any open block get one.
func (p *parser) endReasoning() {
	details := p.details.json()
	if details != "" && p.thinking < 0 {
		p.thinking = p.b.Open(llm.Block{Type: llm.BlockThinking, Redacted: true})
	}
	p.closeThinking(details)
}

func signature(field, details string) string {
	var members []string
	if field != "" {
		members = append(members, `"field":`+string(canon.AppendString(nil, field)))
	}
	if details != "" {
		members = append(members, `"details":`+details)
	}
	return "{" + strings.Join(members, ",") + "}"
}

// details puts the pieces of reasoning_details together: pieces of one type and index are one entry, whose texts are
// joined and whose other fields are taken from the first piece that has them.
type details struct {
	entries []*entry
}

type entry struct {
	kind  string
	index int64
	names []string
	plain map[string]string           // raw JSON of the fields that are not joined
	text  map[string]*strings.Builder // text, summary and data
	join  map[string]*jsontree.Joiner
}

func (d *details) any() bool { return len(d.entries) > 0 }

func (d *details) add(list jsontree.Value) {
	for v := range list.Elements() {
		if v.Kind() == jsontree.Object {
			d.entry(v).merge(v)
		}
	}
}

func (d *details) entry(v jsontree.Value) *entry {
	kind, index := v.Get("type").Str(), v.Get("index").Int()
	for _, e := range d.entries {
		if e.kind == kind && e.index == index {
			return e
		}
	}
	e := &entry{
		kind: kind, index: index, plain: make(map[string]string),
		text: make(map[string]*strings.Builder), join: make(map[string]*jsontree.Joiner),
	}
	d.entries = append(d.entries, e)
	return e
}

func (e *entry) merge(v jsontree.Value) {
	for name, value := range v.Members() {
		switch name {
		case "text", "summary", "data":
			if e.text[name] == nil {
				e.names = append(e.names, name)
				e.text[name], e.join[name] = new(strings.Builder), new(jsontree.Joiner)
			}
			e.text[name].WriteString(e.join[name].Next(value))
		default:
			old, known := e.plain[name]
			if !known {
				e.names = append(e.names, name)
			}
			if !known || old == "null" || old == `""` {
				e.plain[name] = string(value.Raw())
			}
		}
	}
}

// json is the list as it goes back, "" when there is nothing.
func (d *details) json() string {
	if len(d.entries) == 0 {
		return ""
	}
	out := []byte{'['}
	for i, e := range d.entries {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, '{')
		for j, name := range e.names {
			if j > 0 {
				out = append(out, ',')
			}
			out = append(canon.AppendString(out, name), ':')
			if b := e.text[name]; b != nil {
				out = canon.AppendString(out, b.String()+e.join[name].End())
			} else {
				out = append(out, e.plain[name]...)
			}
		}
		out = append(out, '}')
	}
	return string(append(out, ']'))
}
