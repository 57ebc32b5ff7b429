package llm_test

import (
	"encoding/json"
	"testing"

	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/anthropic"
	"embedded-agent/wasm/internal/llm/chat"
	"embedded-agent/wasm/internal/llm/openai"
)

func TestAnAddressIsUnderstoodAsItIsPasted(t *testing.T) {
	for _, c := range []struct{ text, base, query, dialect string }{
		{"https://a.example/v1", "https://a.example/v1", "", ""},
		{" https://a.example/v1/ ", "https://a.example/v1", "", ""},
		{"https://a.example/v1/chat/completions", "https://a.example/v1", "", "chat"},
		{"https://a.example/v1/chat/completions/", "https://a.example/v1", "", "chat"},
		{"https://a.example/v1/responses", "https://a.example/v1", "", "openai"},
		{"https://a.example/v1/messages", "https://a.example/v1", "", "anthropic"},
		{"https://a.example/v1/models", "https://a.example/v1", "", ""},
		{"http://127.0.0.1:11434/api/chat?num_ctx=8192", "http://127.0.0.1:11434", "num_ctx=8192", "ollama"},
		{"https://generativelanguage.googleapis.com/v1beta", "https://generativelanguage.googleapis.com/v1beta", "", "gemini"},
		{"https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-pro:generateContent?x=1", "https://generativelanguage.googleapis.com/v1beta", "x=1", "gemini"},
		{"https://generativelanguage.googleapis.com/v1beta/openai/", "https://generativelanguage.googleapis.com/v1beta/openai", "", ""},
		{"https://a.example/v1#models", "https://a.example/v1", "", ""},
		{
			"https://r.openai.azure.com/openai/deployments/gpt?api-version=2024-10-21",
			"https://r.openai.azure.com/openai/deployments/gpt", "api-version=2024-10-21", "",
		},
		{
			"https://r.openai.azure.com/openai/deployments/gpt/chat/completions?api-version=2024-10-21",
			"https://r.openai.azure.com/openai/deployments/gpt", "api-version=2024-10-21", "chat",
		},
		{"https://a.example/chat/completions-proxy", "https://a.example/chat/completions-proxy", "", ""},
	} {
		e, dialect := llm.ParseAddress(c.text)
		if e.BaseURL != c.base || e.Query != c.query || dialect != c.dialect {
			t.Errorf("%q is %q with %q for %q", c.text, e.BaseURL, e.Query, dialect)
		}
	}
}

// byPath has all that an endpoint may speak, by the path of each.
var byPath = map[string]llm.Dialect{
	"/chat/completions": chat.Dialect{}, "/responses": openai.Dialect{}, "/messages": anthropic.Dialect{},
}

func TestAQueryStaysAtTheEndOfTheAddress(t *testing.T) {
	e, _ := llm.ParseAddress("https://a.example/v1?api-version=7")
	for path, d := range byPath {
		r, err := d.Build(e, llm.Request{Model: "m", Messages: []llm.Message{llm.UserMessage("hi")}})
		if err != nil || r.URL != "https://a.example/v1"+path+"?api-version=7" {
			t.Errorf("%s is asked at %s (%v)", d.Name(), r.URL, err)
		}
	}
	if list := (anthropic.Dialect{}).Models(e).URL; list != "https://a.example/v1/models?limit=1000&api-version=7" {
		t.Errorf("the models are asked for at %s", list)
	}
}

func TestTheKeyIsSentOnceAndWhereTheEndpointWantsIt(t *testing.T) {
	headers := func(d llm.Dialect, e llm.Endpoint) string {
		r, err := d.Build(e, llm.Request{Model: "m", Messages: []llm.Message{llm.UserMessage("hi")}})
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]string{}
		for name, value := range r.Header {
			if value == "{{secret:k}}" || value == "Bearer {{secret:k}}" {
				found[name] = value
			}
		}
		b, _ := json.Marshal(found) // strings always marshal
		return string(b)
	}
	plain := llm.Endpoint{BaseURL: "https://a.example/v1", Secret: "k"}
	azure := llm.Endpoint{BaseURL: "https://r.OpenAI.Azure.com/openai/v1", Secret: "k"}
	own := llm.Endpoint{BaseURL: "https://a.example/v1", Secret: "k", KeyElsewhere: true, Header: map[string]string{"X-Key": "{{secret:k}}"}}
	for _, c := range []struct {
		dialect string
		e       llm.Endpoint
		want    string
	}{
		{"/chat/completions", plain, `{"authorization":"Bearer {{secret:k}}"}`},
		{"/responses", plain, `{"authorization":"Bearer {{secret:k}}"}`},
		{"/messages", plain, `{"x-api-key":"{{secret:k}}"}`},
		{"/chat/completions", azure, `{"api-key":"{{secret:k}}"}`},
		{"/responses", azure, `{"api-key":"{{secret:k}}"}`},
		{"/chat/completions", own, `{"x-key":"{{secret:k}}"}`},
		{"/responses", own, `{"x-key":"{{secret:k}}"}`},
		{"/messages", own, `{"x-key":"{{secret:k}}"}`},
	} {
		if got := headers(byPath[c.dialect], c.e); got != c.want {
			t.Errorf("%s at %s sends %s, want %s", c.dialect, c.e.BaseURL, got, c.want)
		}
	}
}
