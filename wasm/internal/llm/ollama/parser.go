package ollama

import (
	"embedded-agent/wasm/internal/jsontree"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/price"
)

// Parser makes the reader of the answer to r.
func (Dialect) Parser(e llm.Endpoint, _ llm.Request, b *llm.Builder) llm.Parser {
	return &parser{b: b, host: e.Host(), block: -1}
}

// parser follows one answer. block is the open block of text or thinking, -1 for none.
type parser struct {
	b     *llm.Builder
	host  string
	block int
	kind  llm.BlockType
}

var _ llm.LineParser = (*parser)(nil)

// Done takes [DONE], which this API does not send. It ends nothing.
func (p *parser) Done() {}

// EOF leaves it to the decoder to say that the answer was cut.
func (p *parser) EOF() {}

// Event takes an event of a stream of events, which is not how this API streams.
func (p *parser) Event(_ string, v jsontree.Value) { p.Line(v) }

// Whole takes an answer that came in one piece.
func (p *parser) Whole(v jsontree.Value) { p.Line(v) }

// Line takes a piece of the answer, or all of it.
func (p *parser) Line(v jsontree.Value) {
	message := v.Get("message")
	switch {
	case v.Get("error").Exists():
		p.b.Fail(llm.StreamError(p.host, v))
		return
	case !message.Exists() && !v.Get("done").Exists():
		p.b.Fail(llm.NewError("llm.error.shape", "host", p.host, "detail", "no message"))
		return
	}
	p.b.Start("", v.Get("model").Str())
	p.add(llm.BlockThinking, message.Get("thinking"))
	p.add(llm.BlockText, message.Get("content"))
	for c := range message.Get("tool_calls").Elements() {
		p.call(c)
	}
	if v.Get("done").Bool() {
		p.end(v)
	}
}

// add adds a piece to the open block of its kind, or to a new one.
func (p *parser) add(kind llm.BlockType, piece jsontree.Value) {
	if piece.Kind() != jsontree.String || piece.Is("") {
		return
	}
	if p.block < 0 || p.kind != kind {
		p.close()
		p.block, p.kind = p.b.Open(llm.Block{Type: kind}), kind
	}
	p.b.DeltaJSON(p.block, piece)
}

// close ends the open block. Thinking goes back as it came, without a signature of the endpoint's own.
func (p *parser) close() {
	if b := p.b.Block(p.block); b != nil && p.kind == llm.BlockThinking {
		b.Signature = Name
	}
	p.b.Close(p.block)
	p.block = -1
}

// call takes a call, which always comes whole.
func (p *parser) call(c jsontree.Value) {
	p.close()
	f := c.Get("function")
	i := p.b.Open(llm.Call(c.Get("id").Str(), llm.ToolName(f.Get("name").Str()), nil))
	if arguments := f.Get("arguments"); arguments.Exists() {
		p.b.Delta(i, string(arguments.Raw()))
	}
	p.b.Close(i)
}

func (p *parser) end(v jsontree.Value) {
	p.close()
	if n := v.Get("eval_count"); n.Exists() {
		p.b.Usage(price.Usage{Input: v.Get("prompt_eval_count").Int(), Output: n.Int()})
	}
	reason := v.Get("done_reason").Str()
	switch reason {
	case "length":
		p.b.Done(llm.StopLength, reason)
	case "load", "unload":
		p.b.Fail(llm.NewError("llm.error.empty", "host", p.host))
	default:
		p.b.Done(llm.StopStop, reason)
	}
}
