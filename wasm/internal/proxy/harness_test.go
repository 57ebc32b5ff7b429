//go:build !js

package proxy

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/sentinel"
)

// scriptedBackend answers as a test wants. It counts who asks, so that a test can see that it is free again.
type scriptedBackend struct {
	answer func(ctx context.Context, p Prompt, emit func(Delta)) (Usage, error)

	mu      sync.Mutex
	prompts []Prompt
	busy    int
	freed   *sync.Cond
}

func newScripted(answer func(ctx context.Context, p Prompt, emit func(Delta)) (Usage, error)) *scriptedBackend {
	b := &scriptedBackend{answer: answer}
	b.freed = sync.NewCond(&b.mu)
	return b
}

// saying answers every request with the texts, one after the other, the last again and again.
func saying(texts ...string) *scriptedBackend {
	n := 0
	var mu sync.Mutex
	return newScripted(func(_ context.Context, _ Prompt, emit func(Delta)) (Usage, error) {
		mu.Lock()
		text := texts[min(n, len(texts)-1)]
		n++
		mu.Unlock()
		for rest := text; rest != ""; {
			size := min(7, len(rest))
			for size < len(rest) && rest[size]&0xC0 == 0x80 {
				size++
			}
			emit(Delta{Text: rest[:size]})
			rest = rest[size:]
		}
		return Usage{Input: 11, Output: 7}, nil
	})
}

func (b *scriptedBackend) Ask(ctx context.Context, p Prompt, emit func(Delta)) (Usage, error) {
	b.mu.Lock()
	b.prompts = append(b.prompts, p)
	b.busy++
	b.mu.Unlock()
	defer func() {
		b.mu.Lock()
		b.busy--
		b.freed.Broadcast()
		b.mu.Unlock()
	}()
	return b.answer(ctx, p, emit)
}

func (b *scriptedBackend) waitFree() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.busy > 0 {
		b.freed.Wait()
	}
}

func (b *scriptedBackend) last() Prompt {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.prompts[len(b.prompts)-1]
}

func (b *scriptedBackend) asked() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.prompts)
}

func (b *scriptedBackend) CheckImage(url string) error {
	if !strings.HasPrefix(url, "data:image/") {
		return &llm.Error{Code: llm.CodeValidation, Message: "not a data URL"}
	}
	return nil
}

func (b *scriptedBackend) Models(context.Context) ([]string, error) { return []string{"talker"}, nil }
func (b *scriptedBackend) Status() (string, bool)                   { return "scripted", true }
func (b *scriptedBackend) Close()                                   {}

// system is a proxy that listens, and what it logged.
type system struct {
	*scriptedBackend
	t      testing.TB
	url    string
	server *Server
	log    *syncBuffer
	stop   context.CancelFunc
	ended  chan error
	client *http.Client
}

type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func start(t testing.TB, b *scriptedBackend, change ...func(*Config)) *system {
	t.Helper()
	log := &syncBuffer{}
	cfg := Config{Model: "talker", Origins: DefaultOrigins(), Limits: DefaultLimits(), Log: log}
	cfg.Limits.ShutdownGrace = time.Second
	for _, c := range change {
		c(&cfg)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	s := &system{
		scriptedBackend: b, t: t, url: "http://" + l.Addr().String(), server: New(cfg, b), log: log, stop: stop, ended: make(chan error, 1),
		client: &http.Client{Transport: &http.Transport{DisableCompression: true}},
	}
	go func() { s.ended <- s.server.Serve(ctx, l) }()
	t.Cleanup(func() {
		s.client.CloseIdleConnections()
		stop()
		<-s.ended
		s.ended <- nil
	})
	return s
}

func (s *system) post(ctx context.Context, body string) (*http.Response, error) {
	return s.postTo(ctx, "/v1/responses", body)
}

func (s *system) postTo(ctx context.Context, path, body string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	return s.client.Do(req)
}

// whole posts a request and returns status and body.
func (s *system) whole(body string) (int, anyMap) {
	s.t.Helper()
	resp, err := s.post(context.Background(), body)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	var out anyMap
	if err := json.NewDecoder(resp.Body).Decode(&out); err != nil {
		s.t.Fatal(err)
	}
	if resp.StatusCode == http.StatusOK {
		for _, p := range checkObject(out, out["status"].(string)) {
			s.t.Error(p)
		}
	}
	return resp.StatusCode, out
}

// streamed posts a request as a stream, checks it, and returns the final response.
func (s *system) streamed(body string) anyMap {
	s.t.Helper()
	resp, err := s.post(context.Background(), strings.TrimSuffix(body, "}")+`,"stream":true}`)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	if resp.StatusCode != http.StatusOK {
		s.t.Fatalf("HTTP %d: %s", resp.StatusCode, raw)
	}
	res, problems := checkStream(raw)
	for _, p := range problems {
		s.t.Error(p)
	}
	return res
}

// short writes the output in one line: texts quoted, calls as id:name(arguments).
func short(res anyMap) string {
	var parts []string
	for _, o := range res["output"].([]any) {
		it := o.(anyMap)
		switch it["type"] {
		case "message":
			parts = append(parts, it["content"].([]any)[0].(anyMap)["text"].(string))
		case "custom_tool_call":
			parts = append(parts, it["id"].(string)+":"+it["name"].(string)+"["+it["input"].(string)+"]")
		case "function_call":
			parts = append(parts, it["id"].(string)+":"+it["name"].(string)+"("+it["arguments"].(string)+")")
		}
	}
	return strings.Join(parts, "|")
}

func code(res anyMap) string {
	if e, ok := res["error"].(anyMap); ok {
		s, _ := e["code"].(string)
		return s
	}
	return ""
}

func block(name, arguments string) string {
	b, _ := json.Marshal(map[string]string{"name": name, "arguments": arguments}) // strings always marshal
	return sentinel.OpenTag + string(b) + sentinel.CloseTag
}

const (
	weatherTool  = `{"type":"function","name":"get_weather","description":"Weather","parameters":{"type":"object","properties":{"city":{"type":"string"}}}}`
	timeTool     = `{"type":"function","name":"get_time","parameters":{"type":"object"}}`
	strictTool   = `{"type":"function","name":"get_weather","strict":true,"parameters":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}}`
	nestedTool   = `{"type":"function","function":{"name":"get_weather","parameters":{"type":"object"}}}`
	twoTools     = `"tools":[` + weatherTool + `,` + timeTool + `]`
	oneStrict    = `"tools":[` + strictTool + `]`
	weatherInput = `"input":"Weather in Oslo?"`
)
