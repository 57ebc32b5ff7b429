package builtin_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/tool"
)

// web is a Fetcher of a few answers, on one host. The rules of the network, and
// a hostile server, are tested in package server.
type web struct{ asked []tool.HTTPRequest }

var answers = map[string]*tool.HTTPAnswer{
	"GET /page": {Status: 200, Header: map[string]string{"content-type": "text/html; charset=utf-8"}, Body: []byte(
		"<title>A page</title><nav>menu</nav><h1>Hello</h1><p>See <a href='/more'>more</a>.")},
	"GET /data.json": {Status: 200, Header: map[string]string{"content-type": "application/json", "etag": `"1"`}, Body: []byte(`{"items":[1,2]}`)},
	"GET /cut.json":  {Status: 200, Header: map[string]string{"content-type": "application/json"}, Body: []byte(`{"items":[1,`), Truncated: true},
	"GET /latin":     {Status: 200, Header: map[string]string{"content-type": "text/plain; charset=ISO-8859-1"}, Body: []byte("caf\xe9")},
	"GET /broken":    {Status: 200, Header: map[string]string{"content-type": "text/plain"}, Body: []byte("caf\xe9")},
	"GET /picture":   {Status: 200, Header: map[string]string{"content-type": "image/png"}, Body: []byte("\x89PNG\r\n\x1a\n\x00")},
	"GET /lies":      {Status: 200, Header: map[string]string{"content-type": "text/plain"}, Body: []byte("MZ\x00\x01")},
	"GET /bare":      {Status: 204, Header: map[string]string{}},
	"HEAD /page":     {Status: 200, Header: map[string]string{"content-type": "text/html", "last-modified": "today"}},
	"POST /items":    {Status: 201, Header: map[string]string{"content-type": "application/vnd.x+json"}, Body: []byte(`{"id":7}`)},
	"GET /key":       {Status: 403, Header: map[string]string{"content-type": "text/plain"}, Body: []byte("your key is bad\n  really")},
	"GET /busy":      {Status: 429, Header: map[string]string{"retry-after": "7"}},
	"GET /down":      {Status: 503, Header: map[string]string{}},
	"GET /wrong":     {Status: 422, Header: map[string]string{}},
}

func (w *web) Fetch(ctx context.Context, r tool.HTTPRequest) (*tool.HTTPAnswer, error) {
	if err := ctx.Err(); err != nil {
		return nil, fault.From(err)
	}
	w.asked = append(w.asked, r)
	path, ok := strings.CutPrefix(r.URL, "https://example.com")
	if !ok {
		return nil, fault.New(fault.Denied, "policy.httpHost", fault.P{"host": r.URL, "method": r.Method})
	}
	if a := answers[r.Method+" "+path]; a != nil {
		copied := *a
		return &copied, nil
	}
	return &tool.HTTPAnswer{Status: 404, Header: map[string]string{}}, nil
}

// plugins is a list of two.
type plugins struct{}

func (plugins) Search(ctx context.Context, text string, limit int, _ bool) (*tool.PluginList, error) {
	if err := ctx.Err(); err != nil {
		return nil, fault.From(err)
	}
	out := &tool.PluginList{FetchedAt: time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)}
	for word, p := range map[string]tool.PluginFound{
		"kanban": {
			ID: "obsidian-kanban", Name: "Kanban", Author: "Obsidian Community Archive",
			Description: "Create Markdown-backed Kanban boards.", Repo: "obsidian-community/obsidian-kanban",
		},
		"calendar": {
			ID: "calendar", Name: "Calendar", Author: "Liam Cain", Description: "Explore your daily notes.",
			Repo: "liamcain/obsidian-calendar-plugin", Installed: true,
		},
	} {
		if strings.Contains(text, word) && len(out.Plugins) < limit {
			out.Plugins = append(out.Plugins, p)
		}
	}
	return out, nil
}

func TestAnAnswerHasOneFormWhateverItIs(t *testing.T) {
	env := envOf(hosttest.New(hosttest.Options{}).Host())
	get := func(path string, more map[string]any) (tool.Data, error) {
		args := map[string]any{"url": "https://example.com" + path}
		for k, v := range more {
			args[k] = v
		}
		return call(t, env, "http.request", args)
	}
	for path, want := range map[string]map[string]any{
		"/page":     {"title": "A page", "contentType": "text/html"},
		"/cut.json": {"truncated": true, "json": nil, "text": `{"items":[1,`},
		"/latin":    {"text": "café"},
		"/broken":   {"text": "caf\ufffd"},
		"/bare":     {"status": 204.0, "text": "", "preview": ""},
	} {
		data, err := get(path, nil)
		if err != nil {
			t.Errorf("%s: want no error, got %v", path, err)
		}
		for k, v := range want {
			if data[k] != v {
				t.Errorf("%s: %s is %v, want %v", path, k, data[k], v)
			}
		}
	}
	if data, err := get("/page", map[string]any{"as": "text"}); err != nil || !strings.HasPrefix(data["text"].(string), "<title>") {
		t.Errorf("as text: %v, %v", data, err)
	}
	if data, err := get("/page", map[string]any{"method": "HEAD"}); err != nil || data["text"] != "" {
		t.Errorf("HEAD: %v, %v", data, err)
	}
	for path, code := range map[string]fault.Code{
		"/picture": fault.Precondition, "/lies": fault.Precondition, "/key": fault.Auth, "/nowhere": fault.NotFound,
		"/busy": fault.RateLimit, "/down": fault.Provider, "/wrong": fault.Validation,
	} {
		_, err := get(path, nil)
		if !fault.Is(err, code) {
			t.Errorf("%s: %v, want %s", path, err, code)
		}
		switch f := fault.From(err); path {
		case "/busy":
			if f.RetryAfterS != 7 || !f.Retryable {
				t.Errorf("want RetryAfterS 7 and Retryable true, got %+v", f)
			}
		case "/key":
			if f.Detail != "your key is bad really" {
				t.Errorf("want Detail \"your key is bad really\", got %q", f.Detail)
			}
		}
	}
}

func TestASecretGoesIntoAHeaderAndNowhereElse(t *testing.T) {
	w := &web{}
	env := envOf(hosttest.New(hosttest.Options{}).Host())
	env.HTTP, env.Secrets = w, map[string]string{"key": "{{secret:stored-key}}"}
	e, err := registry(t).Get("http.request", "")
	if err != nil {
		t.Fatal(err)
	}
	args := map[string]any{"url": "https://example.com/page", "headers": map[string]any{"Authorization": "Bearer {{secret:key}}"}}
	if names := e.SecretNames(args); len(names) != 1 || names[0] != "key" {
		t.Errorf("want 1 names and names[0] \"key\", got %v", names)
	}
	if _, err := call(t, env, "http.request", args); err != nil {
		t.Fatal(err)
	}
	if got := w.asked[0].Header["Authorization"]; got != "Bearer {{secret:stored-key}}" {
		t.Errorf("want \"Bearer {{secret:stored-key}}\", got %q", got)
	}
	for tl, args := range map[string]map[string]any{
		"http.request": {"url": "https://example.com/?k={{secret:key}}"},
		"http.send":    {"url": "https://example.com/", "body": "{{secret:key}}"},
	} {
		if _, err := call(t, env, tl, args); !fault.Is(err, fault.Validation) {
			t.Errorf("%s: want the error fault.Validation, got %v", tl, err)
		}
	}
	if len(w.asked) != 1 {
		t.Errorf("%d requests", len(w.asked))
	}
}

func TestWithoutANetworkNothingIsAsked(t *testing.T) {
	env := envOf(hosttest.New(hosttest.Options{}).Host())
	env.HTTP, env.Plugins = nil, nil
	for tl, args := range map[string]map[string]any{
		"http.request": {"url": "https://example.com/"}, "http.send": {"url": "https://example.com/"}, "plugins.search": {"query": "x"},
	} {
		if _, err := call(t, env, tl, args); !fault.Is(err, fault.Precondition) {
			t.Errorf("%s: want the error fault.Precondition, got %v", tl, err)
		}
	}
}
