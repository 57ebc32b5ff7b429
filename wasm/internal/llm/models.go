package llm

import (
	"context"
	"errors"
	"io"
	"sort"
	"strings"
	"time"

	"embedded-agent/wasm/internal/jsontree"
	"embedded-agent/wasm/internal/web"
)

// Model is a model that an endpoint offers.
type Model struct {
	ID   string `json:"id"`
	Name string `json:"name,omitempty"`
	// Context is the size of the window in tokens, 0 where the endpoint does not say.
	Context int64 `json:"context,omitempty"`
}

// ParseModels reads a list of models, sorted by id: {data:[{id}]} as OpenAI and Anthropic have it, {models:[…]} as some
// others, or a bare array.
func ParseModels(host string, body []byte) ([]Model, error) {
	v, err := jsontree.Parse(body)
	if err != nil {
		return nil, NewError("llm.error.shape", "host", host, "detail", err.Error())
	}
	list := v
	for _, name := range []string{"data", "models"} {
		if v.Get(name).Kind() == jsontree.Array {
			list = v.Get(name)
			break
		}
	}
	if list.Kind() != jsontree.Array {
		return nil, NewError("llm.error.shape", "host", host, "detail", "no list of models")
	}
	models := []Model{}
	for m := range list.Elements() {
		if model := parseModel(m); model.ID != "" {
			models = append(models, model)
		}
	}
	sort.Slice(models, func(i, j int) bool { return models[i].ID < models[j].ID })
	return models, nil
}

func parseModel(m jsontree.Value) Model {
	first := func(names ...string) jsontree.Value {
		for _, name := range names {
			if v := m.Get(name); v.Exists() && !v.Is("") {
				return v
			}
		}
		return jsontree.Value{}
	}
	return Model{
		ID:      strings.TrimPrefix(first("id", "name", "model").Str(), "models/"), // as Gemini has it
		Name:    first("display_name", "name").Str(),
		Context: contextOf(m, first),
	}
}

// contextNames are the names under which lists tell the window of a model: how a server runs it before how it was made.
var contextNames = []string{"loaded_context_length", "context_length", "context_window", "max_context_length", "max_model_len", "max_input_tokens", "inputTokenLimit"}

// contextOf gives the window of a model in a list; llama.cpp has it in an object of its own.
func contextOf(m jsontree.Value, first func(names ...string) jsontree.Value) int64 {
	if n := m.Get("meta").Get("n_ctx").Int(); n > 0 {
		return n
	}
	return first(contextNames...).Int()
}

// maxList limits the list of models, in bytes.
const maxList = 16 << 20

// FetchModels asks an endpoint for its models.
func FetchModels(ctx context.Context, d Dialect, e Endpoint, t web.Transport) ([]Model, error) {
	answer, err := t.Do(ctx, d.Models(e))
	if err != nil {
		return nil, AsError(err, e.Host())
	}
	defer answer.Close()
	var body []byte
	for {
		chunk, err := answer.Read(ctx)
		if body = append(body, chunk...); len(body) > maxList {
			return nil, NewError("llm.error.tooLarge", "host", e.Host(), "detail", "the list of models")
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, AsError(err, e.Host())
		}
	}
	if answer.Status() < 200 || answer.Status() > 299 {
		return nil, HTTPError(e.Host(), answer.Status(), web.RetryAfter(answer.Header, time.Time{}), body)
	}
	if sniff(body) == modePage {
		return nil, NewError("llm.error.html", "host", e.Host())
	}
	return ParseModels(e.Host(), body)
}
