package chat_test

import (
	"strings"
	"testing"

	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/chat"
	"embedded-agent/wasm/internal/llm/llmtest"
)

func decodeText(t *testing.T, raw string) llm.Message {
	t.Helper()
	events := llmtest.Decode(chat.Dialect{}, llm.Endpoint{BaseURL: "https://model.example/v1"}, llm.Request{Model: "m"}, []byte(raw), 100)
	llmtest.CheckStream(t, events)
	return *events[len(events)-1].Message
}

// stream writes chunks of one choice each, ended by [DONE].
func stream(choices ...string) string {
	var out strings.Builder
	for _, c := range choices {
		out.WriteString(`data: {"choices":[` + c + "]}\n\n")
	}
	return out.String() + "data: [DONE]\n\n"
}

func TestDamagedStreamsEndInOneClearError(t *testing.T) {
	const text, end = `{"delta":{"content":"Hello"}}`, `{"delta":{},"finish_reason":"stop"}`
	cases := []struct{ name, stream, key string }{
		{"text after the end", stream(text, end, text), "llm.error.order"},
		{"arguments without a call", stream(`{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}}`), "llm.error.order"},
		{"a call after the end", stream(text, end, `{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"x"}}]}}`), "llm.error.order"},
		{"neither [DONE] nor a reason", strings.TrimSuffix(stream(text), "data: [DONE]\n\n"), "llm.error.cut"},
		{"nothing before [DONE]", "data: [DONE]\n\n", "llm.error.empty"},
		{"comments only", ": waiting\n\n: waiting\n\n", "llm.error.empty"},
		{"no choices at all", "data: {\"id\":\"1\",\"choices\":[]}\n\ndata: [DONE]\n\n", "llm.error.empty"},
		{"a chunk that is no object", "data: 7\n\n", "llm.error.shape"},
		{"an error in the choice", stream(text, `{"delta":{},"error":{"code":502,"message":"gone"}}`), "llm.error.overloaded"},
		{"a reason that is an error", stream(text, `{"delta":{},"finish_reason":"insufficient_system_resource"}`), "llm.error.overloaded"},
		{"stopped by the endpoint", stream(text, `{"delta":{},"finish_reason":"abort"}`), "llm.error.aborted"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m := decodeText(t, c.stream)
			if m.Error == nil || m.Error.Key != c.key {
				t.Errorf("want Error set and Error.Key as in the case, got %+v", m.Error)
			}
			if strings.Contains(c.stream, "Hello") && m.Text() != "Hello" {
				t.Errorf("what had arrived is lost: %+v", m)
			}
		})
	}
}

func TestFinishReasonsKeepTheirMeaning(t *testing.T) {
	for reason, want := range map[string]llm.StopReason{
		"stop": llm.StopStop, "eos": llm.StopStop, "length": llm.StopLength, "tool_calls": llm.StopStop,
		"content_filter": llm.StopRefusal, "model_length": llm.StopContextWindow, "something_new": llm.StopStop,
	} {
		m := decodeText(t, stream(`{"delta":{"content":"x"},"finish_reason":"`+reason+`"}`))
		if m.StopReason != want || m.StopDetail != reason {
			t.Errorf("%s becomes %s (%s)", reason, m.StopReason, m.StopDetail)
		}
	}
}

func TestOldFunctionCallsAreRead(t *testing.T) {
	m := decodeText(t, stream(`{"delta":{"function_call":{"name":"vault__list","arguments":"{\"a\""}}}`, `{"delta":{"function_call":{"arguments":":1}"}}}`, `{"delta":{},"finish_reason":"function_call"}`))
	if calls := m.Calls(); len(calls) != 1 || calls[0].Name != "vault.list" || string(calls[0].Arguments) != `{"a":1}` || m.StopReason != llm.StopToolUse {
		t.Errorf("want 1 calls, calls[0].Name \"vault.list\", calls[0].Arguments \"{\\\"a\\\":1}\" and StopReason llm.StopToolUse, got %+v", m)
	}
}

func TestANameThatComesLateIsTaken(t *testing.T) {
	m := decodeText(t, stream(`{"delta":{"tool_calls":[{"index":0,"id":"a"}]}}`, `{"delta":{"tool_calls":[{"index":0,"function":{"name":"vault__list"}}]}}`, `{"delta":{"tool_calls":[{"index":0,"function":{"name":"vault__list","arguments":"{}"}}]}}`))
	if calls := m.Calls(); len(calls) != 1 || calls[0].Name != "vault.list" || !calls[0].Executable() {
		t.Errorf("want 1 calls and calls[0].Name \"vault.list\", got %+v", m)
	}
}

func TestTextBeforeACallStaysBeforeIt(t *testing.T) {
	m := decodeText(t, stream(`{"delta":{"content":"<"}}`, `{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"vault__list","arguments":"{}"}}]}}`, `{"delta":{},"finish_reason":"stop"}`))
	if len(m.Content) != 2 || m.Content[0].Text != "<" || !m.Calls()[0].Executable() {
		t.Errorf("want 2 Content and Content[0].Text \"<\", got %+v", m)
	}
}

func TestOtherChoicesAreLeftOut(t *testing.T) {
	m := decodeText(t, stream(`{"index":0,"delta":{"content":"a"}},{"index":1,"delta":{"content":"b"}}`, `{"index":0,"delta":{},"finish_reason":"stop"}`))
	if m.Text() != "a" {
		t.Errorf("want Text \"a\", got %+v", m)
	}
}
