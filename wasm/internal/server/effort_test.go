package server

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/protocol"
)

// thought gives what of a request is about thinking.
func thought(t *testing.T, body []byte) string {
	t.Helper()
	var all map[string]json.RawMessage
	if err := json.Unmarshal(body, &all); err != nil {
		t.Fatal(err)
	}
	for name := range all {
		if !slices.Contains([]string{"reasoning", "reasoning_effort", "thinking", "output_config", "think"}, name) {
			delete(all, name)
		}
	}
	b, _ := json.Marshal(all) // raw JSON always marshals
	return string(b)
}

func TestTheEffortOfAModelIsAskedForInTheWordsOfItsEndpoint(t *testing.T) {
	for _, c := range []struct {
		provider       protocol.Provider
		address, model string
		effort, want   string
	}{
		{"openai", "", "gpt-5.1", "high", `{"reasoning":{"effort":"high","summary":"auto"}}`},
		{"openai", "", "", "low", `{"reasoning":{"effort":"low","summary":"auto"}}`}, // the one that is asked unless named
		{"openai", "", "gpt-5.1", "off", `{"reasoning":{"effort":"none"}}`},
		{"openai", "", "gpt-5.1", "", `{}`},
		{"openai", "", "gpt-5.1", "nonsense", `{}`},
		{"anthropic", "", "claude-sonnet-4-5", "medium", `{"thinking":{"type":"enabled","budget_tokens":8192}}`},
		{"anthropic", "", "claude-opus-4-7", "low", `{"output_config":{"effort":"low"},"thinking":{"type":"adaptive"}}`},
		{"anthropic", "", "claude-opus-4-7", "off", `{}`},
		{"custom", "https://model.example/v1", "m", "low", `{"reasoning_effort":"low"}`},
		{"custom", "https://openrouter.ai/api/v1", "m", "low", `{"reasoning":{"effort":"low"}}`},
		{"custom", "https://generativelanguage.googleapis.com/v1beta", "m", "", `{}`},
		{"custom", "http://127.0.0.1:11434/api/chat", "m", "low", `{"think":"low"}`},
		{"custom", "http://127.0.0.1:11434/api/chat", "m", "off", `{"think":false}`},
	} {
		for _, mode := range []protocol.Mode{protocol.ModePlan, protocol.ModeAgent} {
			set := protocol.Settings{Provider: c.provider, BaseURL: c.address, KeyName: "k", Model: c.model, Asking: protocol.Asking{
				Efforts: map[string]string{string(c.provider) + " " + c.model: c.effort, string(c.provider) + " other": "high"},
			}}
			ui, tr := endpoint(t, hosttest.New(hosttest.Options{}), set, no("enough"))
			call[protocol.Accepted](ui, "send", protocol.Send{Text: "hello", Mode: mode})
			ui.turnEnd()
			if got := thought(t, tr.Requests()[0].Body); got != c.want {
				t.Errorf("%s %s %s, %s: %s, want %s", c.provider, c.model, c.effort, mode, got, c.want)
			}
		}
	}
}

func TestAnEffortThatTheEndpointRefusesIsToldOnceAndAnotherOneIsTried(t *testing.T) {
	at := func(effort string) protocol.Settings {
		set := custom
		set.Efforts = map[string]string{"custom m": effort}
		return set
	}
	ui, tr := endpoint(t, hosttest.New(hosttest.Options{}), at("high"), no("Unsupported value: reasoning_effort 'high'"), streamed("One."), streamed("Two."), streamed("Three."))
	var told []string
	say := func() {
		t.Helper()
		told = append(told, strings.Fields(notes(ui.say("hello")))...)
	}
	say()
	say()
	call[protocol.State](ui, "configure", at("low"))
	say()
	if !slices.Equal(told, []string{"turn.noEffort"}) {
		t.Errorf("told %v", told)
	}
	var asked []string
	for _, r := range tr.Requests() {
		asked = append(asked, thought(t, r.Body))
	}
	if want := []string{`{"reasoning_effort":"high"}`, `{}`, `{}`, `{"reasoning_effort":"low"}`}; !slices.Equal(asked, want) {
		t.Errorf("asked %v, want %v", asked, want)
	}
}

func TestAnEffortThatNoFieldIsThereForIsToldToo(t *testing.T) {
	set := protocol.Settings{Provider: "custom", BaseURL: "https://api.mistral.ai/v1", Model: "m", Streaming: true}
	set.Efforts = map[string]string{"custom m": "low"}
	ui, tr := endpoint(t, hosttest.New(hosttest.Options{}), set, llmtest.Answer{Header: sseHead, Body: chatStream("Hello.")})
	if turn := ui.say("hello"); notes(turn) != "turn.noEffort" || turn.Reply != "Hello." || thought(t, tr.Requests()[0].Body) != `{}` {
		t.Errorf("%q, told %q", turn.Reply, notes(turn))
	}
}
