package jsbridge

import (
	"context"
	"runtime"
	"slices"
	"sync"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/protocol"
)

// A message carries half of the writes that are under way, so that the core works on
// one half while the host writes the other; but as many as these at least, and at most.
const (
	minBatch = 4
	maxBatch = 16
)

// writeBatcher lets writes that are asked for together cross together: the way to
// the host and back costs more than the writing of a note.
type writeBatcher struct {
	c *Conn

	mu      sync.Mutex // guards what follows
	waiting []*applying
	due     bool
	sent    int // writes that have a message without an answer
}

// applying is one write on its way. What has no message yet when its caller
// leaves is never sent.
type applying struct {
	op   host.Op
	done chan applied // has room for the one answer
	sent *sending
	gone bool
}

// sending is the message that some writes share. It is cancelled when nobody
// waits for any of them any more.
type sending struct {
	cancel context.CancelFunc
	left   int
}

type applied struct {
	info host.Info
	err  error
}

// apply makes one write. When ctx ends it fails at once; whether the write was
// made is then unknown.
func (b *writeBatcher) apply(ctx context.Context, op host.Op) (host.Info, error) {
	if err := ctx.Err(); err != nil {
		return host.Info{}, fault.From(err)
	}
	a := &applying{op: op, done: make(chan applied, 1)}
	b.mu.Lock()
	b.waiting = append(b.waiting, a)
	first := !b.due
	b.due = true
	b.mu.Unlock()
	if first {
		go b.flush()
	}
	select {
	case r := <-a.done:
		return r.info, r.err
	case <-ctx.Done():
		b.leave(a)
		return host.Info{}, fault.From(ctx.Err())
	}
}

func (b *writeBatcher) leave(a *applying) {
	b.mu.Lock()
	defer b.mu.Unlock()
	a.gone = true
	if a.sent == nil {
		return
	}
	if a.sent.left--; a.sent.left == 0 {
		a.sent.cancel()
	}
}

// flush sends what has come together, once whatever else is ready to run has
// had its turn.
func (b *writeBatcher) flush() {
	runtime.Gosched()
	b.mu.Lock()
	defer b.mu.Unlock()
	there := slices.DeleteFunc(b.waiting, func(a *applying) bool { return a.gone })
	half := (b.sent + len(there) + 1) / 2
	for group := range slices.Chunk(there, min(max(half, minBatch), maxBatch)) {
		b.send(group)
	}
	b.waiting, b.due = nil, false
}

// send starts the message of a group. The lock is held.
func (b *writeBatcher) send(group []*applying) {
	ctx, cancel := context.WithCancel(context.Background())
	s := &sending{cancel: cancel, left: len(group)}
	for _, a := range group {
		a.sent = s
	}
	b.sent += len(group)
	go func() {
		defer cancel()
		defer b.answered(len(group))
		if len(group) == 1 {
			b.one(ctx, group[0])
		} else {
			b.several(ctx, group)
		}
	}()
}

// answered notes that a message of n writes has its answer, or nobody waits for it.
func (b *writeBatcher) answered(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sent -= n
}

func (b *writeBatcher) one(ctx context.Context, a *applying) {
	r, _, err := ask[protocol.Info](ctx, b.c, "vault.apply", func(dst []byte, blob func([]byte) int) []byte {
		return appendOp(dst, a.op, blob)
	})
	a.done <- applied{info(r), err}
}

func (b *writeBatcher) several(ctx context.Context, group []*applying) {
	data, _, err := b.c.Call(ctx, "vault.applyAll", func(dst []byte, blob func([]byte) int) []byte {
		dst = append(dst, `{"ops":[`...)
		for i, a := range group {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendOp(dst, a.op, blob)
		}
		return append(dst, "]}"...)
	})
	var results []applied
	if err == nil {
		results, err = parseApplied(data, len(group))
	}
	for i, a := range group {
		if err != nil {
			a.done <- applied{err: err}
		} else {
			a.done <- results[i]
		}
	}
}

// parseApplied reads a protocol.AllApplied of so many results: as
// JSON.stringify writes it where each write was made, otherwise by
// encoding/json.
func parseApplied(data []byte, n int) ([]applied, error) {
	if out, ok := quickApplied(data, n); ok {
		return out, nil
	}
	var r protocol.AllApplied
	if err := decode("vault.applyAll", data, &r); err != nil {
		return nil, err
	}
	if len(r.Results) != n {
		return nil, fault.New(fault.Internal, "error.internal", nil)
	}
	out := make([]applied, n)
	for i, a := range r.Results {
		switch {
		case a.Problem != nil:
			out[i].err = faultOf(*a.Problem)
		case a.Info != nil:
			out[i].info = info(*a.Info)
		default:
			return nil, fault.New(fault.Internal, "error.internal", nil)
		}
	}
	return out, nil
}

func quickApplied(data []byte, n int) ([]applied, bool) {
	p := infosParser{data: data}
	if !p.lit(`{"results":[`) {
		return nil, false
	}
	out := make([]applied, n)
	for i := range out {
		if i > 0 && !p.lit(`,`) || !p.lit(`{"info":`) {
			return nil, false
		}
		var ok bool
		if out[i].info, ok = p.info(); !ok || !p.lit(`}`) {
			return nil, false
		}
	}
	return out, p.lit(`]}`) && len(p.data) == p.at
}
