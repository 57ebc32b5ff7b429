//go:build !js

package proxy

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/sentinel"
)

func (s *system) do(method, path string, header ...string) (int, http.Header, string) {
	s.t.Helper()
	req, err := http.NewRequest(method, s.url+path, strings.NewReader(`{"input":"x"}`))
	if err != nil {
		s.t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			req.Host = header[i+1]
			continue
		}
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := s.client.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, string(body)
}

func TestOnlyKnownOriginsAndLoopbackNamesMayCall(t *testing.T) {
	const js = "application/json"
	s := start(t, saying("x"))
	for name, tc := range map[string]struct {
		header []string
		status int
	}{
		"no origin":              {[]string{"Content-Type", js}, 200},
		"Obsidian":               {[]string{"Content-Type", js, "Origin", "app://obsidian.md"}, 200},
		"Obsidian on a phone":    {[]string{"Content-Type", js, "Origin", "capacitor://localhost"}, 200},
		"a page of this machine": {[]string{"Content-Type", js, "Origin", "http://localhost"}, 200},
		"a page from elsewhere":  {[]string{"Content-Type", js, "Origin", "https://example.com"}, 403},
		"a sandboxed page":       {[]string{"Content-Type", js, "Origin", "null"}, 403},
		"a name of their own":    {[]string{"Content-Type", js, "Host", "evil.example.com:80"}, 403},
		"localhost":              {[]string{"Content-Type", js, "Host", "localhost:1"}, 200},
		"loopback of IPv6":       {[]string{"Content-Type", js, "Host", "[::1]:1"}, 200},
		"a form":                 {[]string{"Content-Type", "text/plain"}, 415},
		"with a character set":   {[]string{"Content-Type", "application/json; charset=utf-8"}, 200},
	} {
		status, header, body := s.do(http.MethodPost, "/v1/responses", tc.header...)
		if status != tc.status {
			t.Errorf("%s: HTTP %d %s", name, status, body)
		}
		if i := len(tc.header) - 2; tc.header[i] == "Origin" && (header.Get("Access-Control-Allow-Origin") == tc.header[i+1]) != (tc.status == 200) {
			t.Errorf("%s: allowed origin %q", name, header.Get("Access-Control-Allow-Origin"))
		}
	}
	status, header, _ := s.do(http.MethodOptions, "/v1/responses", "Origin", "app://obsidian.md", "Access-Control-Request-Method", "POST",
		"Access-Control-Request-Headers", "authorization,x-stainless-os", "Access-Control-Request-Private-Network", "true")
	if status != 204 || header.Get("Access-Control-Allow-Headers") != "authorization,x-stainless-os" || header.Get("Access-Control-Allow-Private-Network") != "true" {
		t.Errorf("preflight: HTTP %d, %v", status, header)
	}
	if status, _, _ := s.do(http.MethodOptions, "/v1/responses", "Origin", "https://example.com"); status != 403 {
		t.Errorf("preflight from elsewhere: HTTP %d", status)
	}
}

func TestATokenIsDemandedWhereOneIsSet(t *testing.T) {
	s := start(t, saying("x"), func(c *Config) { c.Token = "right" })
	for auth, want := range map[string]int{"Bearer right": 200, "Bearer wrong": 401, "right": 200, "": 401, "Bearer ": 401} {
		if status, _, _ := s.do(http.MethodPost, "/v1/responses", "Content-Type", "application/json", "Authorization", auth); status != want {
			t.Errorf("%q: HTTP %d, want %d", auth, status, want)
		}
	}
	if status, _, _ := s.do(http.MethodPost, "/v1/responses", "Content-Type", "application/json", "Authorization", "Bearer right", "Host", "proxy.lan"); status != 200 {
		t.Errorf("by another name, with the token: HTTP %d", status)
	}
	if status, _, body := s.do(http.MethodGet, "/healthz"); status != 200 || !strings.Contains(body, `"up":true`) {
		t.Errorf("health: HTTP %d %s", status, body)
	}
}

func TestTheCommandRefusesToBeReachableWithoutAToken(t *testing.T) {
	t.Setenv(TokenEnv, "")
	for args, says := range map[string]string{
		"--listen 0.0.0.0:0":               TokenEnv,
		"--listen :0":                      TokenEnv,
		"--listen nonsense":                "nonsense",
		"--backend ftp://x":                "ftp://x",
		"--max-body 0":                     "limits",
		"--force-model":                    "--model",
		"extra":                            "extra",
		"--listen 192.168.0.1:0 --model m": TokenEnv,
	} {
		var errs bytes.Buffer
		if code := Main(t.Context(), strings.Fields(args), io.Discard, &errs); code != 2 || !strings.Contains(errs.String(), says) {
			t.Errorf("%s: status %d, %s", args, code, errs.String())
		}
	}
	var errs bytes.Buffer
	if code := Main(t.Context(), []string{"-h"}, io.Discard, &errs); code != 0 || !strings.Contains(errs.String(), "-web-search") {
		t.Errorf("help: status %d, %s", code, errs.String())
	}
	if code := Main(t.Context(), []string{"--listen", "127.0.0.1:0", "--codex-bin", "no-such-codex"}, io.Discard, &errs); code != 1 || !strings.Contains(errs.String(), "npm install -g @openai/codex") {
		t.Errorf("missing codex: status %d, %s", code, errs.String())
	}
	t.Setenv(TokenEnv, "secret")
	if _, err := parseFlags([]string{"--listen", "0.0.0.0:0"}, io.Discard); err != nil {
		t.Errorf("with a token: %v", err)
	}
}

func TestWebSearchAndViewImageAreOffUnlessAskedFor(t *testing.T) {
	o, err := parseFlags(nil, io.Discard)
	if err != nil || o.codex.WebSearch || o.codex.ViewImage {
		t.Errorf("want no error, codex.WebSearch false and codex.ViewImage false, got %+v, %v", o.codex, err)
	}
	o, err = parseFlags([]string{"--web-search"}, io.Discard)
	if err != nil || !o.codex.WebSearch || o.codex.ViewImage {
		t.Errorf("want no error, codex.WebSearch true and codex.ViewImage false, got %+v, %v", o.codex, err)
	}
}

// countingListener counts the writes on its connections, by size of what was written.
type countingListener struct {
	net.Listener
	mu     sync.Mutex
	writes [][]byte
}

type countingConn struct {
	net.Conn
	l *countingListener
}

func (l *countingListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &countingConn{c, l}, nil
}

func (c *countingConn) Write(p []byte) (int, error) {
	c.l.mu.Lock()
	c.l.writes = append(c.l.writes, bytes.Clone(p))
	c.l.mu.Unlock()
	return c.Conn.Write(p)
}

func TestEachEventIsOneWriteOnTheNetworkHoweverLong(t *testing.T) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &countingListener{Listener: inner}
	ctx, stop := context.WithCancel(t.Context())
	long := block("get_weather", `{"city":"`+strings.Repeat("long ", 30_000)+`"}`)
	s := New(Config{Limits: DefaultLimits()}, saying("Hello there. "+long))
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()
	resp, err := http.Post("http://"+inner.Addr().String()+"/v1/responses", "application/json", strings.NewReader(`{"input":"x","stream":true,`+twoTools+`}`))
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	stop()
	if err := <-ended; err != nil {
		t.Errorf("shutdown: %v", err)
	}
	events := bytes.Count(body, []byte("\n\n"))
	inWrites := 0
	for i, w := range l.writes {
		switch n := bytes.Count(w, []byte("event: ")); {
		case n == 1 && bytes.Contains(w, []byte("\n\n")):
			inWrites++
		case bytes.Contains(w, []byte("0\r\n\r\n")) && n == 0: // the end of the body
		default:
			t.Errorf("write %d holds %d events: %.60q…", i, n, w)
		}
	}
	if inWrites != events || events < 12 {
		t.Errorf("%d events in %d writes", events, inWrites)
	}
}

func TestShutdownLetsOpenRequestsEndAndInterruptsTheRest(t *testing.T) {
	goOn, begun := make(chan struct{}), make(chan struct{}, 2)
	b := newScripted(func(ctx context.Context, p Prompt, emit func(Delta)) (Usage, error) {
		emit(Delta{Text: "begun"})
		begun <- struct{}{}
		if p.Items[0].Parts[0].Text == "quick" {
			<-goOn
			return Usage{}, nil
		}
		<-ctx.Done()
		return Usage{}, &llm.Error{Code: llm.CodeCancelled, Message: "Stopped."}
	})
	s := start(t, b, func(c *Config) { c.Limits.ShutdownGrace = 200 * time.Millisecond })
	results := map[string]chan anyMap{"quick": make(chan anyMap, 1), "endless": make(chan anyMap, 1)}
	for text, result := range results {
		go func() { result <- s.streamed(`{"input":"` + text + `"}`) }()
		<-begun
	}
	s.stop()
	waitFor(t, func() bool {
		c, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		if err == nil {
			_ = c.Close()
		}
		return err != nil
	})
	close(goOn)
	if res := <-results["quick"]; res["status"] != "completed" {
		t.Errorf("the request that could end: %v", res["status"])
	}
	if res := <-results["endless"]; res["status"] != "failed" || code(res) != "cancelled" {
		t.Errorf("the request that could not: %v, %v", res["status"], res["error"])
	}
	err := <-s.ended
	s.ended <- err
	if err != nil {
		t.Errorf("shutdown: %v", err)
	}
	if !strings.Contains(s.log.String(), `"outcome":"shutdown"`) {
		t.Errorf("log: %s", s.log.String())
	}
}

func TestMoreRequestsThanTheLimitAreToldToComeBack(t *testing.T) {
	hold, begun := make(chan struct{}), make(chan struct{})
	s := start(t, newScripted(func(_ context.Context, _ Prompt, emit func(Delta)) (Usage, error) {
		close(begun)
		<-hold
		return Usage{}, nil
	}), func(c *Config) { c.Limits.MaxConcurrent = 1 })
	done := make(chan anyMap, 1)
	go func() { done <- s.streamed(`{"input":"x"}`) }()
	<-begun
	status, header, body := s.do(http.MethodPost, "/v1/responses", "Content-Type", "application/json")
	if status != 429 || header.Get("Retry-After") != "1" || !strings.Contains(body, "rate_limit_exceeded") {
		t.Errorf("HTTP %d %s", status, body)
	}
	close(hold)
	<-done
}

func TestAnAnswerThatTakesTooLongIsEnded(t *testing.T) {
	s := start(t, newScripted(func(ctx context.Context, _ Prompt, emit func(Delta)) (Usage, error) {
		emit(Delta{Text: "slow"})
		<-ctx.Done()
		return Usage{}, &llm.Error{Code: llm.CodeTimeout, Message: "The model did not answer in time."}
	}), func(c *Config) { c.Limits.TurnTimeout = 50 * time.Millisecond })
	if res := s.streamed(`{"input":"x"}`); res["status"] != "failed" || code(res) != "timeout" {
		t.Errorf("want res[\"status\"] \"failed\" and \"timeout\", got %v %v", res["status"], res["error"])
	}
	waitFor(t, func() bool { return strings.Contains(s.log.String(), `"outcome":"timeout"`) })
}

func TestARequestThatTricklesInIsCutOff(t *testing.T) {
	s := start(t, saying("x"), func(c *Config) { c.Limits.ReadTimeout = 50 * time.Millisecond })
	c, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	_, _ = fmt.Fprintf(c, "POST /v1/responses HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusRequestTimeout {
		t.Errorf("HTTP %d", resp.StatusCode)
	}
}

func TestOtherPathsSayWhatThereIs(t *testing.T) {
	s := start(t, saying("x"))
	if status, _, body := s.do(http.MethodPost, "/v1/completions"); status != 404 || !strings.Contains(body, "POST /v1/responses") {
		t.Errorf("HTTP %d %s", status, body)
	}
	if status, _, body := s.do(http.MethodGet, "/v1/models"); status != 200 || !strings.Contains(body, `"id":"talker"`) {
		t.Errorf("HTTP %d %s", status, body)
	}
}

func TestTheStoreMakesRoomByNumberAndBySize(t *testing.T) {
	s := newStore(2, 38_000)
	put := func(id, text string) {
		res := newResponse(&request{}, "m", 0)
		res.ID, res.Output = id, []json.RawMessage{mustJSON(newMessageItem("msg_"+id, "completed", newTextPart(text)))}
		s.put(&request{}, res, []sentinel.Item{{Kind: sentinel.ItemMessage, ID: "msg_" + id, Parts: []sentinel.Part{{Text: text}}}})
	}
	put("a", "a")
	put("b", "b")
	if _, ok := s.find("a"); !ok { // a is used, so b is the oldest now
		t.Error("a is gone at once")
	}
	put("c", "c")
	for id, want := range map[string]bool{"a": true, "b": false, "c": true} {
		if _, ok := s.find(id); ok != want {
			t.Errorf("%s is there: %v", id, ok)
		}
	}
	put("d", strings.Repeat("d", 12_000)) // three times: as text, as an item and in the response
	if _, ok := s.find("c"); ok || s.bytes > 38_000 {
		t.Errorf("c did not make room: %d bytes", s.bytes)
	}
	put("e", strings.Repeat("e", 13_001))
	if _, ok := s.find("e"); ok {
		t.Error("what is larger than the store was stored")
	}
	put("f", strings.Repeat("f", 12_000))
	if len(s.byID) != s.order.Len() || len(s.items) != s.order.Len() || s.order.Len() != 1 {
		t.Errorf("%d responses, %d in order, %d items", len(s.byID), s.order.Len(), len(s.items))
	}
	if !s.remove("f") || s.remove("f") || s.bytes != 0 || len(s.items) != 0 {
		t.Errorf("%d bytes and %d items are left", s.bytes, len(s.items))
	}
}

func TestMain(m *testing.M) {
	maybeFake()
	os.Exit(m.Run())
}
