//go:build !js

package proxy

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/sentinel"
)

// modelText draws what a model might say: text, good and bad calls, pieces of markers.
func modelText() *rapid.Generator[string] {
	piece := rapid.OneOf(rapid.SampledFrom([]string{
		oslo, block("get_time", "{}"), block("nope", "{}"), block("get_weather", "[1]"), "<tool_call>", "</tool_call>", "<tool_call>{", "<~tool_call>",
		"\n", " ", "`", "text ", "🦊", `{"a":1}`, `<tool_call>{"name":"get_time","arguments":{"a":1,},}</tool_call>`,
	}), rapid.StringN(0, 8, -1))
	return rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(piece, 0, 8).Draw(t, "pieces"), "") })
}

// serve answers one request without a network.
func serve(s *Server, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "http://localhost/v1/responses", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	return w
}

func TestWhateverTheModelSaysTheStreamIsWellFormedAndEqualToTheWholeAnswer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.ToValidUTF8(modelText().Draw(t, "text"), "")
		again := strings.ToValidUTF8(modelText().Draw(t, "the second time"), "")
		tools := rapid.SampledFrom([]string{twoTools, oneStrict, `"tools":[]`, `"tools":[` + strictTool + `,` + timeTool + `]`}).Draw(t, "tools")
		more := rapid.SampledFrom([]string{"", `,"tool_choice":"none"`, `,"parallel_tool_calls":false`, `,"tool_choice":"required"`, `,"tool_choice":{"type":"function","name":"get_weather"}`}).Draw(t, "more")
		if strings.Contains(more, "required") || strings.Contains(more, "function") {
			if tools == `"tools":[]` {
				more = ""
			}
		}
		attempts := [][]Delta{deltas(t, text), deltas(t, again)}
		n := 0
		b := newScripted(func(_ context.Context, _ Prompt, emit func(Delta)) (Usage, error) {
			for _, d := range attempts[n%2] {
				emit(d)
			}
			n++
			return Usage{}, nil
		})
		s := New(Config{Limits: DefaultLimits()}, b)
		body := `{"input":"x",` + tools + more
		streamed, problems := checkStream(serve(s, body+`,"stream":true}`).Body.Bytes())
		if problems != nil {
			t.Fatalf("%q: want no problems, got %s", text, strings.Join(problems, "; "))
		}
		n = 0
		var whole anyMap
		if err := json.Unmarshal(serve(s, body+"}").Body.Bytes(), &whole); err != nil {
			t.Fatal(err)
		}
		if problems := checkObject(whole, whole["status"].(string)); problems != nil {
			t.Fatal("want no problems, got:", problems)
		}
		if a, b := short(streamed), short(whole); a != b || streamed["status"] != whole["status"] || !reflect.DeepEqual(streamed["error"], whole["error"]) {
			t.Fatalf("stream %s\n%s\nwhole %s\n%s", streamed["status"], a, whole["status"], b)
		}
	})
}

// deltas cuts a text at borders of characters, and into messages here and there.
func deltas(t *rapid.T, text string) []Delta {
	var out []Delta
	for text != "" {
		size := min(len(text), rapid.IntRange(1, 20).Draw(t, "piece"))
		for size < len(text) && text[size]&0xC0 == 0x80 {
			size++
		}
		out = append(out, Delta{Text: text[:size], NewMessage: rapid.IntRange(0, 15).Draw(t, "new message") == 0})
		text = text[size:]
	}
	return out
}

// FuzzRequest proves that no request, however odd, panics, is lost without an answer, or reaches the backend unread.
func FuzzRequest(f *testing.F) {
	for _, seed := range []string{
		`{"input":"x"}`, `{"model":null,"input":[{"role":"user","content":[{"type":"input_text","text":"a"}]}],` + twoTools + `}`,
		`{"input":[{"type":"function_call","call_id":"fc_9","name":"f","arguments":{"a":1}},{"type":"function_call_output","call_id":"fc_9","output":[{"type":"input_text","text":"x"}]}]}`,
		`{"input":"x","tool_choice":{"type":"allowed_tools","mode":"auto","tools":[{"type":"function","name":"get_time"}]},` + twoTools + `}`,
		`{"input":"x","text":{"format":{"type":"json_schema","schema":{}}},"stream":true}`, `[]`, `null`, `{"input":[null]}`, `{"input":"x","tools":[null]}`,
		`{"input":[{"role":"user","content":[{"type":"input_image","image_url":{"url":"data:image/png;base64,AA"}}]}],"reasoning":{"effort":"low"}}`,
	} {
		f.Add(seed)
	}
	s := New(Config{Limits: DefaultLimits()}, saying(oslo+" text"))
	f.Fuzz(func(t *testing.T, body string) {
		w := serve(s, body)
		if strings.HasPrefix(w.Header().Get("Content-Type"), "text/event-stream") {
			if _, problems := checkStream(w.Body.Bytes()); problems != nil {
				t.Errorf("want no problems, got %s", strings.Join(problems, "; "))
			}
			return
		}
		var out anyMap
		if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil {
			t.Fatalf("HTTP %d: %v", w.Code, err)
		}
		if w.Code != http.StatusOK && code(out) == "" || w.Code >= 500 {
			t.Errorf("HTTP %d: %v", w.Code, out)
		}
	})
}

func TestAClientThatDoesNotReadIsGivenUp(t *testing.T) {
	b := newScripted(func(ctx context.Context, _ Prompt, emit func(Delta)) (Usage, error) {
		for ctx.Err() == nil {
			emit(Delta{Text: strings.Repeat("endless ", 1000)})
		}
		return Usage{}, &llm.Error{Code: llm.CodeCancelled, Message: "Stopped."}
	})
	s := start(t, b, func(c *Config) { c.Limits.WriteTimeout = 100 * time.Millisecond })
	c, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	const body = `{"input":"x","stream":true}`
	_, _ = fmt.Fprintf(c, "POST /v1/responses HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	waitFor(t, func() bool { return b.asked() == 1 })
	b.waitFree()
	waitFor(t, func() bool { return strings.Contains(s.log.String(), `"outcome":"client_gone"`) })
}

func TestAnArgumentStringOfMegabytesGoesThroughWhole(t *testing.T) {
	city := strings.Repeat("a long \"city\"\n🦊 ", 120_000)
	args, err := json.Marshal(map[string]string{"city": city})
	if err != nil {
		t.Fatal(err)
	}
	call := block("get_weather", string(args))
	s := New(Config{Limits: DefaultLimits()}, newScripted(func(_ context.Context, _ Prompt, emit func(Delta)) (Usage, error) {
		for rest := call; rest != ""; {
			size := min(len(rest), 64<<10)
			for size < len(rest) && rest[size]&0xC0 == 0x80 {
				size++
			}
			emit(Delta{Text: rest[:size]})
			rest = rest[size:]
		}
		return Usage{}, nil
	}))
	res, problems := checkStream(serve(s, `{"input":"x","stream":true,`+oneStrict+`}`).Body.Bytes())
	if problems != nil {
		t.Fatal("want no problems, got:", strings.Join(problems, "; "))
	}
	if got := res["output"].([]any)[0].(anyMap)["arguments"]; got != string(args) {
		t.Errorf("%d bytes went in, others came out", len(args))
	}
}

func TestTheDeadlineIsForOneWriteAndNotForTheAnswer(t *testing.T) {
	s := start(t, newScripted(func(_ context.Context, _ Prompt, emit func(Delta)) (Usage, error) {
		emit(Delta{Text: "a"})
		<-time.After(150 * time.Millisecond) // longer than a write may take, without a write
		emit(Delta{Text: "b"})
		return Usage{}, nil
	}), func(c *Config) { c.Limits.WriteTimeout = 50 * time.Millisecond })
	for range 2 {
		if got := short(s.streamed(`{"input":"x"}`)); got != "ab" {
			t.Errorf("stream: %q", got)
		}
		if status, res := s.whole(`{"input":"x"}`); status != 200 || short(res) != "ab" {
			t.Errorf("whole: HTTP %d %v", status, res)
		}
	}
}

func TestTheManualNamesEveryFlagAndEveryCode(t *testing.T) {
	manual, err := os.ReadFile("../../../docs/proxy.md")
	if err != nil {
		t.Fatal(err)
	}
	var help strings.Builder
	_, _ = parseFlags([]string{"-h"}, &help)
	for line := range strings.Lines(help.String()) {
		name, ok := strings.CutPrefix(line, "  -")
		if !ok {
			continue
		}
		name, _, _ = strings.Cut(strings.TrimSpace(name), " ")
		if !strings.Contains(string(manual), "`--"+name) {
			t.Errorf("the manual does not name --%s", name)
		}
	}
	for _, c := range []string{
		"invalid_request", "invalid_image", "previous_response_not_found", "context_length_exceeded", "request_too_large",
		"unsupported_media_type", "timeout", "invalid_api_key", "origin_not_allowed", "host_not_allowed", "backend_authentication_failed",
		"rate_limit_exceeded", "model_not_found", "invalid_prompt", "server_error", "cancelled", "invalid_tool_call", "tool_choice_not_obeyed",
		TokenEnv, KeyEnv, sentinel.OpenTag,
	} {
		if !strings.Contains(string(manual), c) {
			t.Errorf("the manual does not name %s", c)
		}
	}
}
