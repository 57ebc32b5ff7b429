package llm_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sort"
	"testing"

	"pgregory.net/rapid"

	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/llmtest"
)

func TestTokenEstimatesAreNearWhatIsCounted(t *testing.T) {
	// Counted with the o200k vocabulary, rounded.
	for text, want := range map[string]int{
		"":      0,
		"Hello": 1,
		"The quick brown fox jumps over the lazy dog.":                                         10,
		"Every note in this folder should have a tag, a date and a link to its index page.":    18,
		"# Heading\n\n- [ ] Call Anna\n- [x] Write the report\n\n```go\nfunc main() {}\n```\n": 30,
		"Die Notizen der letzten Woche zusammenfassen und die offenen Aufgaben verschieben.":   18,
		"昨日の会議のメモを要約して、未完了のタスクを移動してください。":                                                      25,
		"把上周的会议记录整理成一个列表，并给每条笔记加上标签。":                                                          24,
		"Сделай список всех заметок с этим тегом и отсортируй их по дате.":                     16,
		"🙂🙂🙂": 3,
	} {
		got := llm.EstimateTokens(text)
		if float64(got) < 0.6*float64(want)-1 || float64(got) > 1.6*float64(want)+4 {
			t.Errorf("%q: %d, counted %d", text, got, want)
		}
	}
}

func TestTokenEstimatesGrowWithTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.String().Draw(t, "a"), rapid.String().Draw(t, "b")
		both := llm.EstimateTokens(a + b)
		if both < llm.EstimateTokens(a) || both > llm.EstimateTokens(a)+llm.EstimateTokens(b)+2 {
			t.Fatalf("%d for both, %d and %d", both, llm.EstimateTokens(a), llm.EstimateTokens(b))
		}
	})
}

func TestTokenEstimatesAreNearWhatProvidersCounted(t *testing.T) {
	var ratios []float64
	for _, file := range llmtest.Recordings(t, "chat-nonstream", ".json") {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var c struct {
			Choices []struct {
				Message struct {
					Content   string `json:"content"`
					Reasoning string `json:"reasoning_content"`
				} `json:"message"`
			} `json:"choices"`
			Usage struct {
				Completion int `json:"completion_tokens"`
				Details    struct {
					Reasoning int `json:"reasoning_tokens"`
				} `json:"completion_tokens_details"`
			} `json:"usage"`
		}
		if err := json.Unmarshal(raw, &c); err != nil {
			t.Fatalf("%s: want no error, got %v", filepath.Base(file), err)
		}
		counted := c.Usage.Completion - c.Usage.Details.Reasoning
		if text := c.Choices[0].Message.Content; counted >= 40 && c.Choices[0].Message.Reasoning == "" && len(text) > 150 {
			ratios = append(ratios, float64(llm.EstimateTokens(text))/float64(counted))
		}
	}
	sort.Float64s(ratios)
	if len(ratios) < 5 {
		t.Fatalf("only %d answers to compare with", len(ratios))
	}
	if median := ratios[len(ratios)/2]; median < 0.75 || median > 1.35 {
		t.Errorf("estimates are %.2f of what was counted (%.2f)", median, ratios)
	}
}

func TestEstimatesCountEverythingThatIsSent(t *testing.T) {
	r := hello()
	sum := llm.EstimateRequest(r)
	for name, grow := range map[string]func(*llm.Request){
		"a message": func(r *llm.Request) { r.Messages = append(r.Messages, llm.UserMessage("And more.")) },
		"a tool": func(r *llm.Request) {
			r.Tools = []llm.Tool{{Name: "vault.list", Description: "Lists notes.", Parameters: []byte(`{}`)}}
		},
		"an image": func(r *llm.Request) {
			r.Messages = append(r.Messages, llm.UserMessage("", llm.Image("image/png", "AAAA")))
		},
		"a schema": func(r *llm.Request) { r.Format = &llm.Format{Schema: []byte(`{"type":"object"}`)} },
		"a call": func(r *llm.Request) {
			r.Messages = append(r.Messages, llm.AssistantMessage(llm.Call("a", "t", []byte(`{"a":1}`))))
		},
		"thinking": func(r *llm.Request) {
			r.Messages = append(r.Messages, llm.AssistantMessage(llm.Block{Type: llm.BlockThinking, Thinking: "Hm, hm."}))
		},
		"an item": func(r *llm.Request) {
			r.Messages = append(r.Messages, llm.AssistantMessage(llm.Block{Type: llm.BlockOpaque, Raw: []byte(`{"a":1}`)}))
		},
	} {
		more := hello()
		grow(&more)
		if llm.EstimateRequest(more) <= sum {
			t.Errorf("%s costs nothing", name)
		}
	}
}
