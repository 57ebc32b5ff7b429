package openai

import (
	"strings"
	"embedded-agent/wasm/internal/jsontree"
	"embedded-agent/wasm/internal/llm"
)

// Parser makes the reader of the answer to r.
func (Dialect) Parser(e llm.Endpoint, r llm.Request, b *llm.Builder) llm.Parser {
	schemas := make(map[string][]byte)
	for _, t := range r.Tools {
		if _, ok := llm.StrictSchema(t.Schema()); ok && t.Strict {
			schemas[t.Name] = t.Schema()
		}
	}
	b.StripNulls(schemas)
	return &parser{b: b, host: e.Host(), items: make(map[int64]*item), ids: make(map[string]bool), sequence: -1}
}

// parser follows one response. Items are known by their output_index, parts by item and content_index.
type parser struct {
	b        *llm.Builder
	host     string
	items    map[int64]*item
	ids      map[string]bool
	sequence int64
	refused  bool
}

// item is one output item. block is the block of a call or of reasoning, -1 when there is none (yet).
type item struct {
	kind  string
	id    string
	phase string
	block int
	parts map[int64]int
	part  string // the part that reasoning text last belonged to
	done  bool
}

func (p *parser) damaged(detail string) {
	p.b.Fail(llm.NewError("llm.error.order", "host", p.host, "detail", detail))
}

// Done takes [DONE], which some endpoints send after the terminal event. It ends nothing.
func (p *parser) Done() {}

// EOF leaves it to the decoder to say that the stream was cut.
func (p *parser) EOF() {}

// Event takes one event.
func (p *parser) Event(typ string, v jsontree.Value) {
	if n := v.Get("sequence_number"); n.Kind() == jsontree.Number {
		if n.Int() <= p.sequence {
			p.damaged("sequence_number does not grow")
			return
		}
		p.sequence = n.Int()
	}
	switch typ {
	case "response.output_text.delta", "response.refusal.delta":
		p.textDelta(v, typ == "response.refusal.delta")
	case "response.output_text.done":
		p.textDone(v, "text", false)
	case "response.refusal.done":
		p.textDone(v, "refusal", true)
	case "response.function_call_arguments.delta":
		if it := p.item(v, "function_call"); it != nil {
			p.b.DeltaJSON(it.block, v.Get("delta"))
		}
	case "response.function_call_arguments.done":
		if it := p.item(v, "function_call"); it != nil {
			p.settle(it.block, v.Get("arguments"))
		}
	case "response.reasoning_summary_text.delta":
		p.reasoningDelta(v, "summary", v.Get("summary_index"))
	case "response.reasoning_text.delta":
		p.reasoningDelta(v, "content", v.Get("content_index"))
	case "response.output_item.added":
		p.added(v)
	case "response.output_item.done":
		p.itemDone(v)
	case "error":
		p.b.Fail(llm.StreamError(p.host, v))
	default:
		p.state(typ, v)
	}
}

// state takes the events about the response as a whole.
func (p *parser) state(typ string, v jsontree.Value) {
	r := v.Get("response")
	switch typ {
	case "response.created", "response.queued", "response.in_progress":
		p.b.Start(r.Get("id").Str(), r.Get("model").Str())
	case "response.completed", "response.incomplete", "response.failed", "response.cancelled", "response.done":
		p.finish(r)
	case "":
		if v.Get("error").Exists() {
			p.b.Fail(llm.StreamError(p.host, v))
			return
		}
		p.b.Fail(llm.NewError("llm.error.shape", "host", p.host, "detail", "an event has no type"))
	}
}

// item finds the item that an event belongs to. One that was not announced is made up where that is possible; an event
// that does not fit its item is an error.
func (p *parser) item(v jsontree.Value, kind string) *item {
	index := v.Get("output_index").Int()
	it := p.items[index]
	if it == nil {
		if kind == "function_call" {
			p.damaged("arguments of an unknown call")
			return nil
		}
		it = p.newItem(index, kind, v.Get("item_id").Str())
	}
	if it.kind != kind || it.done {
		p.damaged("an event does not fit its item")
		return nil
	}
	return it
}

func (p *parser) newItem(index int64, kind, id string) *item {
	it := &item{kind: kind, id: id, block: -1, parts: make(map[int64]int)}
	p.items[index] = it
	return it
}

func (p *parser) added(v jsontree.Value) {
	index, raw := v.Get("output_index").Int(), v.Get("item")
	if p.items[index] != nil {
		p.damaged("an item is announced twice")
		return
	}
	it := p.newItem(index, raw.Get("type").Str(), raw.Get("id").Str())
	it.phase = raw.Get("phase").Str()
	switch it.kind {
	case "function_call":
		p.openCall(it, raw)
		p.b.DeltaJSON(it.block, raw.Get("arguments"))
	case "reasoning":
		it.block = p.b.Open(llm.Block{Type: llm.BlockThinking})
	}
}

func (p *parser) openCall(it *item, raw jsontree.Value) {
	id := raw.Get("call_id").Str()
	if p.ids[id] {
		p.damaged("two calls share an id")
		return
	}
	p.ids[id] = true
	it.block = p.b.Open(llm.Call(id, llm.ToolName(raw.Get("name").Str()), nil))
}

func (p *parser) textDelta(v jsontree.Value, refusal bool) {
	it := p.item(v, "message")
	if it == nil {
		return
	}
	p.b.DeltaJSON(p.textBlock(it, v.Get("content_index").Int(), refusal), v.Get("delta"))
}

// textBlock is the block of a part of a message, opened when it is new.
func (p *parser) textBlock(it *item, part int64, refusal bool) int {
	block, ok := it.parts[part]
	if !ok {
		p.refused = p.refused || refusal
		block = p.b.Open(llm.Block{Type: llm.BlockText, Refusal: refusal, Signature: it.phase})
		it.parts[part] = block
	}
	return block
}

func (p *parser) textDone(v jsontree.Value, field string, refusal bool) {
	it := p.item(v, "message")
	if it == nil {
		return
	}
	block := p.textBlock(it, v.Get("content_index").Int(), refusal)
	p.settle(block, v.Get(field))
	p.b.Close(block)
}

// settle compares what a block has collected with the whole of it: what did not come in pieces is taken now; anything
// else that differs means that pieces were lost or came in the wrong order.
func (p *parser) settle(block int, whole jsontree.Value) {
	if whole.Kind() != jsontree.String {
		return
	}
	grown := p.b.Grown(block)
	if grown == "" {
		p.b.DeltaJSON(block, whole)
		return
	}
	rest, fits := strings.CutPrefix(whole.Str(), grown)
	if !fits {
		p.damaged("the pieces do not make up the whole")
	}
	p.b.Delta(block, rest)
}

func (p *parser) reasoningDelta(v jsontree.Value, field string, part jsontree.Value) {
	it := p.item(v, "reasoning")
	if it == nil {
		return
	}
	if it.block < 0 {
		it.block = p.b.Open(llm.Block{Type: llm.BlockThinking})
	}
	p.reasoningPart(it, field, part.Int())
	p.b.DeltaJSON(it.block, v.Get("delta"))
}

// reasoningPart puts a blank line between the parts of a reasoning item.
func (p *parser) reasoningPart(it *item, field string, index int64) {
	part := field + string(rune('0'+index%1000))
	if it.part != part && p.b.Grown(it.block) != "" {
		p.b.Delta(it.block, "\n\n")
	}
	it.part = part
}

// itemDone takes an item that is over. What of it has not come in pieces is taken now.
func (p *parser) itemDone(v jsontree.Value) {
	index, raw := v.Get("output_index").Int(), v.Get("item")
	kind := raw.Get("type").Str()
	it := p.items[index]
	if it == nil {
		it = p.newItem(index, kind, raw.Get("id").Str())
	}
	if it.kind != kind || it.done {
		p.damaged("an item ends that was not open")
		return
	}
	it.done = true
	p.whole(it, raw)
}

// whole completes an item from its final form and closes it.
func (p *parser) whole(it *item, raw jsontree.Value) {
	switch it.kind {
	case "message":
		p.wholeMessage(it, raw)
	case "function_call":
		if it.block < 0 {
			p.openCall(it, raw)
		}
		p.settle(it.block, raw.Get("arguments"))
		if raw.Get("status").Is("incomplete") {
			p.b.CloseCut(it.block)
		}
		p.b.Close(it.block)
	case "reasoning":
		p.wholeReasoning(it, raw)
	default:
		p.b.Opaque(it.kind, raw.Raw())
	}
}

func (p *parser) wholeMessage(it *item, raw jsontree.Value) {
	if phase := raw.Get("phase").Str(); phase != "" {
		it.phase = phase
	}
	n := int64(0)
	for part := range raw.Get("content").Elements() {
		field, refusal := "text", part.Get("type").Is("refusal")
		if refusal {
			field = "refusal"
		}
		block := p.textBlock(it, n, refusal)
		p.settle(block, part.Get(field))
		p.b.Close(block)
		n++
	}
}

// wholeReasoning keeps the item itself where the endpoint wants it back: without its encrypted content or text it would
// only point to something that was not stored.
func (p *parser) wholeReasoning(it *item, raw jsontree.Value) {
	if it.block < 0 {
		it.block = p.b.Open(llm.Block{Type: llm.BlockThinking})
	}
	if p.b.Grown(it.block) == "" {
		for _, field := range []string{"summary", "content"} {
			n := int64(0)
			for part := range raw.Get(field).Elements() {
				p.reasoningPart(it, field, n)
				p.b.DeltaJSON(it.block, part.Get("text"))
				n++
			}
		}
	}
	if block := p.b.Block(it.block); block != nil {
		if raw.Get("encrypted_content").Exists() || raw.Get("content").Len() > 0 {
			block.Signature = string(raw.Raw())
		}
		block.Redacted = p.b.Grown(it.block) == ""
	}
	p.b.Close(it.block)
}
