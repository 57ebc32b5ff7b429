//go:build !js

package proxy

import (
	"context"
	"net"
	"sync"
)

// corkConn is a connection on which an event goes out in one write: net/http would cut a long one at its buffers and send
// the frame around it apart.
type corkConn struct {
	net.Conn
	mu   sync.Mutex // guards what follows
	held bool
	buf  []byte
}

type corkListener struct{ net.Listener }

// Accept wraps the next connection.
func (l *corkListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &corkConn{Conn: c}, nil
}

// Write sends p, or keeps it while the connection is held.
func (c *corkConn) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held {
		c.buf = append(c.buf, p...)
		return len(p), nil
	}
	return c.Conn.Write(p)
}

// hold keeps what is written from now on.
func (c *corkConn) hold() {
	if c == nil {
		return
	}
	c.mu.Lock()
	c.held = true
	c.mu.Unlock()
}

// release sends what was kept in one write.
func (c *corkConn) release() error {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held = false
	if len(c.buf) == 0 {
		return nil
	}
	_, err := c.Conn.Write(c.buf)
	if c.buf = c.buf[:0]; cap(c.buf) > 1<<20 {
		c.buf = nil
	}
	return err
}

type connKey struct{}

func rememberConn(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

// corkOf is the connection of a request; nil in a server that was not started by Serve, where nothing is held.
func corkOf(ctx context.Context) *corkConn {
	c, _ := ctx.Value(connKey{}).(*corkConn)
	return c
}
