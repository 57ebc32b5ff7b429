package llm_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"embedded-agent/wasm/internal/llm"
)

// drawConversation draws what a program may have at hand: messages of any kind in any order, broken off answers, results
// that are missing.
func drawConversation(t *rapid.T) []llm.Message {
	text := rapid.SampledFrom([]string{"", " ", "Hello", "<b>&\u2028", "漢字 😀", "{{secret:key}}"})
	id := rapid.SampledFrom([]string{"", "call_1", "call_2", "functions.x:0", "toolu_ü", "aaaaaaaaa"})
	var list []llm.Message
	for range rapid.IntRange(0, 6).Draw(t, "messages") {
		if rapid.Bool().Draw(t, "user") {
			list = append(list, llm.UserMessage(text.Draw(t, "text"), llm.Image("image/png", "AAAA")))
			continue
		}
		m := llm.Message{
			Role: llm.RoleAssistant, Dialect: rapid.SampledFrom([]string{"openai", "chat", "anthropic"}).Draw(t, "dialect"),
			Model: rapid.SampledFrom([]string{"m", "n"}).Draw(t, "model"),
		}
		used := map[string]bool{}
		for range rapid.IntRange(0, 4).Draw(t, "blocks") {
			switch rapid.IntRange(0, 3).Draw(t, "block") {
			case 0:
				m.Content = append(m.Content, llm.Text(text.Draw(t, "text")))
			case 1:
				m.Content = append(m.Content, llm.Block{Type: llm.BlockThinking, Thinking: text.Draw(t, "thinking"), Signature: `{"type":"reasoning"}`})
			case 2:
				call := llm.Call(id.Draw(t, "id"), rapid.SampledFrom([]string{"vault.list", "no such tool!"}).Draw(t, "name"), nil)
				if rapid.Bool().Draw(t, "whole") {
					call.Arguments = json.RawMessage(`{"a":1}`)
				}
				if !used[call.ID] {
					used[call.ID] = true
					m.Content = append(m.Content, call)
				}
			case 3:
				m.Content = append(m.Content, llm.Block{Type: llm.BlockOpaque, Kind: "x", Raw: json.RawMessage(`{"type":"x"}`)})
			}
		}
		list = append(list, m)
		for _, c := range rapid.Permutation(m.Calls()).Draw(t, "order") {
			if rapid.Bool().Draw(t, "answered") {
				list = append(list, llm.ToolResult(c, rapid.Bool().Draw(t, "failed"), llm.Text(text.Draw(t, "result"))))
			}
		}
	}
	return list
}

func TestEveryConversationBecomesOneThatProvidersTake(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := llm.Request{Model: "m", Messages: drawConversation(t), CacheKey: "k"}
		for name, d := range dialects {
			for _, host := range []string{"https://model.example/v1", "https://api.mistral.ai/v1"} {
				h, err := d.Build(llm.Endpoint{BaseURL: host}, r)
				if err != nil {
					t.Fatalf("%s: want no error, got %v", name, err)
				}
				var body map[string]any
				if err := json.Unmarshal(h.Body, &body); err != nil {
					t.Fatalf("%s: want no error, got %v in %s", name, err, h.Body)
				}
				if err := rules[name](body); err != nil {
					t.Fatalf("%s: want no error, got %v in %s", name, err, h.Body)
				}
			}
		}
	})
}

// rules are the demands of the providers.
var rules = map[string]func(map[string]any) error{"openai": openaiRules, "chat": chatRules, "anthropic": anthropicRules}

func openaiRules(body map[string]any) error {
	open := map[any]int{}
	for _, item := range body["input"].([]any) {
		switch m := item.(map[string]any); m["type"] {
		case "function_call":
			open[m["call_id"]]++
		case "function_call_output":
			if open[m["call_id"]]--; open[m["call_id"]] < 0 {
				return fmt.Errorf("an output without a call: %v", m["call_id"])
			}
		}
	}
	return allZero(open)
}

func allZero(open map[any]int) error {
	for id, n := range open {
		if n != 0 {
			return fmt.Errorf("%d calls %v without an output", n, id)
		}
	}
	return nil
}

// chatRules: the results of a message follow it at once, each once.
func chatRules(body map[string]any) error {
	open := map[any]int{}
	for _, item := range body["messages"].([]any) {
		m := item.(map[string]any)
		if m["role"] == "tool" {
			if open[m["tool_call_id"]]--; open[m["tool_call_id"]] < 0 {
				return fmt.Errorf("a result without a call: %v", m["tool_call_id"])
			}
			continue
		}
		if err := allZero(open); err != nil {
			return err
		}
		calls, _ := m["tool_calls"].([]any)
		for _, c := range calls {
			open[c.(map[string]any)["id"]]++
		}
		if content := m["content"]; m["role"] == "assistant" && len(calls) == 0 && (content == nil || content == "") && m["reasoning_details"] == nil && m["refusal"] == nil {
			return fmt.Errorf("an empty message")
		}
	}
	return allZero(open)
}

// anthropicRules: roles alternate, no message is empty, and all results of a message stand in the next one.
func anthropicRules(body map[string]any) error {
	role := any(nil)
	open := map[any]int{}
	for _, item := range body["messages"].([]any) {
		m := item.(map[string]any)
		content := m["content"].([]any)
		if m["role"] == role || len(content) == 0 {
			return fmt.Errorf("two messages of %v, or an empty one", role)
		}
		role = m["role"]
		next := map[any]int{}
		for _, b := range content {
			switch block := b.(map[string]any); block["type"] {
			case "tool_use":
				next[block["id"]]++
			case "tool_result":
				if open[block["tool_use_id"]]--; open[block["tool_use_id"]] < 0 {
					return fmt.Errorf("a result without a call: %v", block["tool_use_id"])
				}
			}
		}
		if err := allZero(open); err != nil {
			return err
		}
		open = next
	}
	return allZero(open)
}
