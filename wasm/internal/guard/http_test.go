//go:build !js

package guard_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"embedded-agent/wasm/internal/ask"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/guard"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/network"
	"embedded-agent/wasm/internal/outbox"
	"embedded-agent/wasm/internal/policy"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/tool/builtin"
	"embedded-agent/wasm/internal/web"
	"embedded-agent/wasm/internal/web/webtest"
)

// guarded is a guard before a transport.
type guarded struct {
	*guard.Guard
	registry *tool.Registry
}

func newWeb(t *testing.T, transport web.Transport, set protocol.Settings, now func() time.Time) guarded {
	t.Helper()
	reg, err := tool.NewRegistry(builtin.All()...)
	if err != nil {
		t.Fatal(err)
	}
	out := outbox.New(t.Context(), func(protocol.Event) {}, now)
	g := guarded{registry: reg, Guard: guard.New(guard.Deps{
		Host: hosttest.New(hosttest.Options{}).Host(), Registry: reg, Transport: transport, Out: out, Questions: ask.New(out), Now: now,
		HasSecret: func(context.Context, string) (bool, error) { return true, nil },
	})}
	g.TakeSettings(set)
	return g
}

// fetch sends a request as a tool does.
func (g guarded) fetch(ctx context.Context, r tool.HTTPRequest) (*tool.HTTPAnswer, error) {
	return g.Fetcher().Fetch(ctx, r)
}

func TestAHostileServerGetsNothingAndStopsNothing(t *testing.T) {
	h, transport := webtest.NewBadWeb(t)
	s := newWeb(t, transport, webtest.Allowed(), time.Now)
	get := func(path string, within time.Duration) (*tool.HTTPAnswer, error) {
		ctx, cancel := context.WithTimeout(t.Context(), within)
		defer cancel()
		return s.fetch(ctx, tool.HTTPRequest{Method: "GET", URL: "https://api.example.com" + path, MaxBody: 1 << 20})
	}
	left := func(what string) {
		t.Helper()
		select {
		case <-h.Gone:
		case <-time.After(20 * time.Second):
			t.Errorf("%s: the connection stayed", what)
		}
	}
	if _, err := get("/redirect", time.Minute); !fault.Is(err, fault.Validation) || h.Asked.Load() != 1 {
		t.Errorf("a redirect to this machine: %v, %d requests", err, h.Asked.Load())
	}
	if a, err := get("/endless", time.Minute); err != nil || !a.Truncated || len(a.Body) != 1<<20 {
		t.Errorf("an endless body: %v", err)
	}
	left("an endless body")
	if n := h.Sent.Load(); n > 64<<20 {
		t.Errorf("%d bytes were taken", n)
	}
	if a, err := get("/bomb", time.Minute); err != nil || !a.Truncated || len(a.Body) != 1<<20 {
		t.Errorf("a gzip bomb: %v", err)
	}
	left("a gzip bomb")
	for _, path := range []string{"/slow", "/silent"} {
		// On a busy machine a request may not get there in that time.
		asked := h.Asked.Load()
		for within := 50 * time.Millisecond; h.Asked.Load() == asked; within *= 2 {
			if _, err := get(path, within); !fault.Is(err, fault.Timeout) {
				t.Fatalf("%s: want the error fault.Timeout, got %v", path, err)
			}
		}
		left(path)
	}
	e, err := s.registry.Get("http.request", "")
	if err != nil {
		t.Fatal(err)
	}
	env := &tool.Env{HTTP: s.Fetcher()}
	if _, err := e.Run(t.Context(), env, tool.Args{"url": "https://api.example.com/type"}); !fault.Is(err, fault.Precondition) {
		t.Errorf("a wrong type: %v", err)
	}
	if a, err := get("/fine", time.Minute); err != nil || string(a.Body) != `GET /fine cookie="" auth=""` {
		t.Errorf("afterwards: %v", err)
	}
}

func TestNumbersLocalNamesAndHostsThatAreNotListedAreNeverReached(t *testing.T) {
	h, transport := webtest.NewBadWeb(t)
	s := newWeb(t, transport, webtest.Allowed(), time.Now)
	for _, address := range []string{
		"https://127.0.0.1/", "https://127.1/", "https://2130706433/", "https://0x7f.0.0.1/", "https://0x7f000001/", "https://[::1]/",
		"https://[::ffff:127.0.0.1]/", "https://169.254.169.254/latest/meta-data", "https://10.0.0.1/", "https://017700000001/",
		"https://a.1/", "https://localhost/", "https://LOCALHOST:443/", "https://x.localhost/", "https://router/", "https://printer.local/",
		"https://x.local/", "https://metadata.google.internal/", "https://other.example.com/", "https://example.org/",
		"https://api.example.com.evil.com/", "https://evil.com/?api.example.com", "https://api.example.com@evil.com/",
		"https://user:pw@api.example.com/", "http://api.example.com/", "https://api.example.com:8443/", "https://api.example.com./",
		"https://api.example.com\\@evil.com/", "https://аpi.example.com/", "https://api%2eexample.com/", "https://api.exam\tple.com/",
		"ftp://api.example.com/", "file:///etc/passwd", "javascript:alert(1)", "//api.example.com/", "https:api.example.com", "https://", "",
		"https://127.0.0.1.nip.example/x\n", "https://api.example.com:/", "https://api.example.com:443x/",
	} {
		if _, err := s.fetch(t.Context(), tool.HTTPRequest{Method: "GET", URL: address, MaxBody: 100}); !fault.Is(err, fault.Denied) {
			t.Errorf("%q: want the error fault.Denied, got %v", address, err)
		}
		if (network.Out{Transport: transport, Hosts: webtest.Allowed().HTTPHosts}).May(web.Request{Method: "GET", URL: address}) {
			t.Errorf("the network lets %q through", address)
		}
	}
	if h.Asked.Load() != 0 {
		t.Errorf("%d requests", h.Asked.Load())
	}
	for _, address := range []string{"https://api.example.com/a?b=c#d", "https://API.example.com", "https://deep.down.example.org/"} {
		if _, err := s.fetch(t.Context(), tool.HTTPRequest{Method: "GET", URL: address, MaxBody: 100}); err != nil {
			t.Errorf("%q: want no error, got %v", address, err)
		}
	}
}

func TestOnlyTheMethodsOfAHostAreSent(t *testing.T) {
	_, transport := webtest.NewBadWeb(t)
	s := newWeb(t, transport, webtest.Allowed(), time.Now)
	for _, c := range []struct {
		method, host string
		want         bool
	}{
		{"POST", "api.example.com", true},
		{"DELETE", "api.example.com", false},
		{"GET", "a.example.org", true},
		{"HEAD", "a.example.org", true},
		{"POST", "a.example.org", false},
		{"TRACE", "api.example.com", false},
	} {
		_, err := s.fetch(t.Context(), tool.HTTPRequest{Method: c.method, URL: "https://" + c.host + "/", MaxBody: 100})
		if (err == nil) != c.want || err != nil && !fault.Is(err, fault.Denied) {
			t.Errorf("%s %s: want as in the case and no error (or the error fault.Denied), got %v", c.method, c.host, err)
		}
	}
}

func TestTheAppsOwnClientIsUsedWhereThePersonSaidSoAlone(t *testing.T) {
	_, transport := webtest.NewBadWeb(t)
	s := newWeb(t, transport, webtest.Allowed(), time.Now)
	for _, r := range []tool.HTTPRequest{
		{Method: "GET", URL: "https://api.example.com/"},
		{Method: "POST", URL: "https://api.example.com/"},
		{Method: "GET", URL: "https://old.example.net/"},
		{Method: "POST", URL: "https://old.example.net/"},
	} {
		r.MaxBody = 100
		if _, err := s.fetch(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	if got := strings.Join(transport.Via, ","); got != "fetch,fetch,,app" {
		t.Errorf("want \"fetch,fetch,,app\", got %q", got)
	}
}

func TestAToolOnlySendsTheSecretsThatAreItsOwn(t *testing.T) {
	h, transport := webtest.NewBadWeb(t)
	set := webtest.Allowed()
	set.KeyName = "model-key"
	set.Secrets = []protocol.NamedSecret{
		{Name: "api", Scope: "vault", Secret: "stored-api", Hosts: []string{"api.example.com"}},
		{Name: "model", Scope: "vault", Secret: "model-key", Hosts: []string{"api.example.com"}},
	}
	s := newWeb(t, transport, set, time.Now)
	for value, want := range map[string]bool{
		"Bearer {{secret:stored-api}}": true, "{{secret:model-key}}": false, "{{secret:other}}": false, "plain": true, "a\r\nb": false,
	} {
		_, err := s.fetch(t.Context(), tool.HTTPRequest{
			Method: "GET", URL: "https://api.example.com/", Header: map[string]string{"Authorization": value}, MaxBody: 100,
		})
		if (err == nil) != want || err != nil && !fault.Is(err, fault.Denied) {
			t.Errorf("%q: want equal to want and no error (or the error fault.Denied), got %v", value, err)
		}
	}
	for _, name := range []string{"Cookie", "HOST", "Origin", "Sec-Fetch-Mode", "Proxy-Authorization", "X\nY", ""} {
		_, err := s.fetch(t.Context(), tool.HTTPRequest{
			Method: "GET", URL: "https://api.example.com/", Header: map[string]string{name: "x"}, MaxBody: 100,
		})
		if !fault.Is(err, fault.Denied) {
			t.Errorf("%q: want the error fault.Denied, got %v", name, err)
		}
	}
	if h.Asked.Load() != 2 || transport.Unredacted != 0 {
		t.Errorf("%d requests, %d of them with the secrets in their answers", h.Asked.Load(), transport.Unredacted)
	}
}

func TestAnAnswerIsReusedOnlyForAsLongAsTheCallSays(t *testing.T) {
	h, transport := webtest.NewBadWeb(t)
	now := time.Now()
	s := newWeb(t, transport, webtest.Allowed(), func() time.Time { return now })
	get := func(ttl int) {
		t.Helper()
		if _, err := s.fetch(t.Context(), tool.HTTPRequest{Method: "GET", URL: "https://api.example.com/", MaxBody: 100, TTL: ttl}); err != nil {
			t.Fatal(err)
		}
	}
	for i, c := range []struct {
		ttl   int
		later time.Duration
		want  int64
	}{{0, 0, 1}, {0, 0, 2}, {60, 0, 3}, {60, 0, 3}, {60, 59 * time.Second, 3}, {60, 2 * time.Second, 4}, {0, 0, 5}} {
		now = now.Add(c.later)
		if get(c.ttl); h.Asked.Load() != c.want {
			t.Errorf("%d: %d requests, want %d", i, h.Asked.Load(), c.want)
		}
	}
}

func TestTheWebIsOffUntilItIsSwitchedOn(t *testing.T) {
	h, transport := webtest.NewBadWeb(t)
	off := webtest.Allowed()
	off.AllowHTTP = false
	s := newWeb(t, transport, off, time.Now)
	if _, err := s.fetch(t.Context(), tool.HTTPRequest{Method: "GET", URL: "https://api.example.com/", MaxBody: 1}); !fault.Is(err, fault.Denied) {
		t.Error(err)
	}
	for _, name := range []string{"http.request", "http.send"} {
		e, err := s.registry.Get(name, "")
		if err != nil {
			t.Fatal(err)
		}
		if v := s.Policy().Decide(e, tool.Args{}); v.Effect != policy.Deny || v.Key != "policy.httpOff" || s.Offered(e) {
			t.Errorf("%s: want Effect policy.Deny and Key \"policy.httpOff\", got %+v", name, v)
		}
	}
	s.TakeSettings(webtest.Allowed())
	for name, want := range map[string]policy.Effect{"http.request": policy.Allow, "http.send": policy.Ask} {
		e, err := s.registry.Get(name, "")
		if err != nil {
			t.Fatal(err)
		}
		if v := s.Policy().Decide(e, tool.Args{}); v.Effect != want || !s.Offered(e) {
			t.Errorf("%s: want Effect equal to want, got %+v", name, v)
		}
	}
	if h.Asked.Load() != 0 {
		t.Errorf("%d requests", h.Asked.Load())
	}
}
