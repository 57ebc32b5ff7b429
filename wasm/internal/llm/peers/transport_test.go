//go:build peers

package peers

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"sync"

	"embedded-agent/wasm/internal/web"
)

// native is a Transport over the standard library. Secrets are made up.
type native struct {
	mu       sync.Mutex
	requests int
}

func (n *native) Do(ctx context.Context, r web.Request) (web.Response, error) {
	n.mu.Lock()
	n.requests++
	n.mu.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	request, err := http.NewRequestWithContext(ctx, r.Method, r.URL, bytes.NewReader(r.Body))
	if err != nil {
		cancel()
		return nil, err
	}
	for name, value := range r.Header {
		if value == web.SecretRef("key") || value == "Bearer "+web.SecretRef("key") {
			value = value[:len(value)-len(web.SecretRef("key"))] + "made-up"
		}
		request.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		cancel()
		return nil, err
	}
	return &reading{response: response, cancel: cancel, pieces: make(chan piece), done: make(chan struct{})}, nil
}

type piece struct {
	data []byte
	err  error
}

// reading is an answer; a goroutine reads ahead by one piece, so that a Read can be given up.
type reading struct {
	response *http.Response
	cancel   context.CancelFunc
	once     sync.Once
	closing  sync.Once
	pieces   chan piece
	done     chan struct{}
}

func (r *reading) Status() int { return r.response.StatusCode }

func (r *reading) Header(name string) string { return r.response.Header.Get(name) }

func (r *reading) Read(ctx context.Context) ([]byte, error) {
	r.once.Do(func() { go r.run() })
	select {
	case p := <-r.pieces:
		return p.data, p.err
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-r.done:
		return nil, io.ErrClosedPipe
	}
}

func (r *reading) run() {
	for {
		buf := make([]byte, 4096)
		n, err := r.response.Body.Read(buf)
		select {
		case r.pieces <- piece{buf[:n], err}:
		case <-r.done:
			return
		}
		if err != nil {
			return
		}
	}
}

func (r *reading) Close() {
	r.closing.Do(func() {
		close(r.done)
		r.cancel()
		if err := r.response.Body.Close(); err != nil {
			// The connection is given up either way.
			return
		}
	})
}
