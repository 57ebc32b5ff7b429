package server

import (
	"runtime"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/protocol"
)

// streams are answers as each dialect streams them, the text in the pieces given.
var streams = map[string]struct {
	set    protocol.Settings
	before string
	piece  func(text string) string
	after  func(text string) string
}{
	"chat": {
		set: custom,
		piece: func(text string) string {
			return `data: {"id":"x","choices":[{"index":0,"delta":{"content":` + quote(text) + `}}]}` + "\n\n"
		},
		after: func(string) string {
			return `data: {"id":"x","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":5}}` + "\n\ndata: [DONE]\n\n"
		},
	},
	"anthropic": {
		set: protocol.Settings{Provider: "anthropic", KeyName: "k", Streaming: true},
		before: event("message_start", `"message":{"id":"msg_1","type":"message","role":"assistant","model":"claude","content":[],"usage":{"input_tokens":10,"output_tokens":1}}`) +
			event("content_block_start", `"index":0,"content_block":{"type":"text","text":""}`),
		piece: func(text string) string {
			return event("content_block_delta", `"index":0,"delta":{"type":"text_delta","text":`+quote(text)+`}`)
		},
		after: func(string) string {
			return event("content_block_stop", `"index":0`) + event("message_delta", `"delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":5}`) + event("message_stop", "")
		},
	},
	"openai": {
		set: protocol.Settings{Provider: "openai", KeyName: "k", Streaming: true},
		before: event("response.created", `"response":{"id":"resp_1","object":"response","status":"in_progress","model":"gpt-5.1","output":[]}`) +
			event("response.output_item.added", `"output_index":0,"item":{"type":"message","id":"m_1","role":"assistant","status":"in_progress","content":[]}`) +
			event("response.content_part.added", `"item_id":"m_1","output_index":0,"content_index":0,"part":{"type":"output_text","text":"","annotations":[]}`),
		piece: func(text string) string {
			return event("response.output_text.delta", `"item_id":"m_1","output_index":0,"content_index":0,"delta":`+quote(text))
		},
		after: func(text string) string {
			part := `{"type":"output_text","text":` + quote(text) + `,"annotations":[]}`
			item := `{"type":"message","id":"m_1","role":"assistant","status":"completed","content":[` + part + `]}`
			return event("response.output_text.done", `"item_id":"m_1","output_index":0,"content_index":0,"text":`+quote(text)) +
				event("response.output_item.done", `"output_index":0,"item":`+item) +
				event("response.completed", `"response":`+responsesSays(item, ""))
		},
	},
}

// event is one event of a stream, whose data names its type too.
func event(kind, data string) string {
	if data != "" {
		data = "," + data
	}
	return "event: " + kind + "\ndata: {\"type\":" + quote(kind) + data + "}\n\n"
}

// streamCost gives what an answer in pieces allocates from the wire to the events
// of the core.
func streamCost(t *testing.T, dialect string, mode protocol.Mode, length, piece int) uint64 {
	t.Helper()
	d := streams[dialect]
	text := strings.Repeat("words ", length/6)
	var body strings.Builder
	body.WriteString(d.before)
	for at := 0; at < len(text); at += piece {
		body.WriteString(d.piece(text[at:min(at+piece, len(text))]))
	}
	body.WriteString(d.after(text))
	ui, _ := endpoint(t, hosttest.New(hosttest.Options{}), d.set, llmtest.Answer{Header: sseHead, Body: []byte(body.String()), Chunk: 16 << 10})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	call[protocol.Accepted](ui, "send", protocol.Send{Text: "go on", Mode: mode, Conversation: "talk"})
	end := ui.turnEnd()
	runtime.ReadMemStats(&after)
	if strings.TrimSpace(end.Reply) != strings.TrimSpace(text) {
		t.Fatalf("%s, %s: %d bytes of %d were read: %+v", dialect, mode, len(end.Reply), len(text), end.Problem)
	}
	return after.TotalAlloc - before.TotalAlloc
}

// A piece costs what reading its event costs, and not what has come before it. By
// the square, half of the answer would be copied for each of its bytes: thousands
// of times as much.
func TestAnAnswerInPiecesOfOneByteCostsWhatItsEventsCost(t *testing.T) {
	length := 256 << 10
	switch {
	case slow:
		length = 64 << 10
	case exhaustive():
		length = 512 << 10
	}
	for dialect := range streams {
		for _, mode := range []protocol.Mode{protocol.ModePlan, protocol.ModeAgent} {
			streamCost(t, dialect, mode, 6<<10, 1000) // what is made once is made here
			large, small := streamCost(t, dialect, mode, length, 1000), streamCost(t, dialect, mode, length, 1)
			if small > 12*large {
				t.Errorf("%s, %s: %d bytes in large pieces, %d in small ones (%d times)", dialect, mode, large, small, small/large)
			}
		}
	}
}
