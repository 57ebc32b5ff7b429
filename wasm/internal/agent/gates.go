package agent

import (
	"context"
	"sync"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/pipeline"
	"embedded-agent/wasm/internal/tool"
)

// Gates put the calls of a loop in order inside the pipeline: the stages up to
// the execution are passed in source order, one call at a time (so checks see
// calls, and a person is asked, in the order in which the model wrote them);
// the executions run in parallel, as many as the loop allows, and a call waits
// for earlier ones that touch what it touches. Calls of others pass through.
type Gates struct {
	fitted bool
	byCall sync.Map // *tool.Call -> *slot, while a call is in the pipeline
}

// NewGates makes the gates of one pipeline.
func NewGates() *Gates { return &Gates{} }

// Fit gives the Deps from which the pipeline must be built.
func (g *Gates) Fit(d pipeline.Deps) pipeline.Deps {
	g.fitted = true
	d.Guards.Check = g.before(d.Guards.Check)
	d.Records.Prepare = g.prepare(d)
	d.Env = withProgress(g, d.Env)
	return d
}

// slotOf gives the slot of a call; nil for the calls of others, even of those
// that a tool of the loop makes.
func (g *Gates) slotOf(c *tool.Call) *slot {
	found, ok := g.byCall.Load(c)
	if !ok {
		return nil
	}
	return found.(*slot)
}

// before waits until every call before has been admitted or is over.
func (g *Gates) before(check func(context.Context, *tool.Call) error) func(context.Context, *tool.Call) error {
	return func(ctx context.Context, c *tool.Call) error {
		if s := g.slotOf(c); s != nil {
			for _, passed := range s.position.before {
				select {
				case <-passed:
				case <-ctx.Done():
				}
			}
			// Where both have happened the end counts: nothing more is begun.
			if ctx.Err() != nil {
				return fault.From(ctx.Err())
			}
		}
		if check == nil {
			return nil
		}
		return check(ctx, c)
	}
}

// prepare is the last stage before the execution: the call is admitted, waits
// for its turn on the paths it touches, and for a place to run.
func (g *Gates) prepare(d pipeline.Deps) func(context.Context, *tool.Call) error {
	return func(ctx context.Context, c *tool.Call) error {
		if s := g.slotOf(c); s != nil {
			e, err := d.Registry.Get(c.Tool, c.Version)
			if err != nil {
				return err
			}
			if err := s.position.admit(ctx, claimsOf(e, c.Args)); err != nil {
				return err
			}
		}
		if d.Records.Prepare == nil {
			return nil
		}
		return d.Records.Prepare(ctx, c)
	}
}

// withProgress lets a tool's progress reach the loop. V is the pipeline's view,
// which the loop has no business with.
func withProgress[V any](g *Gates, env func(*tool.Call) (*tool.Env, V)) func(*tool.Call) (*tool.Env, V) {
	return func(c *tool.Call) (*tool.Env, V) {
		e, view := env(c)
		if s := g.slotOf(c); s != nil {
			before := e.Progress
			e.Progress = func(p tool.Progress) {
				if before != nil {
					before(p)
				}
				s.progress(p)
			}
		}
		return e, view
	}
}

// pathQueue is where the calls of one loop run: those that touch one path in the
// order written, the others beside them, as many as there are places.
type pathQueue struct {
	places chan struct{}

	mu   sync.Mutex // guards held
	held []*hold
}

// hold keeps the paths that one call touches, until done is closed.
type hold struct {
	claims []claim
	done   chan struct{}
}

func newPathQueue(places int) *pathQueue { return &pathQueue{places: make(chan struct{}, places)} }

// enter registers what a call touches and gives what it must wait for. It must
// be called in source order.
func (q *pathQueue) enter(claims []claim) (*hold, []<-chan struct{}) {
	q.mu.Lock()
	defer q.mu.Unlock()
	h := &hold{claims: claims, done: make(chan struct{})}
	var after []<-chan struct{}
	for _, earlier := range q.held {
		if conflict(earlier.claims, claims) {
			after = append(after, earlier.done)
		}
	}
	q.held = append(q.held, h)
	return h, after
}

func (q *pathQueue) leave(h *hold) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i, other := range q.held {
		if other == h {
			q.held = append(q.held[:i], q.held[i+1:]...)
			close(h.done)
			return
		}
	}
}

// position is where a call stands among those of its loop: after which others its
// stages begin, and what it holds while it executes.
type position struct {
	queue    *pathQueue
	before   []<-chan struct{} // passed, of the calls before
	passed   chan struct{}     // closed when it is admitted, or over
	passOnce sync.Once
	started  chan struct{} // closed when it may execute

	mu   sync.Mutex // guards what follows
	hold *hold
	runs bool // it has one of the queue's places
	left bool
}

func newPosition(q *pathQueue) *position {
	return &position{queue: q, passed: make(chan struct{}), started: make(chan struct{})}
}

// admit lets the next call begin its stages, and returns when this one may
// execute.
func (p *position) admit(ctx context.Context, claims []claim) error {
	p.mu.Lock()
	if p.left { // given up before it came here
		p.mu.Unlock()
		return fault.New(fault.Cancelled, "error.cancelled", nil)
	}
	h, after := p.queue.enter(claims)
	p.hold = h
	p.mu.Unlock()
	p.pass()
	for _, earlier := range after {
		select {
		case <-earlier:
		case <-ctx.Done():
			return fault.From(ctx.Err())
		}
	}
	select {
	case p.queue.places <- struct{}{}:
	case <-ctx.Done():
		return fault.From(ctx.Err())
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.left || ctx.Err() != nil {
		<-p.queue.places
		return fault.New(fault.Cancelled, "error.cancelled", nil)
	}
	p.runs = true
	close(p.started)
	return nil
}

// pass lets the next call in source order begin.
func (p *position) pass() { p.passOnce.Do(func() { close(p.passed) }) }

// yield gives the place to run to others.
func (p *position) yield() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.runs {
		p.runs = false
		<-p.queue.places
	}
}

// leave ends a call's part in the order, whether it ran or not.
func (p *position) leave() {
	p.pass()
	p.yield()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.left = true
	if p.hold != nil {
		p.queue.leave(p.hold)
		p.hold = nil
	}
}
