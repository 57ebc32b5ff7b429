package server

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/protocol"
)

func TestEachDialectIsAskedAtAnyAddress(t *testing.T) {
	for _, c := range []struct {
		provider protocol.Provider
		address  string
		key      string
		asked    string
	}{
		{"openai", "http://127.0.0.1:8788/v1", "", "http://127.0.0.1:8788/v1/responses"},
		{"openai", "https://gateway.example/openai/v1", "k", "https://gateway.example/openai/v1/responses"},
		{"openai", "https://gateway.example/v1/chat/completions", "k", "https://gateway.example/v1/chat/completions"},
		{"anthropic", "https://gateway.example/anthropic/v1", "k", "https://gateway.example/anthropic/v1/messages"},
		{"custom", "https://gateway.example/v1", "", "https://gateway.example/v1/chat/completions"},
		{"custom", "https://gateway.example/v1/chat/completions", "", "https://gateway.example/v1/chat/completions"},
		{"custom", "https://gateway.example/v1/responses", "", "https://gateway.example/v1/responses"},
		{"custom", "https://gateway.example/v1/messages?beta=true", "", "https://gateway.example/v1/messages?beta=true"},
		{
			"custom", "https://generativelanguage.googleapis.com/v1beta", "k",
			"https://generativelanguage.googleapis.com/v1beta/models/m:streamGenerateContent?alt=sse",
		},
		{"custom", "https://generativelanguage.googleapis.com/v1beta/openai", "k", "https://generativelanguage.googleapis.com/v1beta/openai/chat/completions"},
		{"custom", "http://127.0.0.1:11434/api/chat?num_ctx=8192", "", "http://127.0.0.1:11434/api/chat"},
		{
			"custom", "https://r.openai.azure.com/openai/deployments/gpt?api-version=2024-10-21", "k",
			"https://r.openai.azure.com/openai/deployments/gpt/chat/completions?api-version=2024-10-21",
		},
		{"text", "https://gateway.example/v1/chat/completions", "", "https://gateway.example/v1/chat/completions"},
	} {
		set := protocol.Settings{Provider: c.provider, BaseURL: c.address, KeyName: c.key, Model: "m", Streaming: true}
		ui, tr := endpoint(t, hosttest.New(hosttest.Options{}), set, no("enough"))
		ui.say("hello")
		if len(tr.Requests()) == 0 || tr.Requests()[0].URL != c.asked {
			t.Errorf("%s at %s: asked %v, want %s", c.provider, c.address, tr.Requests(), c.asked)
		}
	}
}

// header gives the headers of the first request, without those of every request.
func header(tr *llmtest.Transport) string {
	all := maps.Clone(tr.Requests()[0].Header)
	maps.DeleteFunc(all, func(name, _ string) bool { return name == "content-type" || name == "accept" })
	b, _ := json.Marshal(all) // strings always marshal
	return string(b)
}

func TestHeadersOfTheSettingsGoToTheOriginTheyBelongToAndToNoOther(t *testing.T) {
	const lines = "X-Title: Notes\n\n api-key: {{key}}\r\nX-Tenant: Bearer {{secret:tenant}}\n"
	for address, want := range map[string]string{
		"https://mine.example/v1":                   `{"api-key":"{{secret:k}}","x-tenant":"Bearer {{secret:tenant}}","x-title":"Notes"}`,
		"https://MINE.example:443/other?v=1":        `{"api-key":"{{secret:k}}","x-tenant":"Bearer {{secret:tenant}}","x-title":"Notes"}`,
		"https://mine.example:8443/v1":              `{"authorization":"Bearer {{secret:k}}"}`,
		"http://mine.example/v1":                    `{"authorization":"Bearer {{secret:k}}"}`,
		"https://mine.example.evil.example/v1":      `{"authorization":"Bearer {{secret:k}}"}`,
		"https://x.mine.example/v1":                 `{"authorization":"Bearer {{secret:k}}"}`,
		"https://user@mine.example/v1":              ``,
		"https://evil.example/https://mine.example": `{"authorization":"Bearer {{secret:k}}"}`,
	} {
		set := protocol.Settings{
			Provider: "custom", BaseURL: address, KeyName: "k", Model: "m",
			Asking: protocol.Asking{Headers: map[string]string{"https://mine.example": lines}},
		}
		ui, tr := endpoint(t, hosttest.New(hosttest.Options{}), set, no("enough"))
		ui.say("hello")
		if want == "" {
			if len(tr.Requests()) > 0 {
				t.Errorf("%s was asked", address)
			}
			continue
		}
		if got := header(tr); got != want {
			t.Errorf("%s gets %s, want %s", address, got, want)
		}
	}
}

func TestAHeaderThatCannotBeSentOrHasAKeyInPlainTextIsToldAndNothingIsSent(t *testing.T) {
	for line, key := range map[string]string{
		"X-Title":                   "policy.httpHeader",
		"X-Title:":                  "policy.httpHeader",
		"Host: other.example":       "policy.httpHeader",
		"Cookie: a=b":               "policy.httpHeader",
		"X Title: a":                "policy.httpHeader",
		"X-Title: caf\u00e9 \u4e2d": "policy.httpHeader",
		"Authorization: Bearer abc": "policy.headerKey",
		"api-key: abc":              "policy.headerKey",
		"X-Api-Key: 1":              "policy.headerKey",
		"X-Other: sk-proj-" + strings.Repeat("a1B2c3D4", 6): "policy.headerKey",
	} {
		set := protocol.Settings{
			Provider: "custom", BaseURL: "https://mine.example/v1", KeyName: "k", Model: "m",
			Asking: protocol.Asking{Headers: map[string]string{"https://mine.example": "X-First: 1\n" + line}},
		}
		ui, tr := endpoint(t, hosttest.New(hosttest.Options{}), set)
		turn := ui.say("hello")
		if turn.Problem == nil || turn.Problem.Key != key || len(tr.Requests()) > 0 {
			t.Errorf("%q: %+v, %d requests", line, turn.Problem, len(tr.Requests()))
		}
	}
}

func TestAKeyInAHeaderIsAskedAboutLikeAnyOther(t *testing.T) {
	const here = "https://models.example.com"
	set := protocol.Settings{
		Provider: "custom", BaseURL: here + "/v1", KeyName: "model-key", Model: "m",
		Asking: protocol.Asking{Headers: map[string]string{here: "x-weather: {{secret:weather-key}}"}},
	}
	for _, yes := range []bool{true, false} {
		d := newDevice()
		d.allowed["model-key"] = map[string]bool{here: false}
		d.answer = chatStream("Hello.")
		ui := onDevice(t, d, set)
		call[protocol.Accepted](ui, "send", protocol.Send{Text: "hello", Mode: protocol.ModePlan})
		asked, _ := ui.questioned(yes)
		if len(asked) != 1 || asked[0].Requests[0].Keys[0].Name != "weather-key" {
			t.Errorf("asked %+v", asked)
		}
		want := []string{"POST " + here + "/v1/chat/completions model-key,weather-key"}
		sent := d.out()
		for i := range sent {
			head, keys, _ := strings.Cut(strings.TrimPrefix(sent[i], "POST "), " ")
			names := strings.Split(keys, ",")
			slices.Sort(names)
			sent[i] = "POST " + head + " " + strings.Join(names, ",")
		}
		if yes && !slices.Equal(sent, want) {
			t.Errorf("sent %v, want %v", sent, want)
		}
		if !yes && len(sent) > 0 {
			t.Errorf("sent %v after a no", sent)
		}
	}
}
