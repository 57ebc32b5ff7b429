//go:build !js

package codex

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"embedded-agent/wasm/internal/llm"
)

const (
	// maxLine is the longest line taken from the server: the notification of a whole message of ten megabytes, escaped.
	maxLine = 64 << 20
	// maxQueued is how many bytes of notifications may wait for a slow reader of one turn before the turn is given up.
	maxQueued = 64 << 20
)

// conn is one connection to an app-server: answers go to whoever asked, notifications to the thread that they name.
type conn struct {
	wmu sync.Mutex // held while a line is written to w
	w   io.Writer

	mu      sync.Mutex // guards what follows
	nextID  int64
	waiting map[int64]chan message
	threads map[string]*inbox
	err     error         // why the connection ended
	done    chan struct{} // closed then
}

func newConn(w io.Writer, r io.Reader) *conn {
	c := &conn{w: w, waiting: map[int64]chan message{}, threads: map[string]*inbox{}, done: make(chan struct{})}
	go c.read(r)
	return c
}

// call sends a request and waits for its answer. The server answers in milliseconds, so it is not cancelled half way: a
// thread or turn whose id never arrived could not be ended.
func (c *conn) call(method string, params, result any) error {
	answer := make(chan message, 1)
	c.mu.Lock()
	if c.err != nil {
		defer c.mu.Unlock()
		return c.err
	}
	c.nextID++
	id := c.nextID
	c.waiting[id] = answer
	c.mu.Unlock()
	if err := c.send(map[string]any{"method": method, "id": id, "params": params}); err != nil {
		return err
	}
	select {
	case m := <-answer:
		return m.result(result)
	case <-c.done:
	}
	select {
	case m := <-answer: // it came before the end
		return m.result(result)
	default:
		return c.err
	}
}

// result reads what a request was answered with.
func (m message) result(into any) error {
	if m.Error != nil {
		return newError(llm.CodeValidation, "codex.error.refused", false, "Codex refused the request: "+clip(m.Error.Message, 400))
	}
	if into == nil {
		return nil
	}
	if err := json.Unmarshal(m.Result, into); err != nil {
		return newError(llm.CodeProvider, "codex.error.shape", false, "Codex answered in an unexpected form. Install the version that this program was made for: "+InstallCommand)
	}
	return nil
}

func (c *conn) notify(method string) error { return c.send(map[string]any{"method": method}) }

// send writes one message as one line in one write.
func (c *conn) send(m any) error {
	line, err := json.Marshal(m)
	if err != nil {
		return err
	}
	c.wmu.Lock()
	defer c.wmu.Unlock()
	if _, err = c.w.Write(append(line, '\n')); err != nil {
		return died(err)
	}
	return nil
}

func died(err error) error {
	return newError(llm.CodeProvider, "codex.error.died", true, fmt.Sprintf("Codex app-server ended unexpectedly (%v). It is started again with the next request.", err))
}

// isDied reports whether an error says that the server ended.
func isDied(err error) bool {
	var e *llm.Error
	return errors.As(err, &e) && e.Key == "codex.error.died"
}

// read hands out what the server says until it ends, then fails everything that is open.
func (c *conn) read(r io.Reader) {
	err := c.readLines(r)
	c.mu.Lock()
	c.err = died(err)
	threads := c.threads
	c.threads = nil
	c.mu.Unlock()
	close(c.done)
	for _, box := range threads {
		box.fail(c.err)
	}
}

func (c *conn) readLines(r io.Reader) error {
	sc := bufio.NewScanner(r)
	sc.Buffer(make([]byte, 0, 64<<10), maxLine)
	for sc.Scan() {
		var m message
		if err := json.Unmarshal(sc.Bytes(), &m); err != nil {
			return fmt.Errorf("a line that is not a message: %w", err)
		}
		switch {
		case m.Method != "" && len(m.ID) > 0:
			if err := c.decline(m); err != nil {
				return err
			}
		case m.Method != "":
			c.dispatch(m, len(sc.Bytes()))
		default:
			c.answer(m)
		}
	}
	if err := sc.Err(); err != nil {
		return err
	}
	return io.EOF
}

// decline answers a request of the server: nothing is approved and nobody is asked.
func (c *conn) decline(m message) error {
	return c.send(map[string]any{"id": m.ID, "error": rpcError{Code: -32601, Message: "not supported by this client"}})
}

func (c *conn) answer(m message) {
	var id int64
	if json.Unmarshal(m.ID, &id) != nil {
		return // an answer to nothing that was asked here
	}
	c.mu.Lock()
	answer := c.waiting[id]
	delete(c.waiting, id)
	c.mu.Unlock()
	if answer != nil {
		answer <- m
	}
}

// wanted are the notifications that a turn is made of; the rest is not decoded.
var wanted = map[string]bool{
	"turn/started": true, "turn/completed": true, "item/started": true, "item/completed": true,
	"item/agentMessage/delta": true, "thread/tokenUsage/updated": true, "error": true,
}

func (c *conn) dispatch(m message, size int) {
	if !wanted[m.Method] {
		return
	}
	var n notice
	if json.Unmarshal(m.Params, &n) != nil || n.ThreadID == "" {
		return // a notification of this name about something else
	}
	c.mu.Lock()
	box := c.threads[n.ThreadID]
	c.mu.Unlock()
	if box != nil {
		box.put(posted{m.Method, n, size})
	}
}

// subscribe makes the inbox of a thread. It must be there before the turn starts.
func (c *conn) subscribe(thread string) (*inbox, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return nil, c.err
	}
	if c.threads[thread] != nil {
		return nil, errors.New("the thread is in use: another turn would steer it")
	}
	box := &inbox{ready: make(chan struct{}, 1)}
	c.threads[thread] = box
	return box, nil
}

func (c *conn) unsubscribe(thread string) {
	c.mu.Lock()
	delete(c.threads, thread)
	c.mu.Unlock()
}

// posted is one notification on its way to a turn.
type posted struct {
	method string
	notice notice
	size   int
}

// inbox holds the notifications of one thread until its turn takes them, so that a slow turn never holds up another.
type inbox struct {
	mu     sync.Mutex // guards what follows
	queue  []posted
	queued int
	err    error
	ready  chan struct{}
	ending bool // only the end of the turn is still of interest
}

func (b *inbox) put(p posted) {
	b.mu.Lock()
	defer b.wake()
	defer b.mu.Unlock()
	if b.ending && p.method != "turn/completed" {
		return
	}
	if b.queued += p.size; b.queued > maxQueued && b.err == nil {
		b.err = newError(llm.CodeProvider, "codex.error.slow", true, "The answer was not read as fast as it came. Ask again.")
	}
	if b.err == nil {
		b.queue = append(b.queue, p)
	}
}

// awaitEnd drops everything but the end of the turn, from now on; an overflow is forgotten with what overflowed.
func (b *inbox) awaitEnd() {
	b.mu.Lock()
	defer b.mu.Unlock()
	var end []posted
	for _, p := range b.queue {
		if p.method == "turn/completed" {
			end = append(end, p)
		}
	}
	b.queue, b.queued, b.ending, b.err = end, 0, true, nil
}

func (b *inbox) fail(err error) {
	b.mu.Lock()
	if b.err == nil {
		b.err = err
	}
	b.mu.Unlock()
	b.wake()
}

func (b *inbox) wake() {
	select {
	case b.ready <- struct{}{}:
	default:
	}
}

// take gives what has come; an error only when everything before it was taken.
func (b *inbox) take() ([]posted, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	q := b.queue
	b.queue, b.queued = nil, 0
	if len(q) == 0 {
		return nil, b.err
	}
	return q, nil
}
