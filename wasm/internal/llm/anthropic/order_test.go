package anthropic_test

import (
	"os"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/anthropic"
	"embedded-agent/wasm/internal/llm/llmtest"
)

func decodeText(t *testing.T, raw string) llm.Message {
	t.Helper()
	events := llmtest.Decode(anthropic.Dialect{}, llm.Endpoint{BaseURL: "https://model.example/v1"}, llm.Request{Model: "m"}, []byte(raw), 100)
	llmtest.CheckStream(t, events)
	return *events[len(events)-1].Message
}

func TestDamagedStreamsEndInOneClearError(t *testing.T) {
	raw, err := os.ReadFile("testdata/answers/tools.sse")
	if err != nil {
		t.Fatal(err)
	}
	good := string(raw)
	if m := decodeText(t, good); m.Error != nil {
		t.Fatal("want no Error, got:", m.Error)
	}
	events := strings.SplitAfter(good, "\n\n")
	find := func(part string) int {
		t.Helper()
		for i, e := range events {
			if strings.Contains(e, part) {
				return i
			}
		}
		t.Fatalf("no event has %s", part)
		return 0
	}
	without := func(part string) string { return strings.Replace(good, events[find(part)], "", 1) }
	twice := func(part string) string {
		return strings.Replace(good, events[find(part)], strings.Repeat(events[find(part)], 2), 1)
	}
	replace := func(old, with string) string {
		t.Helper()
		if !strings.Contains(good, old) {
			t.Fatalf("the recording has no %s", old)
		}
		return strings.Replace(good, old, with, 1)
	}
	const text = `"delta":{"type":"text_delta","text":"I make "}`
	cases := []struct{ name, stream, key string }{
		{"no message_start", without("message_start"), "llm.error.order"},
		{"two messages", twice(`"type":"message_start"`), "llm.error.order"},
		{"a block that never began", without(`"type":"content_block_start","index":1`), "llm.error.order"},
		{"a block that begins twice", twice(`"type":"content_block_start","index":1`), "llm.error.order"},
		{"a block that ends twice", twice(`"type":"content_block_stop","index":1`), "llm.error.order"},
		{"a piece after the end of its block", replace(`"type":"ping"`, `"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"late"}`), "llm.error.order"},
		{"a piece of another kind", replace(text, `"delta":{"type":"thinking_delta","thinking":"x"}`), "llm.error.order"},
		{"arguments for a text", replace(text, `"delta":{"type":"input_json_delta","partial_json":"x"}`), "llm.error.order"},
		{"an end without a reason", without("message_delta"), "llm.error.order"},
		{"no end", without("message_stop"), "llm.error.cut"},
		{"a block after the reason", replace(`"type":"message_stop"`, `"type":"content_block_start","index":9,"content_block":{"type":"text","text":""}`), "llm.error.order"},
		{"an event without a type", "data: {\"index\":0}\n\n" + good, "llm.error.shape"},
		{"a bare error", "data: {\"error\":{\"type\":\"rate_limit_error\",\"message\":\"x\"}}\n\n", "llm.error.rateLimit"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if m := decodeText(t, c.stream); m.Error == nil || m.Error.Key != c.key {
				t.Errorf("want Error set and Error.Key as in the case, got %+v", m.Error)
			}
		})
	}
}

func TestUnknownEventsAndBlocksAreTaken(t *testing.T) {
	m := decodeText(t, `data: {"type":"message_start","message":{"id":"1"}}

data: {"type":"new_event","x":1}

data: {"type":"content_block_start","index":0,"content_block":{"type":"new_block","a":1}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"new_delta","b":{"c":2}}}

data: {"type":"content_block_stop","index":0}

data: {"type":"message_delta","delta":{"stop_reason":"new_reason"}}

data: {"type":"message_stop"}

`)
	if m.Error != nil || len(m.Content) != 1 || m.Content[0].Kind != "new_block" || string(m.Content[0].Raw) != `{"type":"new_block","a":1,"b":{"c":2}}` {
		t.Errorf("want no Error, 1 Content, Content[0].Kind \"new_block\" and Content[0].Raw \"{\\\"type\\\":\\\"new_block\\\",\\\"a\\\":1,\\\"b\\\":{\\\"c\\\":2}}\", got %+v", m)
	}
	if m.StopReason != llm.StopStop || m.StopDetail != "new_reason" {
		t.Errorf("want StopReason llm.StopStop and StopDetail \"new_reason\", got %s %s", m.StopReason, m.StopDetail)
	}
}

func TestStopReasonsKeepTheirMeaning(t *testing.T) {
	for reason, want := range map[string]llm.StopReason{
		"end_turn": llm.StopStop, "stop_sequence": llm.StopStop, "max_tokens": llm.StopLength, "tool_use": llm.StopStop,
		"pause_turn": llm.StopPause, "refusal": llm.StopRefusal, "model_context_window_exceeded": llm.StopContextWindow,
	} {
		m := decodeText(t, `{"type":"message","id":"1","content":[{"type":"text","text":"x"}],"stop_reason":"`+reason+`"}`)
		if m.StopReason != want || m.StopDetail != reason {
			t.Errorf("%s becomes %s", reason, m.StopReason)
		}
	}
}

func TestWholeAnswersThatAreNoneAreErrors(t *testing.T) {
	for body, key := range map[string]string{
		`{"type":"error","error":{"type":"authentication_error","message":"x"}}`: "llm.error.auth",
		`{"type":"message","content":"text"}`:                                    "llm.error.shape",
		`{"type":"message","content":[]}`:                                        "llm.error.order",
		`{}`:                                                                     "llm.error.shape",
	} {
		if m := decodeText(t, body); m.Error == nil || m.Error.Key != key {
			t.Errorf("%s: want Error set and Error.Key equal to key, got %+v", body, m.Error)
		}
	}
}

func TestWhoDecidesHowLongToThink(t *testing.T) {
	for model, adaptive := range map[string]bool{
		"claude-3-7-sonnet-20250219": false, "claude-3-5-haiku-latest": false, "claude-sonnet-4-20250514": false,
		"claude-opus-4-1": false, "claude-sonnet-4-5-20250929": false, "claude-haiku-4.5": false, "claude-opus-4-6": true,
		"claude-opus-4-8": true, "claude-sonnet-5": true, "claude-sonnet-5-20270101": true, "anthropic/claude-opus-4.7": true,
		"claude-new": true,
	} {
		r := llm.Request{Model: model, Reasoning: llm.EffortHigh, Messages: []llm.Message{llm.UserMessage("x")}}
		h, err := anthropic.Dialect{}.Build(llm.Endpoint{}, r)
		if err != nil || strings.Contains(string(h.Body), `"adaptive"`) != adaptive || strings.Contains(string(h.Body), "budget_tokens") == adaptive {
			t.Errorf("%s: want no error, equal to adaptive and other than adaptive, got %s %v", model, h.Body, err)
		}
	}
}
