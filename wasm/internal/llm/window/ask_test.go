package window_test

import (
	"testing"

	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/llm/window"
)

func TestAServerIsAskedHowMuchAModelTakes(t *testing.T) {
	no := llmtest.Answer{Status: 404, Body: []byte("404 page not found")}
	const made = `{"model_info":{"general.architecture":"llama","llama.context_length":131072},"parameters":"stop \"x\"\nnum_ctx 4096\n"}`
	for name, c := range map[string]struct {
		answers []llmtest.Answer
		sized   bool
		want    int
	}{
		"llama.cpp":              {[]llmtest.Answer{{Body: []byte(`{"default_generation_settings":{"n_ctx":2048,"params":{}},"total_slots":1}`)}}, false, 2048},
		"Ollama, its own window": {[]llmtest.Answer{no, {Body: []byte(made)}}, false, 4096},
		"Ollama, a window of the size of requests":    {[]llmtest.Answer{no, {Body: []byte(made)}}, true, 131072},
		"Ollama, and nobody knows how it was started": {[]llmtest.Answer{no, {Body: []byte(`{"model_info":{"llama.context_length":131072}}`)}}, false, 0},
		"neither":        {[]llmtest.Answer{no, no}, true, 0},
		"pages":          {[]llmtest.Answer{{Body: []byte("<html>")}, {Body: []byte("<html>")}}, true, 0},
		"cut off":        {[]llmtest.Answer{{Body: []byte(made), CutAfter: 20}, {Body: []byte(made), CutAfter: 20}}, true, 0},
		"something else": {[]llmtest.Answer{{Body: []byte(`{"default_generation_settings":{"n_ctx":"big"}}`)}, {Body: []byte(`[]`)}}, true, 0},
	} {
		transport := llmtest.NewTransport(c.answers...)
		if got := window.Ask(t.Context(), llm.Endpoint{BaseURL: "http://127.0.0.1:8080/v1", Query: "a=b"}, transport, "m", c.sized); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
		for i, r := range transport.Requests() {
			want := []string{"GET http://127.0.0.1:8080/props", "POST http://127.0.0.1:8080/api/show"}[i]
			if got := r.Method + " " + r.URL; got != want {
				t.Errorf("%s: asked %s, want %s", name, got, want)
			}
		}
	}
}
