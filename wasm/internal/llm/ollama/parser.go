package ollama

import (
	"embedded-agent/wasm/internal/jsontree"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/price"
)

// Parser makes the reader of the answer to r.
func (Dialect) Parser(e llm.Endpoint, _ llm.Request, b *llm.Builder) llm.Parser {
	pieces := llm.NewPieces(b)
	pieces.Sign = Name // thinking goes back as it came, without a signature of the endpoint's own
	return &parser{b: b, host: e.Host(), pieces: pieces}
}

// parser follows one answer.
type parser struct {
	b      *llm.Builder
	host   string
	pieces llm.Pieces
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
	p.pieces.Add(llm.BlockThinking, message.Get("thinking"))
	p.pieces.Add(llm.BlockText, message.Get("content"))
	for c := range message.Get("tool_calls").Elements() {
		f := c.Get("function") // a call always comes whole
		p.pieces.Call(c.Get("id").Str(), f.Get("name").Str(), f.Get("arguments"), "")
	}
	if v.Get("done").Bool() {
		p.end(v)
	}
}

func (p *parser) end(v jsontree.Value) {
	p.pieces.Close()
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
