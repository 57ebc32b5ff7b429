package agent

import (
	"encoding/hex"
	"encoding/json"

	"embedded-agent/wasm/internal/digest"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/shorten"
)

// reading keeps findings about the requests of one loop. Each
// request is the one before with messages added, so only those are looked at:
// the tools alone are tens of kilobytes.
type reading struct {
	begun  bool
	hashed int // messages in sum
	sum    [digest.Size]byte
	asked  int // messages in tokens
	tokens int
}

// digest names what a model is asked: everything that it sees, nothing that a
// clock or a provider adds.
func (r *reading) digest(q llm.Request) string {
	if !r.begun {
		r.begun = true
		head := q
		head.Messages = nil
		r.add(head)
	}
	for ; r.hashed < len(q.Messages); r.hashed++ {
		m := q.Messages[r.hashed]
		r.add(llm.Message{
			Role: m.Role, Content: m.Content, ToolCallID: m.ToolCallID, ToolName: m.ToolName, IsError: m.IsError,
		})
	}
	return hex.EncodeToString(r.sum[:])
}

// add chains a value to the sum, in a form that no way of writing the same JSON
// changes: arguments and schemas are kept as the bytes that they came in.
func (r *reading) add(v any) {
	text := shorten.JSON(v)
	var plain any
	if json.Unmarshal([]byte(text), &plain) == nil {
		text = shorten.JSON(plain)
	}
	r.sum = digest.Sum256(append(r.sum[:], text...))
}

// estimate guesses the request's tokens (llm.EstimateRequest).
func (r *reading) estimate(q llm.Request) int {
	if r.asked == 0 {
		head := q
		head.Messages = nil
		r.tokens = llm.EstimateRequest(head)
	}
	fresh := llm.Request{Messages: q.Messages[r.asked:]}
	r.tokens += llm.EstimateRequest(fresh) - llm.EstimateRequest(llm.Request{})
	r.asked = len(q.Messages)
	return r.tokens
}
