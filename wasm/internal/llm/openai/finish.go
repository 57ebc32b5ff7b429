package openai

import (
	"embedded-agent/wasm/internal/jsontree"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/price"
)

// Whole takes a response object that came in one piece.
func (p *parser) Whole(v jsontree.Value) {
	if !v.Get("output").Exists() && !v.Get("status").Exists() {
		if detail, _ := llm.ErrorValue(v); detail != "" {
			p.b.Fail(llm.StreamError(p.host, v))
			return
		}
		p.b.Fail(llm.NewError("llm.error.shape", "host", p.host, "detail", "no output"))
		return
	}
	p.finish(v)
}

// finish takes the final response object. Its output fills in what was not streamed. An empty output says nothing: some
// endpoints send it after a good stream.
func (p *parser) finish(r jsontree.Value) {
	p.b.Start(r.Get("id").Str(), r.Get("model").Str())
	index := int64(0)
	for raw := range r.Get("output").Elements() {
		p.complete(index, raw)
		index++
	}
	p.usage(r.Get("usage"))
	p.end(r)
}

// complete takes an item of the final output that did not end by itself.
func (p *parser) complete(index int64, raw jsontree.Value) {
	kind := raw.Get("type").Str()
	it := p.items[index]
	if it == nil {
		it = p.newItem(index, kind, raw.Get("id").Str())
	}
	if it.kind != kind {
		p.damaged("the final output differs from what was streamed")
		return
	}
	if !it.done {
		it.done = true
		p.whole(it, raw)
	}
}

func (p *parser) end(r jsontree.Value) {
	status := r.Get("status").Str()
	switch {
	case status == "failed" || (status == "" && r.Get("error").Exists()):
		p.b.Fail(llm.StreamError(p.host, r))
	case status == "cancelled":
		p.b.Fail(llm.NewError("llm.error.aborted", "host", p.host))
	case status == "incomplete":
		reason := r.Get("incomplete_details").Get("reason").Str()
		if reason == "content_filter" {
			p.b.Done(llm.StopRefusal, reason)
			return
		}
		p.b.Done(llm.StopLength, reason)
	case status == "completed" || status == "":
		if p.refused {
			p.b.Done(llm.StopRefusal, "refusal")
			return
		}
		p.b.Done(llm.StopStop, status)
	default:
		p.b.Fail(llm.NewError("llm.error.shape", "host", p.host, "detail", "status "+status))
	}
}

func (p *parser) usage(u jsontree.Value) {
	if u.Kind() != jsontree.Object {
		return
	}
	p.b.Usage(price.Usage{
		Input:      u.Get("input_tokens").Int(),
		Output:     u.Get("output_tokens").Int(),
		CacheRead:  u.Get("input_tokens_details").Get("cached_tokens").Int(),
		CacheWrite: u.Get("input_tokens_details").Get("cache_write_tokens").Int(),
		Reasoning:  u.Get("output_tokens_details").Get("reasoning_tokens").Int(),
	})
}
