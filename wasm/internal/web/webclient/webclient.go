//go:build !js

// Package webclient sends requests to a model over net/http, for the programs that run natively. In the plugin the host
// does that.
package webclient

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"

	"embedded-agent/wasm/internal/web"
)

// Transport is web.Transport over net/http. The reference to the secret Name in a header becomes Key when a request
// leaves.
type Transport struct {
	Client    *http.Client
	Name, Key string
}

// Do sends a request.
func (t *Transport) Do(ctx context.Context, r web.Request) (web.Response, error) {
	ctx, cancel := context.WithCancel(ctx)
	req, err := http.NewRequestWithContext(ctx, r.Method, r.URL, bytes.NewReader(r.Body))
	if err != nil {
		cancel()
		return nil, err
	}
	for name, value := range r.Header {
		req.Header.Set(name, strings.ReplaceAll(value, web.SecretRef(t.Name), t.Key))
	}
	resp, err := t.Client.Do(req)
	if err != nil {
		cancel()
		return nil, err
	}
	return &response{resp: resp, cancel: cancel, buf: make([]byte, 16<<10)}, nil
}

// response is an answer that is read as it arrives.
type response struct {
	resp   *http.Response
	cancel context.CancelFunc
	buf    []byte
}

// Status gives the status.
func (r *response) Status() int { return r.resp.StatusCode }

// Header gives a header.
func (r *response) Header(name string) string { return r.resp.Header.Get(name) }

// Read gives the next bytes. When ctx ends, the connection is given up, which ends the read.
func (r *response) Read(ctx context.Context) ([]byte, error) {
	defer context.AfterFunc(ctx, r.cancel)()
	n, err := r.resp.Body.Read(r.buf)
	if err != nil && !errors.Is(err, io.EOF) && ctx.Err() != nil {
		err = ctx.Err()
	}
	return r.buf[:n], err
}

// Close gives the connection up.
func (r *response) Close() {
	r.cancel()
	_ = r.resp.Body.Close() // nothing is lost: what mattered was read
}
