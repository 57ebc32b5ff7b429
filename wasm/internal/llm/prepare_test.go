package llm_test

import (
	"strings"
	"testing"

	"embedded-agent/wasm/internal/llm"
)

// sketch writes a conversation in a few words.
func sketch(messages []llm.Message) string {
	var out []string
	for _, m := range messages {
		line := string(m.Role) + ":"
		if m.ToolCallID != "" {
			line += m.ToolCallID + "="
		}
		for _, b := range m.Content {
			switch b.Type {
			case llm.BlockThinking:
				line += "[" + b.Thinking + "]"
			case llm.BlockToolCall:
				line += "(" + b.ID + ")"
			case llm.BlockOpaque:
				line += "<" + b.Kind + ">"
			default:
				line += b.Text + b.Signature
			}
		}
		out = append(out, line)
	}
	return strings.Join(out, " | ")
}

func TestAConversationIsMadeFitToBeSent(t *testing.T) {
	thinking := llm.Block{Type: llm.BlockThinking, Thinking: "hm", Signature: "s"}
	unsigned := llm.Block{Type: llm.BlockThinking, Thinking: "hm"}
	opaque := llm.Block{Type: llm.BlockOpaque, Kind: "search", Raw: []byte("{}")}
	signed := llm.Block{Type: llm.BlockText, Text: "yes", Signature: "!"}
	a, b := llm.Call("a", "t", nil), llm.Call("b", "t", nil)
	from := func(dialect, model string, blocks ...llm.Block) llm.Message {
		return llm.Message{Role: llm.RoleAssistant, Dialect: dialect, Model: model, Content: blocks}
	}
	result := func(id string) llm.Message {
		return llm.Message{Role: llm.RoleToolResult, ToolCallID: id, Content: []llm.Block{llm.Text("ok")}}
	}
	missing := "{\"status\":\"error\",\"error\":\"The call was not carried out.\"}"
	cases := []struct {
		name string
		in   []llm.Message
		want string
	}{
		{"its own reasoning stays", []llm.Message{from("d", "m", thinking, opaque, signed)}, "assistant:[hm]<search>yes!"},
		{"another model's reasoning goes", []llm.Message{from("d", "n", thinking, opaque, signed)}, "assistant:<search>yes"},
		{"another dialect's items go", []llm.Message{from("e", "m", thinking, opaque, signed)}, "assistant:yes"},
		{"reasoning without a signature goes", []llm.Message{from("d", "m", unsigned, signed)}, "assistant:yes!"},
		{"reasoning that nothing follows goes", []llm.Message{from("d", "m", llm.Text("x"), thinking)}, "assistant:x"},
		{"an empty message goes", []llm.Message{llm.UserMessage("hi"), from("d", "m", thinking), from("d", "m", llm.Text(""))}, "user:hi"},
		{"results come in the order of their calls", []llm.Message{from("d", "m", a, b), result("b"), result("a")}, "assistant:(a)(b) | toolResult:a=ok | toolResult:b=ok"},
		{"a call without a result gets one", []llm.Message{from("d", "m", a, b), result("b"), llm.UserMessage("go on")}, "assistant:(a)(b) | toolResult:a=" + missing + " | toolResult:b=ok | user:go on"},
		{"the same id in two turns is two calls", []llm.Message{from("d", "m", a), result("a"), from("d", "m", a), result("a")}, "assistant:(a) | toolResult:a=ok | assistant:(a) | toolResult:a=ok"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			before := sketch(c.in)
			got, err := llm.Prepare(c.in, "d", "m")
			if err != nil || sketch(got) != c.want {
				t.Errorf("%s: %v, want %s", sketch(got), err, c.want)
			}
			if sketch(c.in) != before {
				t.Error("the conversation itself was changed")
			}
		})
	}
	for name, in := range map[string][]llm.Message{
		"at the start": {result("a")}, "of another turn": {from("d", "m", a), result("a"), llm.UserMessage("x"), result("a")}, "twice": {from("d", "m", a), result("a"), result("a")},
	} {
		if _, err := llm.Prepare(in, "d", "m"); err == nil || llm.AsError(err, "").Code != llm.CodeValidation {
			t.Errorf("a result without a call %s: %v", name, err)
		}
	}
}
