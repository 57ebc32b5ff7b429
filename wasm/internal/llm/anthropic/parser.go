package anthropic

import (
	"bytes"
	"strings"

	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/jsontree"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/price"
)

// Parser makes the reader of the answer to r.
func (Dialect) Parser(e llm.Endpoint, _ llm.Request, b *llm.Builder) llm.Parser {
	return &parser{b: b, host: e.Host(), blocks: make(map[int64]*block)}
}

// parser follows one message. Blocks are known by their index.
type parser struct {
	b       *llm.Builder
	host    string
	blocks  map[int64]*block
	started bool
	reason  string
	detail  string
	usage   usage
}

// block is a content block. at is its block in the message; an opaque block has none until it is over, and collects its
// own pieces.
type block struct {
	kind      string
	at        int
	raw       []byte
	input     strings.Builder
	joiner    jsontree.Joiner
	citations [][]byte
	closed    bool
}

// usage has the counts so far; the counts of later events replace earlier ones.
type usage struct {
	input, output, read, write, thinking int64
}

func (p *parser) damaged(detail string) {
	p.b.Fail(llm.NewError("llm.error.order", "host", p.host, "detail", detail))
}

// Done takes [DONE], which this API does not send. It ends nothing.
func (p *parser) Done() {}

// EOF leaves it to the decoder to say that the stream was cut.
func (p *parser) EOF() {}

// Event takes one event.
func (p *parser) Event(typ string, v jsontree.Value) {
	switch typ {
	case "content_block_delta":
		p.delta(v.Get("index").Int(), v.Get("delta"))
	case "content_block_start":
		p.open(v.Get("index").Int(), v.Get("content_block"))
	case "content_block_stop":
		p.close(v.Get("index").Int())
	case "message_start":
		p.start(v.Get("message"))
	case "message_delta":
		p.stop(v.Get("delta"))
		p.count(v.Get("usage"))
	case "message_stop":
		p.finish()
	case "error":
		p.b.Fail(llm.StreamError(p.host, v))
	case "ping":
	case "":
		if v.Get("error").Exists() {
			p.b.Fail(llm.StreamError(p.host, v))
			return
		}
		p.b.Fail(llm.NewError("llm.error.shape", "host", p.host, "detail", "an event has no type"))
	}
}

// Whole takes a message that came in one piece.
func (p *parser) Whole(v jsontree.Value) {
	if v.Get("type").Is("error") || v.Get("error").Exists() {
		p.b.Fail(llm.StreamError(p.host, v))
		return
	}
	if v.Get("content").Kind() != jsontree.Array {
		p.b.Fail(llm.NewError("llm.error.shape", "host", p.host, "detail", "no content"))
		return
	}
	p.start(v)
	index := int64(0)
	for content := range v.Get("content").Elements() {
		p.open(index, content)
		p.close(index)
		index++
	}
	p.stop(v)
	p.finish()
}

func (p *parser) start(m jsontree.Value) {
	if p.started {
		p.damaged("a second message begins")
		return
	}
	p.started = true
	p.b.Start(m.Get("id").Str(), m.Get("model").Str())
	p.count(m.Get("usage"))
}

func (p *parser) open(index int64, c jsontree.Value) {
	if !p.started || p.blocks[index] != nil || p.reason != "" {
		p.damaged("a block begins out of turn")
		return
	}
	blk := &block{kind: c.Get("type").Str(), at: -1}
	p.blocks[index] = blk
	switch blk.kind {
	case "text":
		blk.at = p.b.Open(llm.Block{Type: llm.BlockText})
		p.b.DeltaJSON(blk.at, c.Get("text"))
		for citation := range c.Get("citations").Elements() {
			blk.citations = append(blk.citations, bytes.Clone(citation.Raw()))
		}
	case "thinking":
		blk.at = p.b.Open(llm.Block{Type: llm.BlockThinking})
		p.b.DeltaJSON(blk.at, c.Get("thinking"))
		p.sign(blk, c.Get("signature"))
	case "redacted_thinking":
		blk.at = p.b.Open(llm.Block{Type: llm.BlockThinking, Redacted: true})
		p.sign(blk, c.Get("data"))
	case "tool_use":
		blk.at = p.b.Open(llm.Call(c.Get("id").Str(), llm.ToolName(c.Get("name").Str()), nil))
		if input := c.Get("input"); input.Len() > 0 {
			p.b.Delta(blk.at, string(input.Raw()))
		}
	default:
		blk.raw = bytes.Clone(c.Raw())
	}
}

func (p *parser) sign(blk *block, signature jsontree.Value) {
	if b := p.b.Block(blk.at); b != nil {
		b.Signature += signature.Str()
	}
}

// wanted is the kind of block that a kind of delta belongs to; "" for those that only opaque blocks have.
var wanted = map[string]string{
	"text_delta": "text", "citations_delta": "text", "thinking_delta": "thinking", "signature_delta": "thinking",
}

func (p *parser) delta(index int64, d jsontree.Value) {
	blk := p.blocks[index]
	if d.Get("type").Is("text_delta") && blk != nil && blk.kind == "text" && !blk.closed && p.reason == "" {
		// By far the most frequent.
		p.b.DeltaJSON(blk.at, d.Get("text"))
		return
	}
	kind := d.Get("type").Str()
	if blk == nil || blk.closed || p.reason != "" || (wanted[kind] != "" && wanted[kind] != blk.kind) {
		p.damaged("a piece belongs to no open block")
		return
	}
	switch kind {
	case "thinking_delta":
		p.b.DeltaJSON(blk.at, d.Get("thinking"))
	case "signature_delta":
		p.sign(blk, d.Get("signature"))
	case "citations_delta":
		blk.citations = append(blk.citations, bytes.Clone(d.Get("citation").Raw()))
	case "input_json_delta":
		p.input(blk, d.Get("partial_json"))
	default:
		// A delta of an opaque block brings fields of the block.
		if blk.at < 0 {
			blk.raw = withFields(blk.raw, d)
		}
	}
}

func (p *parser) input(blk *block, piece jsontree.Value) {
	switch {
	case blk.kind == "tool_use":
		p.b.DeltaJSON(blk.at, piece)
	case blk.at >= 0:
		p.damaged("a piece belongs to no open block")
	default:
		blk.input.WriteString(blk.joiner.Next(piece))
	}
}

func (p *parser) close(index int64) {
	blk := p.blocks[index]
	if blk == nil || blk.closed {
		p.damaged("a block ends that is not open")
		return
	}
	blk.closed = true
	if blk.at < 0 {
		p.b.Opaque(blk.kind, blk.whole())
		return
	}
	p.cite(blk)
	p.b.Close(blk.at)
}

// cite keeps the citations of a text, to be sent back with it.
func (p *parser) cite(blk *block) {
	if b := p.b.Block(blk.at); b != nil && len(blk.citations) > 0 {
		b.Signature = "[" + string(bytes.Join(blk.citations, []byte{','})) + "]"
	}
}

// whole is an opaque block with the input that came in pieces.
func (b *block) whole() []byte {
	input := b.input.String() + b.joiner.End()
	if input == "" || jsontree.Check([]byte(input)) != nil {
		return b.raw
	}
	pieces, err := jsontree.Parse([]byte(`{"input":` + input + `}`))
	if err != nil {
		return b.raw
	}
	return withFields(b.raw, pieces)
}

// withFields gives an object with the fields of another, except type.
func withFields(raw []byte, more jsontree.Value) []byte {
	old, err := jsontree.Parse(raw)
	if err != nil {
		return raw
	}
	out := []byte{'{'}
	add := func(name string, v jsontree.Value) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(canon.AppendString(out, name), ':'), v.Raw()...)
	}
	for name, v := range old.Members() {
		if newer := more.Get(name); newer.Kind() != jsontree.Missing && name != "type" {
			v = newer
		}
		add(name, v)
	}
	for name, v := range more.Members() {
		if old.Get(name).Kind() == jsontree.Missing && name != "type" {
			add(name, v)
		}
	}
	return append(out, '}')
}

func (p *parser) stop(d jsontree.Value) {
	if reason := d.Get("stop_reason").Str(); reason != "" {
		p.reason = reason
		p.detail = d.Get("stop_details").Get("explanation").Str()
		if p.detail == "" {
			p.detail = reason
		}
	}
}

// count takes a usage object. Input means all of the input, so what came from and went to the cache is added.
func (p *parser) count(u jsontree.Value) {
	if u.Kind() != jsontree.Object {
		return
	}
	set := func(to *int64, v jsontree.Value) {
		if v.Kind() == jsontree.Number {
			*to = v.Int()
		}
	}
	n := &p.usage
	set(&n.input, u.Get("input_tokens"))
	set(&n.output, u.Get("output_tokens"))
	set(&n.read, u.Get("cache_read_input_tokens"))
	set(&n.write, u.Get("cache_creation_input_tokens"))
	set(&n.thinking, u.Get("output_tokens_details").Get("thinking_tokens"))
	p.b.Usage(price.Usage{
		Input: n.input + n.read + n.write, Output: n.output, CacheRead: n.read, CacheWrite: n.write, Reasoning: n.thinking,
	})
}

func (p *parser) finish() {
	if !p.started || p.reason == "" {
		p.damaged("the end came without a reason")
		return
	}
	stops := map[string]llm.StopReason{
		"end_turn": llm.StopStop, "stop_sequence": llm.StopStop, "max_tokens": llm.StopLength,
		"tool_use": llm.StopToolUse, "pause_turn": llm.StopPause, "compaction": llm.StopPause,
		"refusal": llm.StopRefusal, "model_context_window_exceeded": llm.StopContextWindow,
	}
	stop, known := stops[p.reason]
	if !known {
		stop = llm.StopStop
	}
	p.b.Done(stop, p.detail)
}
