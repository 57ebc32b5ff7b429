package chat

import (
	"os"
	"regexp"
	"testing"

	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/protocol"

	"github.com/google/go-cmp/cmp"
)

// The settings write the addresses, and the core asks at them.
func TestEachPresetIsAskedAndListsItsModelsWhereItsDocumentationSays(t *testing.T) {
	source, err := os.ReadFile("../../../plugin/settings/presets.ts")
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^\t(\w+): \{ provider: "(\w+)", baseUrl: "([^"]*)" \},$`)
	type at struct{ Asked, Models string }
	got := map[string]at{}
	for _, m := range line.FindAllStringSubmatch(string(source), -1) {
		model := modelOf(&protocol.Settings{Provider: protocol.Provider(m[2]), BaseURL: m[3], Model: "m"}, "")
		question := llm.Request{Model: "m", Messages: []llm.Message{llm.UserMessage("Hello")}}
		request, err := model.dialect.Build(model.endpoint, question)
		if err != nil {
			t.Fatalf("%s: want no error, got %v", m[1], err)
		}
		got[m[1]] = at{request.URL, model.dialect.Models(model.endpoint).URL}
	}
	want := map[string]at{
		"openai":     {"https://api.openai.com/v1/responses", "https://api.openai.com/v1/models"},
		"anthropic":  {"https://api.anthropic.com/v1/messages", "https://api.anthropic.com/v1/models?limit=1000"},
		"codex":      {"http://127.0.0.1:8788/v1/responses", "http://127.0.0.1:8788/v1/models"},
		"ollama":     {"http://127.0.0.1:11434/api/chat", "http://127.0.0.1:11434/api/tags"},
		"lmstudio":   {"http://127.0.0.1:1234/v1/chat/completions", "http://127.0.0.1:1234/v1/models"},
		"llamacpp":   {"http://127.0.0.1:8080/v1/chat/completions", "http://127.0.0.1:8080/v1/models"},
		"vllm":       {"http://127.0.0.1:8000/v1/chat/completions", "http://127.0.0.1:8000/v1/models"},
		"openrouter": {"https://openrouter.ai/api/v1/chat/completions", "https://openrouter.ai/api/v1/models"},
		"gemini": {
			"https://generativelanguage.googleapis.com/v1beta/models/m:streamGenerateContent?alt=sse",
			"https://generativelanguage.googleapis.com/v1beta/models?pageSize=1000",
		},
		"azure": {
			"https://YOUR_RESOURCE.openai.azure.com/openai/v1/chat/completions",
			"https://YOUR_RESOURCE.openai.azure.com/openai/v1/models",
		},
		"xai":      {"https://api.x.ai/v1/chat/completions", "https://api.x.ai/v1/models"},
		"groq":     {"https://api.groq.com/openai/v1/chat/completions", "https://api.groq.com/openai/v1/models"},
		"mistral":  {"https://api.mistral.ai/v1/chat/completions", "https://api.mistral.ai/v1/models"},
		"deepseek": {"https://api.deepseek.com/chat/completions", "https://api.deepseek.com/models"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("addresses (-documented +asked):\n%s", d)
	}
}
