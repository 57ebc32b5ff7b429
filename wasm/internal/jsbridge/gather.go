package jsbridge

import (
	"context"
	"runtime"
	"sync"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/protocol"
)

// maxTogether is how many writes cross in one message. With twice as many under
// way, the core works on one half while the host writes the other.
const maxTogether = 4

// gatherer lets writes that are asked for together cross together: the way to
// the host and back costs more than the writing of a note.
type gatherer struct {
	c *Conn

	mu      sync.Mutex
	waiting []*applying
	due     bool
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
func (g *gatherer) apply(ctx context.Context, op host.Op) (host.Info, error) {
	if err := ctx.Err(); err != nil {
		return host.Info{}, fault.From(err)
	}
	a := &applying{op: op, done: make(chan applied, 1)}
	g.mu.Lock()
	g.waiting = append(g.waiting, a)
	first := !g.due
	g.due = true
	g.mu.Unlock()
	if first {
		go g.flush()
	}
	select {
	case r := <-a.done:
		return r.info, r.err
	case <-ctx.Done():
		g.leave(a)
		return host.Info{}, fault.From(ctx.Err())
	}
}

func (g *gatherer) leave(a *applying) {
	g.mu.Lock()
	defer g.mu.Unlock()
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
func (g *gatherer) flush() {
	runtime.Gosched()
	g.mu.Lock()
	defer g.mu.Unlock()
	group := make([]*applying, 0, maxTogether)
	for _, a := range g.waiting {
		if a.gone {
			continue
		}
		if group = append(group, a); len(group) == maxTogether {
			g.send(group)
			group = make([]*applying, 0, maxTogether)
		}
	}
	g.send(group)
	g.waiting, g.due = nil, false
}

// send starts the message of a group. The lock is held.
func (g *gatherer) send(group []*applying) {
	if len(group) == 0 {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	s := &sending{cancel: cancel, left: len(group)}
	for _, a := range group {
		a.sent = s
	}
	go func() {
		defer cancel()
		if len(group) == 1 {
			g.one(ctx, group[0])
		} else {
			g.several(ctx, group)
		}
	}()
}

func (g *gatherer) one(ctx context.Context, a *applying) {
	r, _, err := ask[protocol.Info](ctx, g.c, "vault.apply", func(dst []byte, blob func([]byte) int) []byte {
		return appendOp(dst, a.op, blob)
	})
	a.done <- applied{info(r), err}
}

func (g *gatherer) several(ctx context.Context, group []*applying) {
	data, _, err := g.c.Call(ctx, "vault.applyAll", func(dst []byte, blob func([]byte) int) []byte {
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
