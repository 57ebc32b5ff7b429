package pipeline

import (
	"context"
	"sync"
	"time"
)

// patience is a context with a deadline that moves: whoever comes further has all
// the time again. What hangs is ended, and what only takes long is not.
type patience struct {
	context.Context // the caller's
	limit           time.Duration
	done            chan struct{}
	detach          func() bool

	mu    sync.Mutex // guards what follows
	by    time.Time
	timer *time.Timer
	err   error
}

// newPatience gives a context that ends at by, with its caller's, or with end.
func newPatience(ctx context.Context, limit time.Duration, by time.Time) *patience {
	p := &patience{Context: ctx, limit: limit, done: make(chan struct{}), by: by}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.timer = time.AfterFunc(time.Until(by), p.expire)
	p.detach = context.AfterFunc(ctx, func() { p.endWith(ctx.Err()) })
	return p
}

// extend gives all the time again, unless it is over.
func (p *patience) extend() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		p.by = time.Now().Add(p.limit)
	}
}

// expire ends what has not come further; the timer is set once for each limit, and
// not each time that something comes further.
func (p *patience) expire() {
	p.mu.Lock()
	if left := time.Until(p.by); left > 0 {
		p.timer.Reset(left)
		p.mu.Unlock()
		return
	}
	p.mu.Unlock()
	p.endWith(context.DeadlineExceeded)
}

func (p *patience) endWith(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err != nil {
		return
	}
	p.err = err
	p.timer.Stop()
	close(p.done)
}

// end frees what the context holds.
func (p *patience) end() {
	p.detach()
	p.endWith(context.Canceled)
}

// Deadline implements context.Context: as it is now.
func (p *patience) Deadline() (time.Time, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	by := p.by
	if of, ok := p.Context.Deadline(); ok && of.Before(by) {
		by = of
	}
	return by, true
}

// Done implements context.Context.
func (p *patience) Done() <-chan struct{} { return p.done }

// Err implements context.Context.
func (p *patience) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}
