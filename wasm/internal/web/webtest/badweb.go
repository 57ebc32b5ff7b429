//go:build !js

package webtest

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
	"sync/atomic"
	"testing"
	"time"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/web"
)

// Loopback is a transport that finds every name at one server on this machine,
// as a hostile name server could; it follows no redirect, as the bridge. What
// may be reached is decided before it, by the product's own rule.
type Loopback struct {
	client *http.Client
	// Via has the ways by which requests were sent.
	Via []string
	// Unredacted counts requests whose answers may hold the secrets that were sent.
	Unredacted int
}

// Do implements web.Transport.
func (l *Loopback) Do(ctx context.Context, r web.Request) (web.Response, error) {
	l.Via = append(l.Via, r.Via)
	if !r.Redact {
		l.Unredacted++
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

// BadWeb is a server that does what it should not.
type BadWeb struct {
	*httptest.Server
	Asked atomic.Int64  // requests
	Sent  atomic.Int64  // bytes of the endless body
	Gone  chan struct{} // one for each connection that was given up
}

// NewBadWeb starts the server, until the test ends, and gives a transport that leads to
// it.
func NewBadWeb(t testing.TB) (*BadWeb, *Loopback) {
	t.Helper()
	h := &BadWeb{Gone: make(chan struct{}, 8)}
	h.Server = httptest.NewTLSServer(http.HandlerFunc(h.serve))
	t.Cleanup(h.CloseClientConnections)
	t.Cleanup(h.Server.Close)
	address := h.Listener.Addr().String()
	return h, &Loopback{client: &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return errRedirect },
		Transport: &http.Transport{
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				return (&net.Dialer{}).DialContext(ctx, "tcp", address)
			},
			TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, // its certificate is for no name
		},
	}}
}

func (h *BadWeb) serve(w http.ResponseWriter, r *http.Request) {
	h.Asked.Add(1)
	switch r.URL.Path {
	case "/redirect":
		http.Redirect(w, r, "https://127.0.0.1/admin", http.StatusFound)
	case "/endless":
		w.Header().Set("Content-Type", "text/plain")
		line := bytes.Repeat([]byte("x"), 32<<10)
		for {
			n, err := w.Write(line)
			h.Sent.Add(int64(n))
			if err != nil {
				h.Gone <- struct{}{}
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
				h.Gone <- struct{}{}
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
				h.Gone <- struct{}{}
				return
			}
			w.(http.Flusher).Flush()
			select {
			case <-r.Context().Done():
				h.Gone <- struct{}{}
				return
			case <-time.After(time.Millisecond):
			}
		}
	case "/silent":
		<-r.Context().Done()
		h.Gone <- struct{}{}
	default:
		_, _ = fmt.Fprintf(w, "%s %s cookie=%q auth=%q", r.Method, r.URL, r.Header.Get("Cookie"), r.Header.Get("Authorization"))
	}
}
