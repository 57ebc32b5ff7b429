package gemini

import (
	"embedded-agent/wasm/internal/jsontree"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/price"
)

// Parser makes the reader of the answer to r.
func (Dialect) Parser(e llm.Endpoint, _ llm.Request, b *llm.Builder) llm.Parser {
	return &parser{b: b, host: e.Host(), pieces: llm.NewPieces(b)}
}

// parser follows one answer.
type parser struct {
	b      *llm.Builder
	host   string
	pieces llm.Pieces
	finish string
	detail string
}

// Done takes [DONE], which this API does not send. It ends nothing.
func (p *parser) Done() {}

// EOF takes the end of the bytes: good when the reason to end has come.
func (p *parser) EOF() {
	if p.finish != "" {
		p.end()
	}
}

// Whole takes an answer that came in one piece.
func (p *parser) Whole(v jsontree.Value) {
	p.Event("", v)
	p.EOF()
}

// Event takes one piece of the answer.
func (p *parser) Event(_ string, v jsontree.Value) {
	if v.Kind() == jsontree.Array { // an error, on some ways
		v = v.Index(0)
	}
	if v.Get("error").Exists() {
		p.b.Fail(llm.StreamError(p.host, v))
		return
	}
	first, blocked := v.Get("candidates").Index(0), v.Get("promptFeedback").Get("blockReason")
	if !first.Exists() && !blocked.Exists() && !v.Get("usageMetadata").Exists() {
		p.b.Fail(llm.NewError("llm.error.shape", "host", p.host, "detail", "no candidates"))
		return
	}
	p.b.Start(v.Get("responseId").Str(), v.Get("modelVersion").Str())
	p.usage(v.Get("usageMetadata"))
	parts := first.Get("content").Get("parts")
	if p.finish != "" && parts.Len() > 0 {
		p.b.Fail(llm.NewError("llm.error.order", "host", p.host, "detail", "a part after the end"))
		return
	}
	for part := range parts.Elements() {
		p.part(part)
	}
	switch reason := first.Get("finishReason").Str(); {
	case reason != "":
		p.finish, p.detail = reason, first.Get("finishMessage").Str()
	case blocked.Exists():
		p.finish, p.detail = "SAFETY", blocked.Str()
	}
}

func (p *parser) part(part jsontree.Value) {
	signature := part.Get("thoughtSignature").Str()
	if call := part.Get("functionCall"); call.Exists() {
		p.pieces.Call(call.Get("id").Str(), call.Get("name").Str(), call.Get("args"), signature)
		return
	}
	kind := llm.BlockText
	if part.Get("thought").Bool() {
		kind = llm.BlockThinking
	}
	p.pieces.Add(kind, part.Get("text"))
	if b := p.pieces.Block(kind); b != nil && signature != "" {
		b.Signature = signature
	}
}

func (p *parser) usage(u jsontree.Value) {
	if !u.Exists() {
		return
	}
	thoughts := u.Get("thoughtsTokenCount").Int()
	p.b.Usage(price.Usage{
		Input:  u.Get("promptTokenCount").Int() + u.Get("toolUsePromptTokenCount").Int(),
		Output: u.Get("candidatesTokenCount").Int() + thoughts, CacheRead: u.Get("cachedContentTokenCount").Int(), Reasoning: thoughts,
	})
}

func (p *parser) end() {
	p.pieces.Close()
	if p.detail == "" {
		p.detail = p.finish
	}
	switch p.finish {
	case "MAX_TOKENS":
		p.b.Done(llm.StopLength, p.detail)
	case "SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY":
		p.b.Done(llm.StopRefusal, p.detail)
	case "MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "MISSING_THOUGHT_SIGNATURE", "TOO_MANY_TOOL_CALLS":
		p.b.Fail(llm.NewError("llm.error.provider", "host", p.host, "detail", p.detail))
	default:
		p.b.Done(llm.StopStop, p.detail)
	}
}
