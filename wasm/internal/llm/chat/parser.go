package chat

import (
	"embedded-agent/wasm/internal/jsontree"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/price"
)

// Parser makes the reader of the answer to r.
func (Dialect) Parser(e llm.Endpoint, r llm.Request, b *llm.Builder) llm.Parser {
	q := QuirksOf(e)
	schemas := make(map[string][]byte)
	for _, t := range r.Tools {
		if _, ok := strict(q, t); ok {
			schemas[t.Name] = t.Schema()
		}
	}
	b.StripNulls(schemas)
	return &parser{b: b, host: e.Host(), text: -1, thinking: -1, refusal: -1}
}

// parser follows one answer. text, thinking and refusal are the open blocks, -1 when there is none. Calls stay open
// until the end, because endpoints mix the pieces of several.
type parser struct {
	b        *llm.Builder
	host     string
	text     int
	thinking int
	refusal  int
	calls    []*callState
	details  details
	field    string
	finish   string
	tag      thinkTag
	joiner   jsontree.Joiner
	seen     bool
	named    bool
	whole    bool // the answer came in one piece
}

type callState struct {
	index int64
	id    string
	block int
}

func (p *parser) damaged(detail string) {
	p.b.Fail(llm.NewError("llm.error.order", "host", p.host, "detail", detail))
}

// Event takes one chunk.
func (p *parser) Event(_ string, v jsontree.Value) {
	if p.failed(v) {
		return
	}
	if v.Kind() != jsontree.Object {
		p.b.Fail(llm.NewError("llm.error.shape", "host", p.host, "detail", "a chunk is not an object"))
		return
	}
	if !p.named {
		// The first chunks of some endpoints have no id.
		id := v.Get("id").Str()
		p.b.Start(id, v.Get("model").Str())
		p.named = id != ""
	}
	for choice := range v.Get("choices").Elements() {
		if choice.Get("index").Int() != 0 || p.failed(choice) {
			continue
		}
		p.delta(p.part(choice))
		if reason := choice.Get("finish_reason").Str(); reason != "" {
			p.finish = reason
		}
		p.seen = true
	}
	p.usage(v)
}

// part is the part of a choice with what the model said. A choice may have both: in a stream message is all so far, and in
// an answer of one piece delta is empty.
func (p *parser) part(choice jsontree.Value) jsontree.Value {
	delta, message := choice.Get("delta"), choice.Get("message")
	if !delta.Exists() || p.whole && message.Exists() {
		return message
	}
	return delta
}

// failed ends the answer when a chunk or choice is an error.
func (p *parser) failed(v jsontree.Value) bool {
	if !v.Get("error").Exists() {
		return false
	}
	p.b.Start(v.Get("id").Str(), v.Get("model").Str())
	p.usage(v)
	p.b.Fail(llm.StreamError(p.host, v))
	return true
}

// Done takes [DONE]. An endpoint that never names a finish reason is done all the same.
func (p *parser) Done() {
	if !p.seen {
		p.b.Fail(llm.NewError("llm.error.empty", "host", p.host))
		return
	}
	p.end()
}

// EOF takes the end of the bytes: good when the finish reason has come, since not every endpoint sends [DONE].
func (p *parser) EOF() {
	if p.finish != "" {
		p.end()
	}
}

// Whole takes a completion that came in one piece.
func (p *parser) Whole(v jsontree.Value) {
	if p.failed(v) {
		return
	}
	if v.Get("choices").Len() == 0 {
		key, detail := "llm.error.shape", "no choices"
		if words, _ := llm.ErrorValue(v); words != "" {
			key, detail = "llm.error.provider", words
		}
		p.b.Fail(llm.NewError(key, "host", p.host, "detail", detail))
		return
	}
	p.whole = true
	p.Event("", v)
	p.end()
}

func (p *parser) delta(d jsontree.Value) {
	if p.finish != "" && carries(d) {
		p.damaged("text after the end")
		return
	}
	p.reasoning(d)
	p.content(d.Get("content"))
	if r := d.Get("refusal"); r.Kind() == jsontree.String && !r.Is("") {
		if p.refusal < 0 {
			p.refusal = p.b.Open(llm.Block{Type: llm.BlockText, Refusal: true})
		}
		p.b.DeltaJSON(p.refusal, r)
	}
	for c := range d.Get("tool_calls").Elements() {
		p.call(c)
	}
	if f := d.Get("function_call"); f.Exists() {
		p.callDelta(p.find(0, "", f), 0, "", f)
	}
}

// carries reports whether a delta brings something that belongs before the end.
func carries(d jsontree.Value) bool {
	content := d.Get("content")
	return d.Get("tool_calls").Len() > 0 || content.Kind() == jsontree.String && !content.Is("") || content.Len() > 0
}

func (p *parser) content(c jsontree.Value) {
	if c.Kind() == jsontree.String {
		p.addText(c)
		return
	}
	for piece := range c.Elements() {
		switch {
		case piece.Get("type").Is("thinking"):
			for t := range piece.Get("thinking").Elements() {
				p.addThinking("content", t.Get("text"))
			}
		case piece.Kind() == jsontree.String:
			p.addText(piece)
		default:
			p.addText(piece.Get("text"))
		}
	}
}

func (p *parser) addText(piece jsontree.Value) {
	if piece.Kind() != jsontree.String || piece.Is("") {
		return
	}
	if p.field != "" {
		// Where reasoning has a field of its own, marks in the text are text.
		p.tag.state = thinkPlain
	}
	p.said(p.tag.feed(p.joiner.Next(piece)))
}

// said adds reasoning and the text after it.
func (p *parser) said(reasoning, text string) {
	if reasoning != "" {
		if p.thinking < 0 {
			p.thinking = p.b.Open(llm.Block{Type: llm.BlockThinking})
		}
		p.b.Delta(p.thinking, reasoning)
	}
	if text == "" {
		return
	}
	if p.text < 0 {
		p.endThinking()
		p.text = p.b.Open(llm.Block{Type: llm.BlockText})
	}
	p.b.Delta(p.text, text)
}

func (p *parser) endText() {
	p.b.Close(p.text)
	p.text = -1
}

// call takes a piece of a tool call.
func (p *parser) call(c jsontree.Value) {
	f := c.Get("function")
	index := int64(-1)
	if n := c.Get("index"); n.Kind() == jsontree.Number {
		index = n.Int()
	}
	id := c.Get("id").Str()
	call := p.callDelta(p.find(index, id, f), index, id, f)
	if extra := c.Get("extra_content"); call != nil && extra.Kind() == jsontree.Object {
		if block := p.b.Block(call.block); block != nil {
			block.Signature = string(extra.Raw())
		}
	}
}

// find tells which call a piece belongs to; nil for a new one. Endpoints leave the index out, give all calls the same
// one, or change the id from piece to piece; the text so far decides what cannot be told otherwise.
func (p *parser) find(index int64, id string, f jsontree.Value) *callState {
	if len(p.calls) == 0 {
		return nil
	}
	named := f.Get("name").Str() != ""
	if index < 0 {
		last := p.calls[len(p.calls)-1]
		if named && (id != last.id || id == "") {
			return nil
		}
		return last
	}
	for i := len(p.calls) - 1; i >= 0; i-- {
		c := p.calls[i]
		if c.index != index {
			continue
		}
		if named && id != c.id && p.isWhole(c) {
			return nil
		}
		return c
	}
	return nil
}

func (p *parser) isWhole(c *callState) bool {
	v, err := jsontree.Parse([]byte(p.b.Grown(c.block)))
	return err == nil && v.Kind() == jsontree.Object
}

func (p *parser) callDelta(c *callState, index int64, id string, f jsontree.Value) *callState {
	name := llm.ToolName(f.Get("name").Str())
	if c == nil {
		if id == "" && name == "" {
			if arguments := f.Get("arguments"); !arguments.Exists() || arguments.Is("") {
				return nil // a call of nothing: some endpoints always send the field
			}
			p.damaged("arguments of an unknown call")
			return nil
		}
		p.said(p.tag.end())
		p.endText()
		p.endThinking()
		c = &callState{index: index, id: id}
		c.block = p.b.Open(llm.Call(id, name, nil))
		p.calls = append(p.calls, c)
	} else if block := p.b.Block(c.block); block != nil && block.Name == "" && name != "" {
		named := *block.ToolCall
		named.Name = name
		block.ToolCall = &named
	}
	arguments := f.Get("arguments")
	if arguments.Kind() == jsontree.Object {
		p.b.Delta(c.block, string(arguments.Raw()))
		return c
	}
	p.b.DeltaJSON(c.block, arguments)
	return c
}

func (p *parser) end() {
	p.said(p.tag.feed(p.joiner.End()))
	p.said(p.tag.end())
	p.endReasoning()
	switch p.finish {
	case "", "stop", "eos", "end_turn":
		p.b.Done(p.stop(), p.finish)
	case "tool_calls", "function_call":
		p.b.Done(llm.StopToolUse, p.finish)
	case "length", "max_tokens":
		p.b.Done(llm.StopLength, p.finish)
	case "model_length", "model_context_window_exceeded":
		p.b.Done(llm.StopContextWindow, p.finish)
	case "content_filter", "refusal", "sensitive":
		p.b.Done(llm.StopRefusal, p.finish)
	case "error", "network_error", "insufficient_system_resource":
		p.b.Fail(llm.NewError("llm.error.overloaded", "host", p.host, "detail", p.finish))
	case "abort", "cancelled":
		p.b.Fail(llm.NewError("llm.error.aborted", "host", p.host))
	default:
		p.b.Done(p.stop(), p.finish)
	}
}

func (p *parser) stop() llm.StopReason {
	if p.refusal >= 0 {
		return llm.StopRefusal
	}
	return llm.StopStop
}

// usage takes the counts of a chunk. Where the total shows that reasoning was not counted with the output, it is added.
func (p *parser) usage(v jsontree.Value) {
	u := v.Get("usage")
	if !u.Exists() {
		u = v.Get("x_groq").Get("usage")
	}
	if u.Kind() != jsontree.Object {
		return
	}
	n := price.Usage{
		Input:      u.Get("prompt_tokens").Int(),
		Output:     u.Get("completion_tokens").Int(),
		CacheRead:  u.Get("prompt_tokens_details").Get("cached_tokens").Int(),
		CacheWrite: u.Get("prompt_tokens_details").Get("cache_write_tokens").Int(),
		Reasoning:  u.Get("completion_tokens_details").Get("reasoning_tokens").Int(),
	}
	if n.CacheRead == 0 {
		n.CacheRead = u.Get("prompt_cache_hit_tokens").Int()
	}
	if n.Reasoning > 0 && u.Get("total_tokens").Int() == n.Input+n.Output+n.Reasoning {
		n.Output += n.Reasoning
	}
	p.b.Usage(n)
}
