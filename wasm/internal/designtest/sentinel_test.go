//go:build !js

package designtest

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/llm/sentinel"
	"embedded-agent/wasm/internal/proxy"
)

func TestTheStreamOfThePageIsReadAndServedAsItShows(t *testing.T) {
	p := open(t, "sentinel.md")
	stream := strings.TrimSuffix(p.given("stream"), "\n")
	request := p.given("request")

	var r struct{ Tools []json.RawMessage }
	if err := json.Unmarshal([]byte(request), &r); err != nil {
		t.Fatal(err)
	}
	want := find(t, r.Tools, stream, len(stream))
	p.shows("found", want)
	for size := 1; size < len(stream); size++ { // however the stream is cut
		if got := find(t, r.Tools, stream, size); got != want {
			t.Fatalf("in pieces of %d bytes:\n%s\nwant:\n%s", size, got, want)
		}
	}

	backend := &talker{says: stream}
	srv := httptest.NewServer(proxy.New(proxy.Config{Limits: proxy.DefaultLimits(), Log: io.Discard}, backend).Handler())
	defer srv.Close()
	p.shows("served", post(t, srv.URL, request))
	p.shows("transcript", transcript(t, backend.heard))
}

// find feeds a stream to the machine in pieces and tells what it found; texts
// that follow each other are one.
func find(t *testing.T, tools []json.RawMessage, stream string, size int) string {
	t.Helper()
	decoded, err := sentinel.DecodeTools(tools)
	if err != nil {
		t.Fatal(err)
	}
	reg, err := sentinel.NewRegistry(decoded, nil)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	text := ""
	flush := func() {
		if text != "" {
			lines = append(lines, "text  "+compact(t, text))
			text = ""
		}
	}
	m := sentinel.New(reg, sentinel.Options{}, func(e sentinel.Event) {
		switch e.Kind {
		case sentinel.EventText:
			text += e.Text
		case sentinel.EventCall:
			flush()
			lines = append(lines, "call  "+e.Call.Name+"  "+e.Call.Arguments)
		case sentinel.EventSpace:
			flush()
			lines = append(lines, "space between two calls, dropped")
		case sentinel.EventFailed:
			flush()
			lines = append(lines, "failed  "+e.Err.Error())
		}
	})
	for piece := range slices.Chunk([]byte(stream), size) {
		m.Feed(string(piece))
	}
	m.Close()
	flush()
	return list(lines, func(l string) string { return l })
}

// talker is a backend that can only talk.
type talker struct {
	says  string
	heard proxy.Prompt
}

func (b *talker) Ask(_ context.Context, p proxy.Prompt, emit func(proxy.Delta)) (proxy.Usage, error) {
	b.heard = p
	for piece := range slices.Chunk([]byte(b.says), 16) {
		emit(proxy.Delta{Text: string(piece)})
	}
	return proxy.Usage{Input: 1, Output: 1}, nil
}
func (b *talker) CheckImage(string) error                  { return nil }
func (b *talker) Models(context.Context) ([]string, error) { return nil, nil }
func (b *talker) Status() (string, bool)                   { return "talker", true }
func (b *talker) Close()                                   {}

// post sends the request and tells the events of the answer. Deltas of one item
// are one line: how many there are is the backend's affair.
func post(t *testing.T, url, request string) string {
	t.Helper()
	res, err := http.Post(url+"/v1/responses", "application/json", strings.NewReader(request))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		t.Fatalf("status %d", res.StatusCode)
	}
	var lines []string
	for sc := bufio.NewScanner(res.Body); sc.Scan(); {
		data, is := strings.CutPrefix(sc.Text(), "data: ")
		if !is {
			continue
		}
		if line := served(t, data); len(lines) == 0 || lines[len(lines)-1] != line {
			lines = append(lines, line)
		}
	}
	return list(lines, func(l string) string { return l })
}

func served(t *testing.T, data string) string {
	t.Helper()
	var e struct {
		Type string
		Item *struct{ Type, ID, Name string }
		Text *string
		Args *string `json:"arguments"`
	}
	if err := json.Unmarshal([]byte(data), &e); err != nil {
		t.Fatal(err)
	}
	line := e.Type
	if e.Item != nil && e.Item.Type == "function_call" {
		line += "  " + e.Item.ID + "  " + e.Item.Name
	}
	if e.Text != nil {
		line += "  " + compact(t, *e.Text)
	}
	if e.Args != nil {
		line += "  " + *e.Args
	}
	return line
}

// transcript gives the conversation as the backend was told it.
func transcript(t *testing.T, p proxy.Prompt) string {
	t.Helper()
	var b strings.Builder
	for _, part := range sentinel.Transcript(p.Items) {
		b.WriteString(part.Text)
	}
	return b.String()
}
