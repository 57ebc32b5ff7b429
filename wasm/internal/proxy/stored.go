//go:build !js

package proxy

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"embedded-agent/wasm/internal/llm"
)

// notFound is the error for a response that is not there.
func notFound(id string) *wireError {
	return &wireError{
		Status: http.StatusNotFound, Code: "not_found",
		Message: fmt.Sprintf("The response %q is not known: it was not stored, or was removed to make room.", clip(id, 80)),
	}
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(append(mustJSON(v), '\n')) // the client may be gone
}

// stored gives a stored response as it was sent.
func (s *Server) stored(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	e, ok := s.store.find(id)
	switch {
	case !ok:
		notFound(id).write(w)
	case r.URL.Query().Get("stream") == "true":
		badRequest("stream", "A stored response is given in one piece here. Leave stream out.").write(w)
	default:
		writeJSON(w, json.RawMessage(e.body))
	}
}

// forget removes a stored response.
func (s *Server) forget(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	if !s.store.remove(id) {
		notFound(id).write(w)
		return
	}
	writeJSON(w, map[string]any{"id": id, "object": "response", "deleted": true})
}

// inputItems lists what a stored response was an answer to, that of earlier responses included.
func (s *Server) inputItems(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	e, ok := s.store.find(id)
	if !ok {
		notFound(id).write(w)
		return
	}
	items := make([]map[string]json.RawMessage, e.input)
	for i := range items {
		items[i] = listed(e.wire[i], fmt.Sprintf("item_%s_%d", id, i))
	}
	page, more, err := pageOf(items, r)
	if err != nil {
		err.write(w)
		return
	}
	list := map[string]any{"object": "list", "data": page, "has_more": more, "first_id": nil, "last_id": nil}
	if n := len(page); n > 0 {
		list["first_id"], list["last_id"] = page[0]["id"], page[n-1]["id"]
	}
	writeJSON(w, list)
}

// listed is an item with everything that a client may leave out: type, id, status, and parts in the place of a text.
func listed(wire json.RawMessage, id string) map[string]json.RawMessage {
	var item map[string]json.RawMessage
	if json.Unmarshal(wire, &item) != nil {
		item = map[string]json.RawMessage{} // it has been read before
	}
	set := func(name, value string) {
		if !given(item[name]) {
			item[name] = mustJSON(value)
		}
	}
	set("type", "message")
	set("id", id)
	set("status", "completed")
	var text string
	if content := item["content"]; given(content) && json.Unmarshal(content, &text) == nil {
		part := textPart{Type: "output_text", Annotations: []any{}, Logprobs: []any{}, Text: text}
		if string(item["role"]) == `"assistant"` {
			item["content"] = mustJSON([]textPart{part})
		} else {
			item["content"] = mustJSON([]map[string]string{{"type": "input_text", "text": text}})
		}
	}
	return item
}

// pageOf gives the part of a list that a request asks for: the last items first unless it says asc, 20 unless it says more.
func pageOf(items []map[string]json.RawMessage, r *http.Request) (page []map[string]json.RawMessage, more bool, refused *wireError) {
	query := r.URL.Query()
	switch query.Get("order") {
	case "", "desc":
		slices.Reverse(items)
	case "asc":
	default:
		return nil, false, badRequest("order", "order is asc or desc.")
	}
	limit := 20
	if text := query.Get("limit"); text != "" {
		var err error
		if limit, err = strconv.Atoi(text); err != nil || limit < 1 || limit > 100 {
			return nil, false, badRequest("limit", "limit is a number from 1 to 100.")
		}
	}
	if after := query.Get("after"); after != "" {
		at := slices.IndexFunc(items, func(it map[string]json.RawMessage) bool { return string(it["id"]) == string(mustJSON(after)) })
		if at < 0 {
			return nil, false, badRequest("after", "after names no item of this response.")
		}
		items = items[at+1:]
	}
	return items[:min(limit, len(items))], len(items) > limit, nil
}

// inputTokens estimates the tokens of a request that is not made: no backend of text counts them beforehand.
func (s *Server) inputTokens(w http.ResponseWriter, r *http.Request) {
	req, err := s.read(w, r, decodeRequest)
	if err != nil {
		err.write(w)
		return
	}
	text, items, failed := req.instructions()
	if failed != nil {
		badRequest("", failed.Error()).write(w)
		return
	}
	n := llm.EstimateTokens(text)
	for _, it := range items {
		n += llm.EstimateTokens(it.Name + it.Arguments + it.Output)
		for _, p := range it.Parts {
			n += llm.EstimateTokens(p.Text)
			if p.ImageURL != "" {
				n += llm.ImageTokens
			}
		}
	}
	writeJSON(w, map[string]any{"object": "response.input_tokens", "input_tokens": n})
}
