//go:build !js

package eval

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"embedded-agent/wasm/internal/web"
)

// Exchange is a request to a model and its answer, as they went over the wire. Headers
// of the request, where the key is, are not kept.
type Exchange struct {
	Method string `json:"method"`
	Path   string `json:"path"`
	Sent   string `json:"sent,omitempty"`
	Status int    `json:"status"`
	Type   string `json:"type"` // of the answer: its content-type
	Answer string `json:"answer"`
	Ms     int64  `json:"ms,omitempty"`
}

// asks says whether it asked the model for an answer, and not for a list or a size.
func (e *Exchange) asks() bool { return e.Method == http.MethodPost && e.Status == http.StatusOK }

// recorder keeps what goes to one host and comes back, and lets nothing go elsewhere.
type recorder struct {
	web.Transport
	host string

	mu  sync.Mutex // guards all
	all []*Exchange
}

// Do sends a request.
func (r *recorder) Do(ctx context.Context, req web.Request) (web.Response, error) {
	at, err := url.Parse(req.URL)
	if err != nil || at.Host != r.host {
		return nil, errors.New("an evaluation reaches the model's endpoint alone")
	}
	began := time.Now()
	resp, err := r.Transport.Do(ctx, req)
	if err != nil {
		return nil, err
	}
	e := &Exchange{Method: req.Method, Path: at.Path, Sent: string(req.Body), Status: resp.Status(), Type: resp.Header("content-type")}
	r.mu.Lock()
	r.all = append(r.all, e)
	r.mu.Unlock()
	return &recorded{Response: resp, r: r, e: e, began: began}, nil
}

// exchanges gives what was kept so far.
func (r *recorder) exchanges() []*Exchange {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]*Exchange(nil), r.all...)
}

// recorded is an answer that is kept while it is read.
type recorded struct {
	web.Response
	r     *recorder
	e     *Exchange
	began time.Time
}

// Read gives the next bytes.
func (x *recorded) Read(ctx context.Context) ([]byte, error) {
	b, err := x.Response.Read(ctx)
	x.r.mu.Lock()
	defer x.r.mu.Unlock()
	x.e.Answer += string(b)
	x.e.Ms = time.Since(x.began).Milliseconds()
	return b, err
}

// played answers with exchanges that were kept, each once: the next one of the same
// method and path.
type played struct {
	mu   sync.Mutex // guards left
	left []*Exchange
}

// Do gives the next answer.
func (p *played) Do(_ context.Context, r web.Request) (web.Response, error) {
	at, err := url.Parse(r.URL)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, e := range p.left {
		if e.Method == r.Method && e.Path == at.Path {
			p.left = append(p.left[:i:i], p.left[i+1:]...)
			return &whole{e.Status, e.Type, e.Answer}, nil
		}
	}
	return nil, fmt.Errorf("no answer is left for %s %s", r.Method, at.Path)
}

// whole is an answer that comes in one piece.
type whole struct {
	status     int
	kind, text string
}

// Status gives the status.
func (w *whole) Status() int { return w.status }

// Header gives the content type.
func (w *whole) Header(name string) string {
	if strings.EqualFold(name, "content-type") {
		return w.kind
	}
	return ""
}

// Read gives all of it, and then io.EOF.
func (w *whole) Read(context.Context) ([]byte, error) {
	if w.text == "" {
		return nil, io.EOF
	}
	b := []byte(w.text)
	w.text = ""
	return b, nil
}

// Close does nothing.
func (w *whole) Close() {}

// keyName stands for the key in what the core sends.
const keyName = "eval"
