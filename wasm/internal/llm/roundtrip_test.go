package llm_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/anthropic"
	"embedded-agent/wasm/internal/llm/chat"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/llm/openai"
)

var dialects = map[string]llm.Dialect{"openai": openai.Dialect{}, "chat": chat.Dialect{}, "anthropic": anthropic.Dialect{}}

// answer decodes a recording of a dialect.
func answer(t *testing.T, dialect, name string) llm.Message {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dialect, "testdata", "answers", name))
	if err != nil {
		t.Fatal(err)
	}
	events := llmtest.Decode(dialects[dialect], endpoint, llm.Request{Model: "m"}, raw, 100)
	llmtest.CheckStream(t, events)
	return last(events)
}

// next is the request that follows an answer: every call gets a result.
func next(m llm.Message) llm.Request {
	r := hello()
	r.Messages = append(r.Messages, m)
	for _, c := range m.Calls() {
		r.Messages = append(r.Messages, llm.ToolResult(c, false, llm.Text("done")))
	}
	return r
}

func TestWhatAProviderWantsBackGoesBack(t *testing.T) {
	for _, c := range []struct{ dialect, name, want string }{
		{"openai", "tools.sse", `"encrypted_content":"gAAAAb-1"`},
		{"openai", "tools.sse", `"phase":"commentary"`},
		{"chat", "comments-and-reasoning-details.sse", `"signature":"c2ln"`},
		{"chat", "comments-and-reasoning-details.sse", `"data":"ZW5j"`},
		{"chat", "extra-content.sse", `"extra_content":{"google":{"thought_signature":"c2ln"}}`},
		{"chat", "reasoning-content.sse", `"reasoning_content":"Thinking."`},
		{"chat", "content-array.sse", `{"type":"thinking","thinking":[{"type":"text","text":"Hmm."}]}`},
		{"anthropic", "tools.sse", `"signature":"c2lnbmF0dXJl"`},
		{"anthropic", "redacted-and-opaque.sse", `"data":"cmVkYWN0ZWQ="`},
		{"anthropic", "redacted-and-opaque.sse", `"input":{"query":"notes"}`},
		{"anthropic", "redacted-and-opaque.sse", `"citations":[{"type":"web_search_result_location"`},
	} {
		m := answer(t, c.dialect, c.name)
		// It must survive being stored.
		data, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		var stored llm.Message
		if err := json.Unmarshal(data, &stored); err != nil {
			t.Fatal(err)
		}
		again, err := json.Marshal(stored)
		if diff := cmp.Diff(string(data), string(again)); err != nil || diff != "" {
			t.Errorf("%s changes when it is stored: %v %s", c.name, err, diff)
		}
		h, err := dialects[c.dialect].Build(endpoint, next(stored))
		if err != nil || !strings.Contains(string(h.Body), c.want) {
			t.Errorf("%s of %s is lost (%v): %s", c.want, c.name, err, h.Body)
		}
	}
}

func TestAConversationGoesOnWithAnotherProvider(t *testing.T) {
	secrets := []string{"gAAAAb-1", "c2ln", "ZW5j", "cmVkYWN0ZWQ=", "web_search", "rs_1", "commentary", "signature"}
	for from := range dialects {
		files, err := filepath.Glob(filepath.Join(from, "testdata", "answers", "*.sse"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			m := answer(t, from, filepath.Base(file))
			for to, d := range dialects {
				if to == from {
					continue
				}
				h, err := d.Build(endpoint, next(m))
				if err != nil || !json.Valid(h.Body) {
					t.Errorf("%s to %s: want no error and valid JSON, got %v", file, to, err)
					continue
				}
				for _, secret := range secrets {
					if strings.Contains(string(h.Body), secret) {
						t.Errorf("%s of %s goes to %s", secret, file, to)
					}
				}
				if text := m.Text(); text != "" && !strings.Contains(string(h.Body), text) {
					t.Errorf("the text of %s does not go to %s", file, to)
				}
				if strings.Count(string(h.Body), "vault__") < len(m.Calls()) {
					t.Errorf("a call of %s does not go to %s", file, to)
				}
			}
		}
	}
}

func TestEventsHaveTheShapesOfTheProtocol(t *testing.T) {
	events := build(func(b *llm.Builder) {
		b.Close(b.Open(llm.Text("")))
		i := b.Open(llm.Call("call_abc123", "vault.read", nil))
		b.Delta(i, `{"file_`)
		b.Delta(i, `path":"a.md"}`)
		b.Done(llm.StopToolUse, "tool_calls")
	})
	var got []string
	for _, e := range events[3:7] {
		data, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(data))
	}
	want := []string{
		`{"type":"toolcall_start","contentIndex":1,"block":{"type":"toolCall","id":"call_abc123","name":"vault.read"}}`,
		`{"type":"toolcall_delta","contentIndex":1,"delta":"{\"file_"}`,
		`{"type":"toolcall_delta","contentIndex":1,"delta":"path\":\"a.md\"}"}`,
		`{"type":"toolcall_end","contentIndex":1,"block":{"type":"toolCall","id":"call_abc123","name":"vault.read","arguments":{"file_path":"a.md"}}}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error("it differs from what was wanted (-want +got):", diff)
	}
	result, err := json.Marshal(llm.ToolResult(llm.ToolCall{ID: "call_abc123", Name: "vault.read"}, true, llm.Text("no"), llm.Image("image/png", "iVBORw0KGgo=")))
	if want := `{"role":"toolResult","content":[{"type":"text","text":"no"},{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"}],"toolCallId":"call_abc123","toolName":"vault.read","isError":true}`; err != nil || string(result) != want {
		t.Errorf("want no error and result equal to want, got %s", result)
	}
}
