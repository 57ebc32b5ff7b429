package jsbridge

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"strings"
	"sync"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/web"
)

// HTTP is web.Transport over the app's side. A request is first sent by fetch,
// which streams and obeys CORS; when that fails before the answer begins, by
// the host's own client, which buffers. A host that was reached only that way
// is remembered, and its answers say that they are buffered (web.Buffered).
type HTTP struct {
	conn *Conn

	mu       sync.Mutex // guards buffered
	buffered map[string]bool
}

// NewHTTP gives the transport over a connection.
func NewHTTP(c *Conn) *HTTP {
	c.Orphan("http.open", func(result []byte) {
		var r protocol.HTTPResponse
		if decode("http.open", result, &r) == nil {
			closeHandle(c, r.Handle)
		}
	})
	return &HTTP{conn: c, buffered: map[string]bool{}}
}

// Do implements web.Transport.
func (t *HTTP) Do(ctx context.Context, r web.Request) (web.Response, error) {
	u, err := url.Parse(r.URL)
	if err != nil || u.Host == "" {
		return nil, fault.New(fault.Validation, "error.http.url", fault.P{"url": r.URL})
	}
	t.mu.Lock()
	known := t.buffered[u.Host]
	t.mu.Unlock()
	if r.Via != "" {
		return t.open(ctx, r, r.Via == web.ViaApp)
	}
	if known {
		return t.open(ctx, r, true)
	}
	res, err := t.open(ctx, r, false)
	if !fault.Is(err, fault.Network) {
		return res, err
	}
	res, again := t.open(ctx, r, true)
	if again != nil {
		return nil, again
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buffered[u.Host] = true
	return res, nil
}

func (t *HTTP) open(ctx context.Context, r web.Request, buffered bool) (web.Response, error) {
	headers := r.Header
	if headers == nil {
		headers = map[string]string{} // null is no list of headers to the host
	}
	res, _, err := ask[protocol.HTTPResponse](ctx, t.conn, "http.open", jsonParams(protocol.HTTPRequest{
		Method: r.Method, URL: r.URL, Headers: headers, Body: string(r.Body), Buffered: buffered, Redact: r.Redact,
	}))
	if err != nil {
		return nil, err
	}
	header := make(map[string]string, len(res.Headers))
	for name, value := range res.Headers {
		header[strings.ToLower(name)] = value
	}
	return &httpResponse{conn: t.conn, head: res, header: header, buffered: buffered}, nil
}

type httpResponse struct {
	conn     *Conn
	head     protocol.HTTPResponse
	header   map[string]string
	buffered bool
	closed   bool
}

// Buffered says whether the answer came by the client that cannot stream.
func (r *httpResponse) Buffered() bool { return r.buffered }

func (r *httpResponse) Status() int { return r.head.Status }

func (r *httpResponse) Header(name string) string { return r.header[strings.ToLower(name)] }

// Read implements web.Response. A stream that breaks is an error, never
// io.EOF.
func (r *httpResponse) Read(ctx context.Context) ([]byte, error) {
	if r.closed {
		return nil, io.EOF
	}
	chunk, blobs, err := ask[protocol.HTTPChunk](ctx, r.conn, "http.read", jsonParams(protocol.HTTPRef{Handle: r.head.Handle}))
	switch {
	case err != nil:
		return nil, err
	case chunk.Done:
		r.closed = true
		return nil, io.EOF
	case chunk.Blob < 0 || chunk.Blob >= len(blobs):
		return nil, fault.New(fault.Internal, "error.internal", nil).
			With(fmt.Errorf("http.read: blob %d of %d", chunk.Blob, len(blobs)))
	}
	return blobs[chunk.Blob], nil
}

// Close implements web.Response. It does not wait for the app's side.
func (r *httpResponse) Close() {
	if r.closed {
		return
	}
	r.closed = true
	closeHandle(r.conn, r.head.Handle)
}

// closeHandle tells the app's side that an answer is no longer wanted, and does not
// wait: closing cannot fail, and what is closed already stays closed.
func closeHandle(c *Conn, handle int) {
	c.Tell("http.close", jsonParams(protocol.HTTPRef{Handle: handle}))
}
