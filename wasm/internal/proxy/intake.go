//go:build !js

package proxy

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Who sends slowly must lock nobody out. So a request takes a slot only when its
// body is there; a body has to keep coming, and is cut off where it does not;
// all bodies together may hold so many bytes; and where there are too many
// connections, the one that has waited longest without a whole request is closed.

const (
	// freeBody is the size in bytes up to which a body counts for no budget: most requests
	// are smaller, so that a few large ones do not keep them out.
	freeBody = 256 << 10
	// minRate is how many bytes a second of a body have to come, on the average
	// since it began.
	minRate = 16 << 10
)

// intake counts the bytes of bodies that are being read, beyond what each may
// hold freely.
type intake struct {
	held atomic.Int64
	max  int64
}

// take reads a body. Its reading is over when it has not come at minRate after a
// grace, and after the whole time in any case.
func (in *intake) take(w http.ResponseWriter, body io.Reader, grace, whole time.Duration) ([]byte, error) {
	control := http.NewResponseController(w)
	started := time.Now()
	var out []byte
	counted := int64(0)
	defer func() { in.held.Add(-counted) }()
	chunk := make([]byte, 64<<10)
	for {
		allowed := min(grace+time.Duration(len(out))*time.Second/minRate, whole)
		// A server without deadlines (a test's recorder) has none to set.
		_ = control.SetReadDeadline(started.Add(allowed))
		n, err := body.Read(chunk)
		out = append(out, chunk[:n]...)
		if more := int64(len(out)) - freeBody - counted; more > 0 {
			counted += more
			if in.held.Add(more) > in.max {
				return nil, errCrowded
			}
		}
		switch {
		case err == io.EOF:
			_ = control.SetReadDeadline(time.Time{})
			return out, nil
		case err != nil:
			return nil, err // the rest of the body may not be waited for
		}
	}
}

type crowded struct{}

func (crowded) Error() string { return "too many large requests at once" }

var errCrowded error = crowded{}

// lobby knows the connections that have no whole request yet.
type lobby struct {
	max     int
	mu      sync.Mutex // guards waiting
	waiting map[net.Conn]time.Time
}

func newLobby(limit int) *lobby {
	return &lobby{max: limit, waiting: map[net.Conn]time.Time{}}
}

// state follows the connections of an http.Server. One that is new or idle
// waits; one that is too many sends the oldest waiting one home.
func (l *lobby) state(c net.Conn, s http.ConnState) {
	l.mu.Lock()
	switch s {
	case http.StateNew, http.StateIdle:
		l.waiting[c] = time.Now()
	case http.StateClosed, http.StateHijacked:
		delete(l.waiting, c)
	case http.StateActive: // until its request is whole it waits
	}
	var oldest net.Conn
	if len(l.waiting) > l.max {
		for w, since := range l.waiting {
			if w != c && (oldest == nil || since.Before(l.waiting[oldest])) {
				oldest = w
			}
		}
		delete(l.waiting, oldest)
	}
	l.mu.Unlock()
	if oldest != nil {
		_ = oldest.Close() // it may have gone by itself
	}
}

// whole says that the request of a connection has arrived: it is not sent home.
func (l *lobby) whole(ctx context.Context) {
	c, _ := ctx.Value(connKey{}).(net.Conn)
	if c == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.waiting, c)
}
