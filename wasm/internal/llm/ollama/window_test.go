package ollama_test

import (
	"encoding/json"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/ollama"
)

func TestTheWindowIsLargeEnoughAndChangesSeldom(t *testing.T) {
	asked := func(query string, max, words int) float64 {
		t.Helper()
		r, err := ollama.Dialect{}.Build(llm.Endpoint{BaseURL: "http://127.0.0.1:11434", Query: query}, llm.Request{
			Model: "m", MaxTokens: max, Messages: []llm.Message{llm.UserMessage(strings.Repeat("word ", words))},
		})
		if err != nil {
			t.Fatal(err)
		}
		var body struct {
			Options map[string]any `json:"options"`
		}
		if err := json.Unmarshal(r.Body, &body); err != nil || strings.Contains(r.URL, "?") {
			t.Fatal("want no error and URL without \"?\", got:", r.URL, err)
		}
		return body.Options["num_ctx"].(float64)
	}
	for words, want := range map[int]float64{1: 16384, 5_000: 16384, 15_000: 32768, 60_000: 131072} {
		if got := asked("", 0, words); got != want {
			t.Errorf("%d words: a window of %v, want %v", words, got, want)
		}
	}
	if got := asked("", 40_000, 1); got != 65536 {
		t.Errorf("a long answer: %v", got)
	}
	if got := asked("num_ctx=8192", 0, 60_000); got != 8192 {
		t.Errorf("by the address: %v", got)
	}
}
