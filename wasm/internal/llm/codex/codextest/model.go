//go:build !js

// Package codextest holds what tests of the Codex app-server need: a model server on the loopback interface that says what
// the test wants, and a stand-in for the app-server that plays recordings.
package codextest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// Answer is the model server's answer to one request.
type Answer struct {
	Status int      // other than 0 and 200: this HTTP status with an error body
	Items  []string // done output items before the streamed one, each a whole message text
	Calls  []Call   // of tools, in place of the streamed message
	Chunks []string // the text of the streamed message
	Cut    bool     // break the connection after the chunks
	Failed string   // end with response.failed and this message
	Usage  [2]int   // input and output tokens
	// Incomplete, when not empty, is the reason of a response.incomplete at the end.
	Incomplete string
	// Hold, when not nil, is waited for (or for the client to leave) after the chunks.
	Hold <-chan struct{}
}

// Call is a call of a tool that the model makes.
type Call struct {
	Namespace, Name string // as the request offers them; a tool of no server has no namespace
	Args            string // JSON
}

// ModelServer is a loopback server of the Responses API.
type ModelServer struct {
	*httptest.Server
	answer func(n int, body []byte) Answer

	mu     sync.Mutex // guards what follows
	bodies [][]byte
	gone   int
	items  int
}

// NewModelServer starts a server whose n-th request (from 0) is answered by answer. It is closed with the test.
func NewModelServer(t testing.TB, answer func(n int, body []byte) Answer) *ModelServer {
	s := &ModelServer{answer: answer}
	s.Server = httptest.NewServer(s)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

// Requests are the bodies received so far.
func (s *ModelServer) Requests() [][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([][]byte(nil), s.bodies...)
}

// Gone counts the requests whose client left before the answer was whole.
func (s *ModelServer) Gone() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.gone
}

func (s *ModelServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		http.NotFound(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	s.mu.Lock()
	n := len(s.bodies)
	s.bodies = append(s.bodies, body)
	s.mu.Unlock()
	a := s.answer(n, body)
	if a.Status != 0 && a.Status != http.StatusOK {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(a.Status)
		_, _ = fmt.Fprintf(w, `{"error":{"message":"scripted status %d","type":"invalid_request_error","code":null}}`, a.Status)
		return
	}
	s.stream(w, r, a)
}

func (s *ModelServer) stream(w http.ResponseWriter, r *http.Request, a Answer) {
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(kind string, fields map[string]any) {
		fields["type"] = kind
		data, _ := json.Marshal(fields) // maps of strings and numbers always marshal
		_, _ = fmt.Fprintf(w, "event: %s\ndata: %s\n\n", kind, data)
		w.(http.Flusher).Flush()
	}
	send("response.created", map[string]any{"response": map[string]any{"id": "resp_x"}})
	index := 0
	for _, text := range a.Items {
		s.item(send, index, []string{text}, true)
		index++
	}
	for _, c := range a.Calls {
		s.call(send, index, c)
		index++
	}
	if len(a.Calls) == 0 {
		s.item(send, index, a.Chunks, !a.Cut && a.Failed == "" && a.Hold == nil)
	}
	if a.Hold != nil {
		select {
		case <-a.Hold:
		case <-r.Context().Done():
			s.mu.Lock()
			s.gone++
			s.mu.Unlock()
			return
		}
	}
	switch {
	case a.Cut:
		panic(http.ErrAbortHandler)
	case a.Failed != "":
		send("response.failed", map[string]any{"response": map[string]any{"id": "resp_x", "status": "failed", "error": map[string]any{"code": "server_error", "message": a.Failed}}})
	case a.Incomplete != "":
		send("response.incomplete", map[string]any{"response": map[string]any{
			"id": "resp_x", "status": "incomplete", "incomplete_details": map[string]any{"reason": a.Incomplete}, "usage": usage(a.Usage),
		}})
	default:
		send("response.completed", map[string]any{"response": map[string]any{"id": "resp_x", "usage": usage(a.Usage)}})
	}
}

func usage(n [2]int) map[string]any {
	return map[string]any{
		"input_tokens": n[0], "input_tokens_details": map[string]any{"cached_tokens": 0}, "output_tokens": n[1],
		"output_tokens_details": map[string]any{"reasoning_tokens": 0}, "total_tokens": n[0] + n[1],
	}
}

// call sends a whole call of a tool.
func (s *ModelServer) call(send func(string, map[string]any), index int, c Call) {
	s.mu.Lock()
	s.items++
	n := s.items
	s.mu.Unlock()
	item := map[string]any{"type": "function_call", "id": fmt.Sprintf("fc_%d", n), "call_id": fmt.Sprintf("call_%d", n), "name": c.Name, "arguments": c.Args}
	if c.Namespace != "" {
		item["namespace"] = c.Namespace
	}
	send("response.output_item.added", map[string]any{"output_index": index, "item": item})
	send("response.output_item.done", map[string]any{"output_index": index, "item": item})
}

func (s *ModelServer) item(send func(string, map[string]any), index int, chunks []string, done bool) {
	s.mu.Lock()
	s.items++
	id := fmt.Sprintf("msg_%d", s.items)
	s.mu.Unlock()
	message := func(text string) map[string]any {
		content := []any{}
		if text != "" {
			content = append(content, map[string]any{"type": "output_text", "text": text, "annotations": []any{}})
		}
		return map[string]any{"type": "message", "role": "assistant", "id": id, "content": content}
	}
	send("response.output_item.added", map[string]any{"output_index": index, "item": message("")})
	whole := ""
	for _, c := range chunks {
		whole += c
		send("response.output_text.delta", map[string]any{"output_index": index, "content_index": 0, "item_id": id, "delta": c})
	}
	if done {
		send("response.output_item.done", map[string]any{"output_index": index, "item": message(whole)})
	}
}
