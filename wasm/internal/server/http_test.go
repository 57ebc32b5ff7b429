//go:build !js

package server

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/network"
	"embedded-agent/wasm/internal/policy"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/web"
)

// loopback is a transport that finds every name at one server on this machine,
// as a hostile name server could; it follows no redirect, as the bridge. What
// may be reached is decided before it, by the product's own rule.
type loopback struct {
	client *http.Client
	via    []string
	// unredacted counts requests whose answers may hold the secrets that were sent.
	unredacted int
}

func (l *loopback) Do(ctx context.Context, r web.Request) (web.Response, error) {
	l.via = append(l.via, r.Via)
	if !r.Redact {
		l.unredacted++
	}
	req, err := http.NewRequestWithContext(ctx, r.Method, r.URL, bytes.NewReader(r.Body))
	if err != nil {
		return nil, fault.New(fault.Network, "error.http.unreachable", nil).With(err)
	}
	for name, value := range r.Header {
		req.Header.Set(name, value)
	}
	res, err := l.client.Do(req)
	switch {
	case ctx.Err() != nil:
		return nil, fault.From(ctx.Err())
	case errors.Is(err, errRedirect):
		return nil, fault.New(fault.Validation, "error.http.redirect", fault.P{"host": req.Host})
	case err != nil:
		return nil, fault.New(fault.Network, "error.http.unreachable", fault.P{"host": req.Host}).With(err)
	}
	return &received{res}, nil
}

var errRedirect = errors.New("a redirect")

type received struct{ res *http.Response }

func (r *received) Status() int               { return r.res.StatusCode }
func (r *received) Header(name string) string { return r.res.Header.Get(name) }
func (r *received) Close()                    { _ = r.res.Body.Close() }

func (r *received) Read(ctx context.Context) ([]byte, error) {
	buf := make([]byte, 16<<10)
	n, err := r.res.Body.Read(buf)
	switch {
	case n > 0:
		return buf[:n], nil
	case ctx.Err() != nil:
		return nil, fault.From(ctx.Err())
	case errors.Is(err, io.EOF):
		return nil, io.EOF
	case err != nil:
		return nil, fault.New(fault.Network, "error.http.broken", nil).With(err)
	}
	return buf[:0], nil
}

// badWeb is a server that does what it should not.
type badWeb struct {
	*httptest.Server
	asked atomic.Int64
	sent  atomic.Int64 // bytes of the endless body
	gone  chan struct{}
}

func newBadWeb(t *testing.T) (*badWeb, *loopback) {
	t.Helper()
	h := &badWeb{gone: make(chan struct{}, 8)}
	h.Server = httptest.NewTLSServer(http.HandlerFunc(h.serve))
	t.Cleanup(h.CloseClientConnections)
	t.Cleanup(h.Server.Close)
	address := h.Listener.Addr().String()
	return h, &loopback{client: &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return errRedirect },
		Transport: &http.Transport{
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				return (&net.Dialer{}).DialContext(ctx, "tcp", address)
			},
			TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, // its certificate is for no name
		},
	}}
}

func (h *badWeb) serve(w http.ResponseWriter, r *http.Request) {
	h.asked.Add(1)
	switch r.URL.Path {
	case "/redirect":
		http.Redirect(w, r, "https://127.0.0.1/admin", http.StatusFound)
	case "/endless":
		w.Header().Set("Content-Type", "text/plain")
		line := bytes.Repeat([]byte("x"), 32<<10)
		for {
			n, err := w.Write(line)
			h.sent.Add(int64(n))
			if err != nil {
				h.gone <- struct{}{}
				return
			}
		}
	case "/bomb":
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		zeros := make([]byte, 1<<20)
		for range 1000 {
			if _, err := z.Write(zeros); err != nil {
				h.gone <- struct{}{}
				return
			}
		}
		_ = z.Close()
	case "/type":
		w.Header().Set("Content-Type", "application/octet-stream")
		_, _ = w.Write([]byte("MZ\x00\x00"))
	case "/slow":
		w.Header().Set("Content-Type", "text/plain")
		for {
			if _, err := w.Write([]byte("s")); err != nil {
				h.gone <- struct{}{}
				return
			}
			w.(http.Flusher).Flush()
			select {
			case <-r.Context().Done():
				h.gone <- struct{}{}
				return
			case <-time.After(time.Millisecond):
			}
		}
	case "/silent":
		<-r.Context().Done()
		h.gone <- struct{}{}
	default:
		_, _ = fmt.Fprintf(w, "%s %s cookie=%q auth=%q", r.Method, r.URL, r.Header.Get("Cookie"), r.Header.Get("Authorization"))
	}
}

func newWeb(t *testing.T, transport web.Transport, set protocol.Settings, with ...func(*Deps)) *Server {
	t.Helper()
	mem := countedNotes(1)
	d := Deps{
		Host: mem.Host(), Transport: transport, Emit: func(protocol.Event) {},
		HasSecret: func(context.Context, string) (bool, error) { return true, nil },
	}
	for _, also := range with {
		also(&d)
	}
	s, err := New(d)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	if err := s.configure(set); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestAHostileServerGetsNothingAndStopsNothing(t *testing.T) {
	h, transport := newBadWeb(t)
	s := newWeb(t, transport, allowed)
	get := func(path string, within time.Duration) (*tool.HTTPAnswer, error) {
		ctx, cancel := context.WithTimeout(t.Context(), within)
		defer cancel()
		return s.guard.Fetcher().Fetch(ctx, tool.HTTPRequest{Method: "GET", URL: "https://api.example.com" + path, MaxBody: 1 << 20})
	}
	left := func(what string) {
		t.Helper()
		select {
		case <-h.gone:
		case <-time.After(20 * time.Second):
			t.Errorf("%s: the connection stayed", what)
		}
	}
	if _, err := get("/redirect", time.Minute); !fault.Is(err, fault.Validation) || h.asked.Load() != 1 {
		t.Errorf("a redirect to this machine: %v, %d requests", err, h.asked.Load())
	}
	if a, err := get("/endless", time.Minute); err != nil || !a.Truncated || len(a.Body) != 1<<20 {
		t.Errorf("an endless body: %v", err)
	}
	left("an endless body")
	if n := h.sent.Load(); n > 64<<20 {
		t.Errorf("%d bytes were taken", n)
	}
	if a, err := get("/bomb", time.Minute); err != nil || !a.Truncated || len(a.Body) != 1<<20 {
		t.Errorf("a gzip bomb: %v", err)
	}
	left("a gzip bomb")
	for _, path := range []string{"/slow", "/silent"} {
		// On a busy machine a request may not get there in that time.
		asked := h.asked.Load()
		for within := 50 * time.Millisecond; h.asked.Load() == asked; within *= 2 {
			if _, err := get(path, within); !fault.Is(err, fault.Timeout) {
				t.Fatalf("%s: %v", path, err)
			}
		}
		left(path)
	}
	e, err := s.registry.Get("http.request", "")
	if err != nil {
		t.Fatal(err)
	}
	env := &tool.Env{HTTP: s.guard.Fetcher()}
	if _, err := e.Run(t.Context(), env, tool.Args{"url": "https://api.example.com/type"}); !fault.Is(err, fault.Precondition) {
		t.Errorf("a wrong type: %v", err)
	}
	if a, err := get("/fine", time.Minute); err != nil || string(a.Body) != `GET /fine cookie="" auth=""` {
		t.Errorf("afterwards: %v", err)
	}
}

func TestNumbersLocalNamesAndHostsThatAreNotListedAreNeverReached(t *testing.T) {
	h, transport := newBadWeb(t)
	s := newWeb(t, transport, allowed)
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
		if _, err := s.guard.Fetcher().Fetch(t.Context(), tool.HTTPRequest{Method: "GET", URL: address, MaxBody: 100}); !fault.Is(err, fault.Denied) {
			t.Errorf("%q: %v", address, err)
		}
		if (network.Out{Transport: transport, Hosts: allowed.HTTPHosts}).May(web.Request{Method: "GET", URL: address}) {
			t.Errorf("the network lets %q through", address)
		}
	}
	if h.asked.Load() != 0 {
		t.Errorf("%d requests", h.asked.Load())
	}
	for _, address := range []string{"https://api.example.com/a?b=c#d", "https://API.example.com", "https://deep.down.example.org/"} {
		if _, err := s.guard.Fetcher().Fetch(t.Context(), tool.HTTPRequest{Method: "GET", URL: address, MaxBody: 100}); err != nil {
			t.Errorf("%q: %v", address, err)
		}
	}
}

func TestOnlyTheMethodsOfAHostAreSent(t *testing.T) {
	_, transport := newBadWeb(t)
	s := newWeb(t, transport, allowed)
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
		_, err := s.guard.Fetcher().Fetch(t.Context(), tool.HTTPRequest{Method: c.method, URL: "https://" + c.host + "/", MaxBody: 100})
		if (err == nil) != c.want || err != nil && !fault.Is(err, fault.Denied) {
			t.Errorf("%s %s: %v", c.method, c.host, err)
		}
	}
}

func TestTheAppsOwnClientIsUsedWhereThePersonSaidSoAlone(t *testing.T) {
	_, transport := newBadWeb(t)
	s := newWeb(t, transport, allowed)
	for _, r := range []tool.HTTPRequest{
		{Method: "GET", URL: "https://api.example.com/"},
		{Method: "POST", URL: "https://api.example.com/"},
		{Method: "GET", URL: "https://old.example.net/"},
		{Method: "POST", URL: "https://old.example.net/"},
	} {
		r.MaxBody = 100
		if _, err := s.guard.Fetcher().Fetch(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	if got := strings.Join(transport.via, ","); got != "fetch,fetch,,app" {
		t.Errorf("%q", got)
	}
}

func TestAToolOnlySendsTheSecretsThatAreItsOwn(t *testing.T) {
	h, transport := newBadWeb(t)
	set := allowed
	set.KeyName = "model-key"
	set.Secrets = []protocol.NamedSecret{
		{Name: "api", Scope: "vault", Secret: "stored-api", Hosts: []string{"api.example.com"}},
		{Name: "model", Scope: "vault", Secret: "model-key", Hosts: []string{"api.example.com"}},
	}
	s := newWeb(t, transport, set)
	for value, want := range map[string]bool{
		"Bearer {{secret:stored-api}}": true, "{{secret:model-key}}": false, "{{secret:other}}": false, "plain": true, "a\r\nb": false,
	} {
		_, err := s.guard.Fetcher().Fetch(t.Context(), tool.HTTPRequest{
			Method: "GET", URL: "https://api.example.com/", Header: map[string]string{"Authorization": value}, MaxBody: 100,
		})
		if (err == nil) != want || err != nil && !fault.Is(err, fault.Denied) {
			t.Errorf("%q: %v", value, err)
		}
	}
	for _, name := range []string{"Cookie", "HOST", "Origin", "Sec-Fetch-Mode", "Proxy-Authorization", "X\nY", ""} {
		_, err := s.guard.Fetcher().Fetch(t.Context(), tool.HTTPRequest{
			Method: "GET", URL: "https://api.example.com/", Header: map[string]string{name: "x"}, MaxBody: 100,
		})
		if !fault.Is(err, fault.Denied) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if h.asked.Load() != 2 || transport.unredacted != 0 {
		t.Errorf("%d requests, %d of them with the secrets in their answers", h.asked.Load(), transport.unredacted)
	}
}

func TestAnAnswerIsReusedOnlyForAsLongAsTheCallSays(t *testing.T) {
	h, transport := newBadWeb(t)
	now := time.Now()
	s := newWeb(t, transport, allowed, func(d *Deps) { d.Now = func() time.Time { return now } })
	get := func(ttl int) {
		t.Helper()
		if _, err := s.guard.Fetcher().Fetch(t.Context(), tool.HTTPRequest{Method: "GET", URL: "https://api.example.com/", MaxBody: 100, TTL: ttl}); err != nil {
			t.Fatal(err)
		}
	}
	for i, c := range []struct {
		ttl   int
		later time.Duration
		want  int64
	}{{0, 0, 1}, {0, 0, 2}, {60, 0, 3}, {60, 0, 3}, {60, 59 * time.Second, 3}, {60, 2 * time.Second, 4}, {0, 0, 5}} {
		now = now.Add(c.later)
		if get(c.ttl); h.asked.Load() != c.want {
			t.Errorf("%d: %d requests, want %d", i, h.asked.Load(), c.want)
		}
	}
}

func TestTheWebIsOffUntilItIsSwitchedOn(t *testing.T) {
	h, transport := newBadWeb(t)
	off := allowed
	off.AllowHTTP = false
	s := newWeb(t, transport, off)
	if _, err := s.guard.Fetcher().Fetch(t.Context(), tool.HTTPRequest{Method: "GET", URL: "https://api.example.com/", MaxBody: 1}); !fault.Is(err, fault.Denied) {
		t.Error(err)
	}
	for _, name := range []string{"http.request", "http.send"} {
		e, err := s.registry.Get(name, "")
		if err != nil {
			t.Fatal(err)
		}
		if v := s.guard.Policy().Decide(e, tool.Args{}); v.Effect != policy.Deny || v.Key != "policy.httpOff" || s.guard.Offered(e) {
			t.Errorf("%s: %+v", name, v)
		}
	}
	if err := s.configure(allowed); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]policy.Effect{"http.request": policy.Allow, "http.send": policy.Ask} {
		e, err := s.registry.Get(name, "")
		if err != nil {
			t.Fatal(err)
		}
		if v := s.guard.Policy().Decide(e, tool.Args{}); v.Effect != want || !s.guard.Offered(e) {
			t.Errorf("%s: %+v", name, v)
		}
	}
	if h.asked.Load() != 0 {
		t.Errorf("%d requests", h.asked.Load())
	}
}
