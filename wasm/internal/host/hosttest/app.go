package hosttest

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
)

// Window is a window of the app over a Memory's vault and store, as an app on a
// slow disk is: each write takes up to a second, those that are under way land in
// any order, and what the app tells of the changes of others comes late, doubled and shuffled.
// The core in it can be killed as it asks for a write; what the disk has in hand
// by then lands all the same. It is for tests in a bubble of testing/synctest.
type Window struct {
	m     *Memory
	owner host.Owner

	mu     sync.Mutex // guards what follows
	r      *rand.Rand
	ops    int // of the core that runs
	killAt int
	core   *core
	former []chan struct{} // writes of cores that have ended; closed when they have landed
	own    bool            // a write of this window has landed since changes were told
	told   time.Time       // when changes were last told
}

// core is one core that runs in a window.
type core struct {
	dead    chan struct{}
	flights []chan struct{}
	last    map[string]chan struct{} // the last write of each path: they keep their order
}

func newCore() *core { return &core{dead: make(chan struct{}), last: map[string]chan struct{}{}} }

// longestWrite is the most time that a write takes.
const longestWrite = time.Second

// Window opens a window, whose chances a seed decides.
func (m *Memory) Window(name string, seed uint64) *Window {
	return &Window{m: m, owner: host.Owner{Device: "this device", Window: name}, r: rand.New(rand.NewPCG(seed, 1)), core: newCore()}
}

// Name names the window.
func (w *Window) Name() string { return w.owner.Window }

// Host gives the ports to the core that runs in the window.
func (w *Window) Host() host.Host {
	h := w.m.Host()
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.core
	h.Vault, h.Store = &slowVault{h.Vault, w, c}, &slowStore{h.Store, w, c}
	h.Changes = &lateChanges{h.Changes, w}
	h.Owners = w
	return h
}

// KillAt lets the core die as it asks for write n from now on, of the vault or the
// store; 0 is never.
func (w *Window) KillAt(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ops, w.killAt = 0, n
}

// Ops is how many writes were asked for since KillAt.
func (w *Window) Ops() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ops
}

// Dead says whether the core in the window has died.
func (w *Window) Dead() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.core.isDead()
}

func (c *core) isDead() bool {
	select {
	case <-c.dead:
		return true
	default:
		return false
	}
}

// Restart ends the core in the window, for a new one: what it has under way is
// handed over.
func (w *Window) Restart() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.core.isDead() {
		close(w.core.dead)
	}
	w.former = append(w.former, w.core.flights...)
	w.core, w.killAt = newCore(), 0
}

// Self implements host.Owners.
func (w *Window) Self(context.Context) (host.Owner, error) { return w.owner, nil }

// Gone implements host.Owners.
func (w *Window) Gone(ctx context.Context, window string) (bool, error) {
	return place{w.m, w.owner}.Gone(ctx, window)
}

// Quiet waits for what former cores of this window have under way. Of those of
// another window it knows nothing.
func (w *Window) Quiet(ctx context.Context) error {
	w.mu.Lock()
	former := slices.Clone(w.former)
	w.mu.Unlock()
	for _, landed := range former {
		select {
		case <-landed:
		case <-ctx.Done():
			return fault.From(ctx.Err())
		}
	}
	return nil
}

// flight is a write under way.
type flight struct {
	landed, before chan struct{} // before is that of the same path, nil for none
	takes          time.Duration
}

// begin counts a write that a core asks for; the one at which it is to be killed
// is the last.
func (w *Window) begin(c *core, path string) (flight, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if c.isDead() {
		return flight{}, w.m.deadError(path)
	}
	w.ops++
	f := flight{landed: make(chan struct{}), before: c.last[path], takes: time.Duration(w.r.Int64N(int64(longestWrite)))}
	c.last[path] = f.landed
	c.flights = append(c.flights, f.landed)
	if w.ops == w.killAt {
		close(c.dead)
	}
	return f, nil
}

// write lets a write land after its time, whatever becomes of the core, and waits
// for it as long as the core lives.
func (w *Window) write(ctx context.Context, c *core, path string, make func(context.Context) error) error {
	if err := ctx.Err(); err != nil {
		return fault.From(err)
	}
	f, err := w.begin(c, path)
	if err != nil {
		return err
	}
	var made error
	go func() {
		defer close(f.landed)
		if f.before != nil {
			<-f.before
			if c.isDead() {
				return // it had not begun
			}
		}
		time.Sleep(f.takes)
		made = make(context.WithoutCancel(ctx))
		w.mu.Lock()
		defer w.mu.Unlock()
		w.own = true
	}()
	select {
	case <-c.dead:
		return w.m.deadError(path)
	case <-ctx.Done():
		return fault.From(ctx.Err())
	case <-f.landed:
		if c.isDead() {
			return w.m.deadError(path)
		}
		return made
	}
}

// slowVault is the vault of a window.
type slowVault struct {
	host.Vault
	w *Window
	c *core
}

func (v *slowVault) Apply(ctx context.Context, op host.Op) (host.Info, error) {
	var info host.Info
	err := v.w.write(ctx, v.c, op.Path, func(ctx context.Context) (err error) {
		info, err = v.Vault.Apply(ctx, op)
		return err
	})
	if err != nil {
		return host.Info{}, err
	}
	return info, nil
}

// ReadMany keeps the reads of several files at once.
func (v *slowVault) ReadMany(ctx context.Context, paths []string) ([]host.FileBytes, error) {
	return v.Vault.(host.Reads).ReadMany(ctx, paths)
}

// slowStore is the store of a window.
type slowStore struct {
	host.Store
	w *Window
	c *core
}

func (s *slowStore) Append(ctx context.Context, path string, data []byte) error {
	data = slices.Clone(data)
	return s.w.write(ctx, s.c, path, func(ctx context.Context) error { return s.Store.Append(ctx, path, data) })
}

func (s *slowStore) Write(ctx context.Context, path string, data []byte) error {
	data = slices.Clone(data)
	return s.w.write(ctx, s.c, path, func(ctx context.Context) error { return s.Store.Write(ctx, path, data) })
}

func (s *slowStore) Remove(ctx context.Context, path string) error {
	return s.w.write(ctx, s.c, path, func(ctx context.Context) error { return s.Store.Remove(ctx, path) })
}

// lateChanges tells of changes as the app does: of its own at once, of those of
// others up to a second later, in any order and some of it twice.
type lateChanges struct {
	host.Changes
	w *Window
}

func (l *lateChanges) Since(ctx context.Context, generation, page int64) (host.Changed, error) {
	if generation != 0 && page == 0 && l.w.late() {
		return host.Changed{Generation: generation}, nil
	}
	out, err := l.Changes.Since(ctx, generation, page)
	if err != nil || out.All {
		return out, err
	}
	w := l.w
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, i := range slices.Clone(out.Changed) {
		if w.r.IntN(2) == 0 {
			out.Changed = append(out.Changed, i)
		}
	}
	w.r.Shuffle(len(out.Changed), func(i, j int) { out.Changed[i], out.Changed[j] = out.Changed[j], out.Changed[i] })
	return out, nil
}

// late says whether what others have changed is not told yet.
func (w *Window) late() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.own && time.Since(w.told) < time.Second && w.r.IntN(2) == 0 {
		return true
	}
	w.own, w.told = false, time.Now()
	return false
}
