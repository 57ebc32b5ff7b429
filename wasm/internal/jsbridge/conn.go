package jsbridge

import (
	"context"
	"runtime"
	"sync"

	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/protocol"
)

// Server answers what the app's side asks. Handle is called in a goroutine of its
// own for each request; ctx ends when the app's side cancels it. The payload and
// the answer are JSON; an error crosses as a protocol.Problem.
type Server interface {
	Handle(ctx context.Context, method string, payload []byte) ([]byte, error)
}

// BlobServer is a Server whose requests may come with bytes: those of their batch.
type BlobServer interface {
	Server
	HandleBlobs(ctx context.Context, method string, payload []byte, blobs [][]byte) ([]byte, error)
}

// Port posts to the other side. Blob puts bytes into the batch under way,
// copying them, and gives their index there; Send puts a message into it. A
// blob and the message that names it are never parted.
type Port interface {
	Blob(data []byte) int
	Send(e protocol.Envelope)
}

// Conn is one connection: requests both ways, and events to the app's side.
type Conn struct {
	port Port

	mu      sync.Mutex // guards what follows
	server  Server
	calls   map[int]chan answer        // what the core asked, by id
	orphans map[string]func([]byte)    // by method
	serving map[int]context.CancelFunc // what the app's side asked, by id
	lastID  int
	events  int
	told    told
}

// answer is a response with the blobs of its batch.
type answer struct {
	payload string
	blobs   [][]byte
	err     *fault.Error
}

// NewConn makes a connection over a port. Requests that arrive before Serve
// are refused.
func NewConn(port Port) *Conn {
	return &Conn{
		port: port, calls: map[int]chan answer{}, serving: map[int]context.CancelFunc{}, orphans: map[string]func([]byte){},
	}
}

// Serve says who answers the requests of the app's side.
func (c *Conn) Serve(s Server) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.server = s
}

// Receive takes one batch of the other side, in order. It does not wait for
// what the batch starts.
func (c *Conn) Receive(messages []protocol.Envelope, blobs [][]byte) {
	for _, e := range messages {
		switch e.Kind {
		case protocol.KindRequest:
			c.serve(e, blobs)
		case protocol.KindCancel:
			c.mu.Lock()
			if cancel := c.serving[e.ID]; cancel != nil {
				cancel()
			}
			c.mu.Unlock()
		case protocol.KindResponse:
			c.deliver(e, blobs)
		}
	}
}

// serve starts the answer to one request. Under js/wasm there is one thread,
// and the Gosched lets the new goroutine run up to where it first waits: so
// requests of one batch begin in their order.
func (c *Conn) serve(e protocol.Envelope, blobs [][]byte) {
	ctx, cancel := context.WithCancel(context.Background())
	c.mu.Lock()
	server := c.server
	c.serving[e.ID] = cancel
	c.mu.Unlock()
	go func() {
		result, err := handle(ctx, server, e, blobs)
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.serving, e.ID)
		cancel()
		c.flushEvents()
		c.port.Send(protocol.Envelope{
			ID: e.ID, Kind: protocol.KindResponse, Method: e.Method, Payload: string(result), Error: problemJSON(err),
		})
	}()
	runtime.Gosched()
}

func handle(ctx context.Context, s Server, e protocol.Envelope, blobs [][]byte) ([]byte, error) {
	if s == nil {
		return nil, fault.New(fault.Internal, "error.core.notReady", nil)
	}
	payload := []byte(e.Payload)
	if err := canon.CheckDepth(payload); err != nil {
		return nil, err
	}
	if b, ok := s.(BlobServer); ok {
		return b.HandleBlobs(ctx, e.Method, payload, blobs)
	}
	return s.Handle(ctx, e.Method, payload)
}

// deliver hands an answer to the call that waits for it. A call that was
// cancelled does not wait any more: its answer goes to the method's orphan
// function, if it has one.
func (c *Conn) deliver(e protocol.Envelope, blobs [][]byte) {
	a := answer{payload: e.Payload, blobs: blobs}
	if e.Error != "" {
		a.err = parseProblem(e.Error)
	}
	c.mu.Lock()
	wait, orphan := c.calls[e.ID], c.orphans[e.Method]
	delete(c.calls, e.ID)
	c.mu.Unlock()
	switch {
	case wait != nil:
		wait <- a // has room for its one answer
	case orphan != nil && a.err == nil:
		orphan([]byte(a.payload))
	}
}

// Orphan says what to do with an answer of the method that came after its call
// was cancelled: what it opened must be closed.
func (c *Conn) Orphan(method string, f func(result []byte)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.orphans[method] = f
}

// Tell makes a call without waiting for its answer.
func (c *Conn) Tell(method string, params Params) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.post(method, params)
}

// post sends a request and gives its id. The lock is held.
func (c *Conn) post(method string, params Params) int {
	c.lastID++
	payload := params(make([]byte, 0, 256), c.port.Blob)
	c.port.Send(protocol.Envelope{ID: c.lastID, Kind: protocol.KindRequest, Method: method, Payload: string(payload)})
	return c.lastID
}

// Params appends the JSON of a call's parameters to dst; blob puts bytes
// beside the message and gives their index. It must not wait for anything.
type Params func(dst []byte, blob func(data []byte) int) []byte

// Call asks the app's side and waits for the answer: its JSON and the blobs of its
// batch. When ctx ends, the app's side is told and the call fails at once with the
// context's error; what it does to a write that was under way is unknown.
func (c *Conn) Call(ctx context.Context, method string, params Params) ([]byte, [][]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, fault.From(err)
	}
	wait := make(chan answer, 1)
	c.mu.Lock()
	id := c.post(method, params)
	c.calls[id] = wait
	c.mu.Unlock()

	select {
	case a := <-wait:
		if a.err != nil {
			return nil, nil, a.err
		}
		data := []byte(a.payload)
		if err := canon.CheckDepth(data); err != nil {
			return nil, nil, err
		}
		return data, a.blobs, nil
	case <-ctx.Done():
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.calls[id] != nil {
			delete(c.calls, id)
			c.port.Send(protocol.Envelope{ID: id, Kind: protocol.KindCancel, Method: method})
		}
		return nil, nil, fault.From(ctx.Err())
	}
}
