package window

import (
	"context"
	"errors"
	"io"
	"net/url"
	"strconv"
	"strings"

	"embedded-agent/wasm/internal/jsontree"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/web"
)

// maxAnswer limits what a server tells of a model, in bytes. Ollama gives templates and licences along with it.
const maxAnswer = 4 << 20

// Ask asks a server on a computer of the person's how many tokens a model takes: llama.cpp by /props, Ollama by
// /api/show, both at the root of the server. 0 where neither answers with a number. (A list of models may tell it too:
// llm.Model.Context.)
//
// Sized says that requests ask for a window of their size, as those in Ollama's own language do: then counts how the
// model was made. Of others Ollama's word counts only where the model has a window of its own, since by how the server
// was started, which it does not tell, there may be less.
func Ask(ctx context.Context, e llm.Endpoint, t web.Transport, model string, sized bool) int {
	root, err := url.Parse(e.BaseURL)
	if err != nil {
		return 0
	}
	at := e
	at.BaseURL, at.Query = root.Scheme+"://"+root.Host, ""
	if v, ok := get(ctx, t, web.Request{Method: "GET", URL: at.Join("/props"), Header: at.Bearer(false)}); ok {
		if n := v.Get("default_generation_settings").Get("n_ctx").Int(); n > 0 {
			return int(n)
		}
	}
	body, err := llm.Marshal(map[string]string{"model": model})
	if err != nil {
		return 0
	}
	v, ok := get(ctx, t, web.Request{Method: "POST", URL: at.Join("/api/show"), Header: at.Bearer(false), Body: body})
	if !ok {
		return 0
	}
	return shown(v, sized)
}

// shown reads Ollama's word: the length that the model was made for, or num_ctx among its parameters.
func shown(v jsontree.Value, sized bool) int {
	if sized {
		for name, value := range v.Get("model_info").Members() {
			if strings.HasSuffix(name, ".context_length") {
				return int(value.Int())
			}
		}
	}
	for line := range strings.Lines(v.Get("parameters").Str()) {
		words := strings.Fields(line)
		if len(words) == 2 && words[0] == "num_ctx" {
			if n, err := strconv.Atoi(words[1]); err == nil && n > 0 {
				return n
			}
		}
	}
	return 0
}

// get sends a request and reads its answer as JSON; false where there is none.
func get(ctx context.Context, t web.Transport, r web.Request) (jsontree.Value, bool) {
	answer, err := t.Do(ctx, r)
	if err != nil {
		return jsontree.Value{}, false
	}
	defer answer.Close()
	var body []byte
	for {
		chunk, err := answer.Read(ctx)
		if body = append(body, chunk...); len(body) > maxAnswer || err != nil && !errors.Is(err, io.EOF) {
			return jsontree.Value{}, false
		}
		if err != nil {
			break
		}
	}
	if answer.Status() < 200 || answer.Status() > 299 {
		return jsontree.Value{}, false
	}
	v, err := jsontree.Parse(body)
	return v, err == nil
}
