package planner_test

import (
	"slices"
	"testing"

	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/anthropic"
	"embedded-agent/wasm/internal/llm/chat"
	"embedded-agent/wasm/internal/llm/gemini"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/llm/ollama"
	"embedded-agent/wasm/internal/llm/openai"
	"embedded-agent/wasm/internal/offer"
	"embedded-agent/wasm/internal/planner"
)

// dialects are all that requests for plans are written in.
var dialects = []llm.Dialect{openai.Dialect{}, chat.Dialect{}, anthropic.Dialect{}, gemini.Dialect{}, ollama.Dialect{}}

func TestNineTenthsOfTenRequestsForPlansBeginAlike(t *testing.T) {
	for _, d := range dialects {
		for name, modes := range map[string]llm.PlanMode{"call": llm.PlanByCall, "schema": llm.PlanBySchema, "text": llm.PlanByText} {
			var bodies [][]byte
			for i, words := range ten {
				in := asking(t, words, false)
				// Another note is open each time.
				in.ActiveHolds = offer.Opened([]string{"A.md", "A.canvas"}[i%2], []string{"- [ ] a\nk:: v\n", "", "- [x] b\n"}[i%3])
				h, err := d.Build(llm.Endpoint{BaseURL: "https://api.openai.com/v1"}, planner.Request(&in, modes))
				if err != nil {
					if modes == llm.PlanBySchema {
						break // a dialect that cannot hold an answer to this schema
					}
					t.Fatal(err)
				}
				bodies = append(bodies, h.Body)
			}
			if len(bodies) == 0 {
				continue
			}
			share := llmtest.PrefixShare(bodies)
			t.Logf("%s by %s: %.1f %%", d.Name(), name, 100*share)
			if share < 0.9 {
				t.Errorf("%s by %s: %.1f %% of a request is as in the one before, want 90 %%: what changes belongs behind what does not", d.Name(), name, 100*share)
			}
		}
	}
}

// A conversation of plans: what was said before goes along, and stays where it was.
func TestTheRequestsOfAConversationBeginWithTheOnesBefore(t *testing.T) {
	for _, d := range dialects {
		var bodies [][]byte
		var said []llm.Message
		for _, words := range ten {
			in := asking(t, words, false)
			in.History = slices.Clone(said)
			h, err := d.Build(llm.Endpoint{BaseURL: "https://api.openai.com/v1"}, planner.Request(&in, llm.PlanByCall))
			if err != nil {
				t.Fatal(err)
			}
			bodies = append(bodies, h.Body)
			said = append(said, llm.UserMessage(words), llm.AssistantMessage(llm.Text("I have a plan for it.")))
		}
		if share := llmtest.PrefixShare(bodies); share < 0.88 {
			t.Errorf("%s: want share at least 0.88, got %.1f %%", d.Name(), 100*share)
		}
	}
}
