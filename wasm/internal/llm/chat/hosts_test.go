package chat

import (
	"errors"
	"testing"

	"embedded-agent/wasm/internal/llm"
)

func TestQuirksBelongToHosts(t *testing.T) {
	common := Quirks{MaxTokens: "max_tokens"}
	for _, url := range []string{
		"https://model.example/v1", "https://api.mistral.ai.model.example/v1", "https://notmistral.ai/v1",
		"http://localhost:11434/v1", "http://[::1]:8080/v1", "http://openai.com@model.example/v1", "", "::not a url",
	} {
		if q := QuirksOf(llm.Endpoint{BaseURL: url}); q != common {
			t.Errorf("%s: got %+v, want %+v", url, q, common)
		}
	}
	for url, has := range map[string]func(Quirks) bool{
		"https://API.Mistral.AI/v1":                               func(q Quirks) bool { return q.ShortIDs && q.ToolImages && q.NoStreamOptions },
		"https://mistral.ai:443/v1":                               func(q Quirks) bool { return q.ShortIDs },
		"https://mine.openai.azure.com/openai/v1":                 func(q Quirks) bool { return q.Strict && q.MaxTokens == "max_completion_tokens" },
		"https://openrouter.ai/api/v1":                            func(q Quirks) bool { return q.Effort == EffortObject && !q.Strict },
		"http://127.0.0.1:1234/v1":                                func(q Quirks) bool { return q.SchemaOnly },
		"https://generativelanguage.googleapis.com/v1beta":        func(q Quirks) bool { return q.NoParallel },
		"https://generativelanguage.googleapis.com/v1beta/openai": func(q Quirks) bool { return q.NoParallel },
	} {
		if !has(QuirksOf(llm.Endpoint{BaseURL: url})) {
			t.Errorf("%s: want the quirk of this host, got %+v", url, QuirksOf(llm.Endpoint{BaseURL: url}))
		}
	}
}

func TestAnEffortIsRefusedForAnEndpointThatHasNoFieldForIt(t *testing.T) {
	e := llm.Endpoint{BaseURL: "https://api.mistral.ai/v1"}
	_, err := Dialect{}.Build(e, llm.Request{Model: "m", Reasoning: llm.EffortLow})
	var refused *llm.Error
	if !errors.As(err, &refused) || llm.Refused(refused, llm.EffortFeature(llm.EffortLow)) == "" {
		t.Errorf("got %v", err)
	}
}
