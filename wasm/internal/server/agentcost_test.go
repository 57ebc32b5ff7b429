package server

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/anthropic"
	"embedded-agent/wasm/internal/llm/chat"
	"embedded-agent/wasm/internal/llm/gemini"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/llm/ollama"
	"embedded-agent/wasm/internal/llm/openai"
	"embedded-agent/wasm/internal/llm/sentinel/textonly"
	"embedded-agent/wasm/internal/protocol"
)

// mostAgentTokens is the most that is sent before the person's words in a conversation that acts, in bytes divided by
// four.
const mostAgentTokens = 4000

// requestBytes counts what a model is sent, but for the person's words.
func requestBytes(r llm.Request, words string) int {
	n := -len(words)
	for _, m := range r.Messages {
		n += len(m.Text())
	}
	for _, t := range r.Tools {
		n += len(t.Name) + len(t.Description) + len(t.Parameters)
	}
	return n
}

// acts lets an agent take turns and gives what the model was sent.
func acts(t *testing.T, settings protocol.Settings, words string, turns ...llmtest.Turn) (*rig, []llm.Request) {
	t.Helper()
	r := newRig(t, hosttest.New(hosttest.Options{Files: map[string]string{"A.md": "one\n", "B.md": "two\n"}}), settings, nil, turns...)
	call[protocol.Accepted](r.panel, "send", protocol.Send{Text: words, Mode: protocol.ModeAgent, Conversation: "c"})
	r.await("end", func(e protocol.Event) bool { return e.Type == protocol.EventTurnEnded })
	return r, r.model.Requests()
}

func TestAnAgentIsSentAtMost4000TokensBeforeThePersonsWords(t *testing.T) {
	const words = "Move my finished tasks to the archive note."
	_, asked := acts(t, protocol.Settings{Provider: "openai", AllowDeletes: true, AllowRenames: true, AllowCommands: true}, words, llmtest.Say("ok"))
	byCall := requestBytes(asked[0], words) / 4
	inner := llmtest.NewProvider(llmtest.Say("ok"))
	_, _ = llm.Collect(textonly.New(inner, "h").Stream(t.Context(), asked[0]), nil)
	byText := requestBytes(inner.Requests()[0], words) / 4
	t.Logf("%d tokens with functions, %d as text", byCall, byText)
	for _, tl := range asked[0].Tools {
		t.Logf("%s %d %d", tl.Name, len(tl.Description), len(tl.Parameters))
	}
	if byCall > mostAgentTokens || byText > mostAgentTokens*11/10 {
		t.Errorf("%d and %d tokens are sent, at most %d may be", byCall, byText, mostAgentTokens)
	}
}

func TestAnAgentFindsAToolByItsNameAndCallsIt(t *testing.T) {
	ui, asked := acts(t, protocol.Settings{Provider: "openai"}, "tag it",
		llmtest.Call("1", "tools.describe", `{"names":["tags"]}`),
		llmtest.Call("2", "tools.call", `{"tool":"tags.add","arguments":{"path":"A.md","tags":["seen"]}}`),
		llmtest.Say("Tagged."))
	system, _ := asked[0].System()
	if !strings.Contains(system, "- tags: add, remove (or double ones), rename (or merge)") || slices.ContainsFunc(asked[0].Tools, func(tl llm.Tool) bool { return strings.HasPrefix(tl.Name, "tags.") }) {
		t.Errorf("tags are not told by name alone: %s", system)
	}
	if use := asked[1].Messages[len(asked[1].Messages)-1].Text(); !strings.Contains(use, "tags.add(...Scope, tags: string[]") || !strings.Contains(use, "tags.rename(") {
		t.Errorf("the use is not told: %s", use)
	}
	if last := asked[2].Messages[len(asked[2].Messages)-2].Calls()[0]; last.Name != "tools.call" {
		t.Errorf("the call went back as %s", last.Name)
	}
	if v := call[protocol.State](ui.panel, "state", protocol.Empty{}).Review; v == nil || len(v.Files) != 1 {
		t.Errorf("nothing is staged: %+v", v)
	}
}

// Through OpenRouter too: its marks are those that Anthropic takes, four at most, and they move on with the conversation.
func TestTheRequestsOfAnAgentThroughOpenRouterAreMarkedForAnthropicsCache(t *testing.T) {
	turns := []llmtest.Turn{}
	for i := range 9 {
		turns = append(turns, llmtest.Call(fmt.Sprint("c", i), "tools.call", fmt.Sprintf(`{"tool":"tags.add","arguments":{"path":"A.md","tags":["t%d"]}}`, i)))
	}
	_, asked := acts(t, protocol.Settings{Provider: "openai"}, "tag it", append(turns, llmtest.Say("Done."))...)
	const mark = `"cache_control":{"type":"ephemeral"}`
	for model, want := range map[string]int{"anthropic/claude-sonnet-4.5": 3, "openai/gpt-5.1": 0} {
		var bodies [][]byte
		for i, r := range asked {
			r.Model = model
			h, err := chat.Dialect{}.Build(llm.Endpoint{BaseURL: "https://openrouter.ai/api/v1"}, r)
			if err != nil {
				t.Fatal(err)
			}
			bodies = append(bodies, h.Body)
			got, most := strings.Count(string(h.Body), mark), min(want, i+2)
			if got != most {
				t.Errorf("%s, request %d: want %d marks, got %d", model, i, most, got)
			}
			if i := strings.LastIndex(string(h.Body), mark); want > 0 && strings.Count(string(h.Body[i:]), `"role"`) > 0 {
				t.Errorf("%s: want the last message marked, got %s behind the mark", model, h.Body[i:])
			}
		}
		if share := llmtest.PrefixShare(bodies); share < 0.98 {
			t.Errorf("%s: want 98 %% of a request as in the one before, got %.1f %%", model, 100*share)
		}
	}
}

func TestTheRequestsOfAnAgentBeginWithTheOnesBefore(t *testing.T) {
	var turns []llmtest.Turn
	for i := range 9 {
		turns = append(turns, llmtest.Call(fmt.Sprint("c", i), "tools.call", fmt.Sprintf(`{"tool":"tags.add","arguments":{"path":"A.md","tags":["t%d"]}}`, i)))
	}
	_, asked := acts(t, protocol.Settings{Provider: "openai"}, "tag it", append(turns, llmtest.Say("Done."))...)
	if len(asked) != 10 {
		t.Fatalf("%d requests", len(asked))
	}
	for _, d := range []llm.Dialect{openai.Dialect{}, chat.Dialect{}, anthropic.Dialect{}, gemini.Dialect{}, ollama.Dialect{}} {
		var bodies [][]byte
		for _, r := range asked {
			h, err := d.Build(llm.Endpoint{BaseURL: "https://api.openai.com/v1"}, r)
			if err != nil {
				t.Fatal(err)
			}
			bodies = append(bodies, h.Body)
		}
		share := llmtest.PrefixShare(bodies)
		t.Logf("%s: %.1f %%", d.Name(), 100*share)
		if share < 0.98 {
			t.Errorf("%s: %.1f %% of a request is as in the one before", d.Name(), 100*share)
		}
		wanted := map[string]string{"anthropic": `"cache_control":{"type":"ephemeral"}`, "openai": `"prompt_cache_key":"embedded-agent-agent"`, "chat": `"prompt_cache_key":"embedded-agent-agent"`}[d.Name()]
		if !strings.Contains(string(bodies[9]), wanted) {
			t.Errorf("%s: %s is not on the wire", d.Name(), wanted)
		}
	}
}
