package llm_test

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/anthropic"
	"embedded-agent/wasm/internal/llm/chat"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/price"
)

var endpoint = llm.Endpoint{BaseURL: "https://model.example/v1", Secret: "key"}

func recording(t *testing.T, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile("chat/testdata/answers/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func hello() llm.Request {
	return llm.Request{Model: "m", Messages: []llm.Message{llm.UserMessage("Hello")}}
}

// ask runs one request and gives its events.
func ask(t *testing.T, ctx context.Context, o llm.Options, answers ...llmtest.Answer) ([]llm.Event, llm.Message, *llmtest.Transport) {
	t.Helper()
	transport := llmtest.NewTransport(answers...)
	var events []llm.Event
	m, _ := llm.Collect(llm.NewProvider(chat.Dialect{}, endpoint, transport, o).Stream(ctx, hello()), func(e llm.Event) {
		events = append(events, e)
	})
	llmtest.CheckStream(t, events)
	return events, m, transport
}

func TestAnAnswerIsStreamed(t *testing.T) {
	_, m, transport := ask(t, t.Context(), llm.Options{}, llmtest.Answer{Body: recording(t, "tools.sse"), Chunk: 10})
	if m.Text() != "I look it up 🌍." || len(m.Calls()) != 2 || m.StopReason != llm.StopToolUse {
		t.Errorf("want Text \"I look it up 🌍.\", 2 Calls and StopReason llm.StopToolUse, got %+v", m)
	}
	r := transport.Requests()[0]
	if r.Header["authorization"] != "Bearer {{secret:key}}" || !r.Stream || r.URL != "https://model.example/v1/chat/completions" {
		t.Errorf("want Header[\"authorization\"] \"Bearer {{secret:key}}\", Stream true and URL \"https://model.example/v1/chat/completions\", got %+v", r)
	}
	if transport.Closed() != 1 {
		t.Error("the connection stays open")
	}
}

func TestABusyEndpointIsAskedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var waits []time.Duration
		o := llm.Options{OnRetry: func(r llm.Retry) func() {
			waits = append(waits, r.Wait)
			if r.Why.Code != llm.CodeRateLimit {
				t.Errorf("want Code llm.CodeRateLimit, got %+v", r.Why)
			}
			return nil
		}}
		start := time.Now()
		_, m, transport := ask(t, t.Context(), o,
			llmtest.Answer{Status: 429, Header: map[string]string{"retry-after": "3"}, Body: []byte(`{"error":{"message":"slow down"}}`)},
			llmtest.Answer{Status: 429, Header: map[string]string{"retry-after-ms": "1500"}, Body: []byte(`{}`)},
			llmtest.Answer{Body: recording(t, "no-done.sse")})
		if m.Text() != "All." || len(transport.Requests()) != 3 || transport.Closed() != 3 {
			t.Errorf("%+v after %d requests", m, len(transport.Requests()))
		}
		if len(waits) != 2 || waits[0] != 3*time.Second || waits[1] != 1500*time.Millisecond || time.Since(start) != 4500*time.Millisecond {
			t.Errorf("waited %v, %v in all", waits, time.Since(start))
		}
	})
}

func TestFailuresThatPassAreTriedAgainBeforeTheFirstEvent(t *testing.T) {
	good := recording(t, "no-done.sse")
	for name, bad := range map[string]llmtest.Answer{
		"no connection":                  {Refuse: errors.New("connection refused")},
		"cut before the first byte":      {CutAfter: -1},
		"empty":                          {},
		"overloaded, said in the stream": {Body: []byte("data: {\"error\":{\"type\":\"overloaded_error\",\"message\":\"x\"}}\n\n")},
		"a start and nothing else":       {Body: []byte("data: {\"id\":\"1\",\"choices\":[{\"delta\":{\"role\":\"assistant\"}}]}\n\n")},
		"a web page with a status":       {Status: 502, Body: []byte("<html>Bad gateway</html>")},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				events, m, transport := ask(t, t.Context(), llm.Options{}, bad, llmtest.Answer{Body: good})
				if m.Text() != "All." || len(transport.Requests()) != 2 || len(events) == 0 {
					t.Errorf("%+v after %d requests", m, len(transport.Requests()))
				}
			})
		})
	}
}

func TestFailuresThatStayAreTold(t *testing.T) {
	cases := []struct {
		name   string
		answer llmtest.Answer
		key    string
		code   string
	}{
		{"a refused key", llmtest.Answer{Status: 401, Body: []byte(`{"error":{"message":"Incorrect API key"}}`)}, "llm.error.auth", llm.CodeAuth},
		{"a forbidden model", llmtest.Answer{Status: 403, Body: []byte(`{"error":"no access"}`)}, "llm.error.auth", llm.CodeAuth},
		{"no credit", llmtest.Answer{Status: 429, Body: []byte(`{"error":{"code":"insufficient_quota","message":"x"}}`)}, "llm.error.quota", llm.CodeRateLimit},
		{"a bad request", llmtest.Answer{Status: 400, Body: []byte(`{"error":{"message":"bad temperature"}}`)}, "llm.error.request", llm.CodeValidation},
		{"too long", llmtest.Answer{Status: 400, Body: []byte(`{"error":{"code":"context_length_exceeded","message":"x"}}`)}, "llm.error.tooLong", llm.CodeValidation},
		{"an unknown model", llmtest.Answer{Status: 404, Body: []byte(`{"error":{"message":"no such model"}}`)}, "llm.error.notFound", llm.CodeNotFound},
		{"a login page", llmtest.Answer{Body: []byte("\n<!DOCTYPE html><title>Sign in</title>")}, "llm.error.html", llm.CodeProvider},
		{"a login page with a status", llmtest.Answer{Status: 404, Body: []byte("<html></html>")}, "llm.error.html", llm.CodeProvider},
		{"something else", llmtest.Answer{Body: []byte(`{"hello":"world"}`)}, "llm.error.shape", llm.CodeProvider},
		{"not JSON", llmtest.Answer{Body: []byte("data: {oops}\n\n")}, "llm.error.shape", llm.CodeProvider},
		{"nested too deeply", llmtest.Answer{Body: []byte("data: " + strings.Repeat("[", 5000) + "\n\n")}, "llm.error.shape", llm.CodeProvider},
		{"nested too deeply, whole", llmtest.Answer{Body: []byte(`{"a":` + strings.Repeat("[", 5000))}, "llm.error.shape", llm.CodeProvider},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, m, transport := ask(t, t.Context(), llm.Options{}, c.answer)
			if m.Error == nil || m.Error.Key != c.key || m.Error.Code != c.code {
				t.Errorf("want Error set, Error.Key as in the case and Error.Code as in the case, got %+v", m.Error)
			}
			if len(transport.Requests()) != 1 {
				t.Errorf("asked %d times", len(transport.Requests()))
			}
			if m.Error != nil && !strings.Contains(m.Error.Message, "model.example") && c.key != "llm.error.tooLong" {
				t.Errorf("who failed is not said: %s", m.Error.Message)
			}
		})
	}
}

func TestWhatHadArrivedIsKeptWhenTheConnectionBreaks(t *testing.T) {
	raw := recording(t, "tools.sse")
	at := strings.Index(string(raw), `"arguments":"{}"`)
	_, m, transport := ask(t, t.Context(), llm.Options{}, llmtest.Answer{Body: raw, Chunk: 50, CutAfter: at}, llmtest.Answer{Body: raw})
	if m.Error == nil || m.Error.Key != "llm.error.cut" || m.Error.Code != llm.CodeNetwork || m.StopReason != llm.StopError {
		t.Fatalf("want Error set, Error.Key \"llm.error.cut\", Error.Code llm.CodeNetwork and StopReason llm.StopError, got %+v", m)
	}
	if m.Text() != "I look it up 🌍." || len(m.Calls()) != 2 {
		t.Errorf("want Text \"I look it up 🌍.\" and 2 Calls, got %+v", m.Content)
	}
	for _, c := range m.Calls() {
		if c.Executable() {
			t.Errorf("%+v can be executed", c)
		}
	}
	if len(transport.Requests()) != 1 {
		t.Error("it was asked again although the person had seen the beginning")
	}
}

func TestTheLastAttemptIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		busy := llmtest.Answer{Status: 503}
		_, m, transport := ask(t, t.Context(), llm.Options{}, busy, busy, busy, busy, busy)
		if len(transport.Requests()) != llm.DefaultRetry.Attempts || m.Error == nil || m.Error.Key != "llm.error.overloaded" {
			t.Errorf("%+v after %d requests", m.Error, len(transport.Requests()))
		}
	})
}

func TestAnEndpointThatAsksForTooLongIsTold(t *testing.T) {
	_, m, transport := ask(t, t.Context(), llm.Options{}, llmtest.Answer{Status: 429, Header: map[string]string{"retry-after": "3600"}})
	if len(transport.Requests()) != 1 || m.Error == nil || m.Error.Code != llm.CodeRateLimit || m.Error.RetryAfterS != 3600 || !m.Error.Retryable {
		t.Errorf("want 1 Requests, Error set, Error.Code llm.CodeRateLimit, Error.RetryAfterS 3600 and Error.Retryable true, got %+v", m.Error)
	}
}

func TestStoppingEndsTheStream(t *testing.T) {
	raw := recording(t, "tools.sse")
	for name, answer := range map[string]llmtest.Answer{
		"before the answer":          {Body: nil, Hang: true},
		"in the middle":              {Body: raw[:900], Hang: true},
		"while waiting to try again": {Status: 503},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				go func() {
					synctest.Wait()
					cancel()
				}()
				_, m, transport := ask(t, ctx, llm.Options{}, answer)
				if m.StopReason != llm.StopAborted || m.Error.Code != llm.CodeCancelled {
					t.Errorf("want StopReason llm.StopAborted and Error.Code llm.CodeCancelled, got %+v", m)
				}
				if transport.Closed() != 1 {
					t.Error("the connection stays open")
				}
			})
		})
	}
}

func TestASilentEndpointTimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		_, m, _ := ask(t, t.Context(), llm.Options{Idle: 30 * time.Second},
			llmtest.Answer{Body: recording(t, "tools.sse")[:900], Chunk: 100, Hang: true})
		if m.Error == nil || m.Error.Code != llm.CodeTimeout || m.Text() == "" || time.Since(start) != 30*time.Second {
			t.Errorf("%+v after %v", m.Error, time.Since(start))
		}
	})
}

func TestADeadlineTimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, m, _ := ask(t, ctx, llm.Options{}, llmtest.Answer{Hang: true})
		if m.Error == nil || m.Error.Code != llm.CodeTimeout {
			t.Errorf("want Error set and Error.Code llm.CodeTimeout, got %+v", m.Error)
		}
	})
}

func TestARequestThatCannotBeBuiltIsNotSent(t *testing.T) {
	transport := llmtest.NewTransport()
	r := hello()
	r.Tools = []llm.Tool{{Name: "not a name"}}
	m, err := llm.Collect(llm.NewProvider(chat.Dialect{}, endpoint, transport, llm.Options{}).Stream(t.Context(), r), nil)
	if err == nil || err.Key != "llm.error.toolName" || m.StopReason != llm.StopError || len(transport.Requests()) != 0 {
		t.Errorf("want an error, Key \"llm.error.toolName\", StopReason llm.StopError and no Requests, got %+v", m)
	}
}

func TestAStreamThatIsClosedEarlyEnds(t *testing.T) {
	transport := llmtest.NewTransport(llmtest.Answer{Body: recording(t, "tools.sse"), Chunk: 100})
	s := llm.NewProvider(chat.Dialect{}, endpoint, transport, llm.Options{}).Stream(t.Context(), hello())
	if _, ok := s.Next(); !ok {
		t.Fatal("no event")
	}
	s.Close()
	s.Close()
	n := 0
	for e, ok := s.Next(); ok; e, ok = s.Next() {
		if n++; n > 100 {
			t.Fatal("it goes on")
		}
		if e.Terminal() && e.Message.StopReason != llm.StopAborted {
			t.Errorf("want the last event to say that the stream was aborted, got %+v", e.Message)
		}
	}
	if transport.Closed() != 1 {
		t.Error("the connection stays open")
	}
}

func TestErrorsOfATransportKeepTheirMeaning(t *testing.T) {
	own := llm.NewError("llm.error.quota")
	for err, key := range map[error]string{own: "llm.error.quota", io.ErrUnexpectedEOF: "llm.error.network"} {
		transport := llmtest.NewTransport(llmtest.Answer{Refuse: err})
		o := llm.Options{Retry: llm.RetryPolicy{Attempts: 1}}
		_, got := llm.Collect(llm.NewProvider(chat.Dialect{}, endpoint, transport, o).Stream(t.Context(), hello()), nil)
		if got == nil || got.Key != key || got.Params["host"] != "model.example" {
			t.Errorf("%v becomes %+v", err, got)
		}
	}
}

func TestErrorsOfTheProgramItselfPassThrough(t *testing.T) {
	missing := fault.New(fault.Auth, "error.secret.missing", fault.P{"name": "key"})
	_, m, transport := ask(t, t.Context(), llm.Options{}, llmtest.Answer{Refuse: missing})
	if m.Error == nil || m.Error.Code != llm.CodeAuth || m.Error.Key != missing.Key || m.Error.Message != missing.Error() {
		t.Errorf("want Error set, Error.Code llm.CodeAuth, Error.Key missing.Key and Error.Message equal to missing.Error(), got %+v", m.Error)
	}
	if len(transport.Requests()) != 1 {
		t.Error("a missing key was asked for again")
	}
	raw := recording(t, "tools.sse")
	_, m, _ = ask(t, t.Context(), llm.Options{}, llmtest.Answer{Body: raw, CutAfter: 900, CutWith: fault.New(fault.Network, "error.http.lost", nil)})
	if m.Error == nil || m.Error.Key != "llm.error.cut" || m.Text() == "" {
		t.Errorf("want Error set, Error.Key \"llm.error.cut\" and Text set, got %+v", m)
	}
}

func TestWhatAnAttemptThatFailedHadCountedIsCountedToo(t *testing.T) {
	const start = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"model\":\"c\",\"usage\":{\"input_tokens\":1000,\"output_tokens\":1}}}\n\n"
	busy := start + "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n"
	whole := start + "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"hi\"}}\n\n" +
		"event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n" +
		"event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":4}}\n\n" +
		"event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"
	for _, c := range []struct {
		bodies        []string
		input, output int64
	}{
		{[]string{whole}, 1000, 4},
		{[]string{busy, whole}, 2000, 5},
		{[]string{busy, busy, whole}, 3000, 6},
	} {
		synctest.Test(t, func(t *testing.T) {
			var answers []llmtest.Answer
			for _, body := range c.bodies {
				answers = append(answers, llmtest.Answer{Body: []byte(body)})
			}
			p := llm.NewProvider(anthropic.Dialect{}, endpoint, llmtest.NewTransport(answers...), llm.Options{})
			var last *price.Usage
			m, err := llm.Collect(p.Stream(t.Context(), hello()), func(e llm.Event) {
				if e.Usage != nil {
					last = e.Usage
				}
			})
			if err != nil || m.Usage == nil || m.Usage.Input != c.input || m.Usage.Output != c.output || *last != *m.Usage {
				t.Errorf("%d attempts: %v, %+v, the events say %+v", len(c.bodies), err, m.Usage, last)
			}
		})
	}
}
