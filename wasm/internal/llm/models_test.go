package llm_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/anthropic"
	"embedded-agent/wasm/internal/llm/chat"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/llm/openai"
)

func TestModelListsAreRead(t *testing.T) {
	cases := map[string][]llm.Model{
		`{"object":"list","data":[{"id":"b"},{"id":"a","context_length":128000}]}`:           {{ID: "a", Context: 128000}, {ID: "b"}},
		`{"data":[{"type":"model","id":"claude","display_name":"Claude"}],"has_more":false}`: {{ID: "claude", Name: "Claude"}},
		`{"models":[{"name":"llama","model":"llama"}]}`:                                      {{ID: "llama", Name: "llama"}},
		`[{"id":"x","max_model_len":4096},{"id":""},{},null,3]`:                              {{ID: "x", Context: 4096}},
		`{"models":[{"name":"n"}],"object":"list","data":[{"id":"d","meta":{}}]}`:            {{ID: "d"}},
		`{"data":[]}`: {},
		`{"data":[{"id":"gguf","meta":{"n_ctx":4096,"n_ctx_train":131072}}]}`:                {{ID: "gguf", Context: 4096}},
		`{"data":[{"id":"lm","loaded_context_length":4096,"max_context_length":131072}]}`:    {{ID: "lm", Context: 4096}},
		`{"data":[{"id":"or","context_length":200000,"top_provider":{"context_length":8}}]}`: {{ID: "or", Context: 200000}},
	}
	for body, want := range cases {
		got, err := llm.ParseModels("h", []byte(body))
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: it differs from what was wanted (-want +got): %v %s", body, err, diff)
		}
	}
	for _, bad := range []string{``, `{}`, `{"data":3}`, strings.Repeat("[", 1000)} {
		if _, err := llm.ParseModels("h", []byte(bad)); err == nil || llm.AsError(err, "").Key != "llm.error.shape" {
			t.Errorf("%s: want an error and Key \"llm.error.shape\", got %v", bad, err)
		}
	}
}

func TestModelsAreFetched(t *testing.T) {
	list := []byte(`{"data":[{"id":"a"}]}`)
	for _, d := range []llm.Dialect{openai.Dialect{}, chat.Dialect{}, anthropic.Dialect{}} {
		transport := llmtest.NewTransport(llmtest.Answer{Body: list, Chunk: 4})
		got, err := llm.FetchModels(t.Context(), d, endpoint, transport)
		if err != nil || len(got) != 1 || got[0].ID != "a" || transport.Closed() != 1 {
			t.Errorf("%s: want no error, 1 of them, got[0].ID \"a\" and Closed 1, got %v %v", d.Name(), got, err)
		}
		r := transport.Requests()[0]
		if r.Method != "GET" || !strings.HasPrefix(r.URL, "https://model.example/v1/models") || r.Body != nil || r.Stream {
			t.Errorf("%s: want Method \"GET\", URL beginning with \"https://model.example/v1/models\", no Body and Stream false, got %+v", d.Name(), r)
		}
		if r.Header["authorization"]+r.Header["x-api-key"] == "" {
			t.Errorf("%s: no key", d.Name())
		}
	}
	for name, c := range map[string]struct {
		answer llmtest.Answer
		key    string
	}{
		"a refused key": {llmtest.Answer{Status: 401, Body: []byte(`{}`)}, "llm.error.auth"},
		"a page":        {llmtest.Answer{Body: []byte("<html>")}, "llm.error.html"},
		"cut":           {llmtest.Answer{Body: list, CutAfter: 3}, "llm.error.network"},
		"unreachable":   {llmtest.Answer{Refuse: llm.NewError("llm.error.network")}, "llm.error.network"},
	} {
		if _, err := llm.FetchModels(t.Context(), chat.Dialect{}, endpoint, llmtest.NewTransport(c.answer)); err == nil || llm.AsError(err, "").Key != c.key {
			t.Errorf("%s: want an error and Key as in the case, got %v", name, err)
		}
	}
}
