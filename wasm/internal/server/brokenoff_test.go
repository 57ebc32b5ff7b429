package server

import (
	"testing"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/protocol"
)

// unfinished are answers that end before they are over, by how they do; text is what was
// shown until then.
var unfinished = map[string]struct {
	provider protocol.Provider
	body     string
	text     string
	key      string
}{
	"responses, the connection ends": {"openai", `data: {"type":"response.created","response":{"id":"r"}}

data: {"type":"response.output_item.added","output_index":0,"item":{"id":"m","type":"message","role":"assistant","content":[]}}

data: {"type":"response.output_text.delta","item_id":"m","output_index":0,"content_index":0,"delta":"It rained"}

`, "It rained", "llm.error.cut"},
	"responses, a piece is lost": {"openai", `data: {"type":"response.created","response":{"id":"r"}}

data: {"type":"response.output_text.delta","item_id":"m","output_index":0,"content_index":0,"delta":"It rained"}

data: {"type":"response.output_text.delta","item_id":"m","output_index":0,"content_index":0,"delta":"day."}

data: {"type":"response.output_text.done","item_id":"m","output_index":0,"content_index":0,"text":"It rained all day."}

data: {"type":"response.completed","response":{"id":"r","status":"completed","output":[]}}

`, "It rainedday.", "llm.error.order"},
	"chat, the connection ends": {"custom", `data: {"id":"x","choices":[{"index":0,"delta":{"content":"It rained"}}]}

`, "It rained", "llm.error.cut"},
	"messages, the connection ends": {"anthropic", `data: {"type":"message_start","message":{"id":"m","usage":{"input_tokens":3}}}

data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"It rained"}}

`, "It rained", "llm.error.cut"},
}

func TestAnAnswerThatBreaksOffIsKeptAndMarked(t *testing.T) {
	for name, c := range unfinished {
		for _, mode := range []protocol.Mode{protocol.ModePlan, protocol.ModeAgent} {
			t.Run(name+", "+string(mode), func(t *testing.T) {
				set := protocol.Settings{Provider: c.provider, BaseURL: "https://model.example/v1", Model: "m", Streaming: true}
				mem := hosttest.New(hosttest.Options{})
				ui, _ := endpoint(t, mem, set, llmtest.Answer{Header: sseHead, Body: []byte(c.body)})
				call[protocol.Accepted](ui, "send", protocol.Send{Text: "How was it?", Mode: mode, Conversation: "c"})
				turn := ui.turnEnd()
				if turn.Reply != c.text || turn.Problem == nil || turn.Problem.Key != c.key {
					t.Errorf("want Reply as in the case, Problem set and Problem.Key as in the case, got %q, %+v", turn.Reply, turn.Problem)
				}
				kept := call[protocol.ConversationDetail](ui, "conversation.get", protocol.ConversationRef{ID: "c"})
				if n := len(kept.Turns); n != 1 || kept.Turns[0].Reply != c.text || kept.Turns[0].Problem == nil {
					t.Errorf("kept %+v", kept.Turns)
				}
			})
		}
	}
}
