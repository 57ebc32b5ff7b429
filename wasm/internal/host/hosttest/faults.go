package hosttest

import (
	"context"
	"hash/fnv"
	"strconv"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
)

// Counts says how often a host was asked for each thing so far. Writes and StoreWrites together
// number the operations that the faults name, from 1.
type Counts struct {
	Reads       int // vault reads of any kind
	Writes      int // vault writes
	StoreReads  int
	StoreWrites int
	Flushes     int
}

// Ops is the number of writes of both kinds.
func (c Counts) Ops() int { return c.Writes + c.StoreWrites }

// faults says what goes wrong, and when.
type faults struct {
	failAt int
	failAs error
	killAt int
	seed   uint64
	block  bool
	dead   chan struct{} // closed when the host died; nil without a kill
	isDead bool
	before map[int][]func()
	beside map[string]func() // by path
}

// Counts gives the counters.
func (m *Memory) Counts() Counts {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.counts
}

// ResetCounts starts the counters anew; faults count from there.
func (m *Memory) ResetCounts() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.counts = Counts{}
}

// FailAt makes write n (from 1, of the vault or the store) and every one after
// it fail with err, nothing written. A nil err is a full disk.
func (m *Memory) FailAt(n int, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.faults.failAt, m.faults.failAs = n, err
}

// KillAt makes the host die in write n (from 1, of the vault or the store):
// any prefix of that write may be there, chosen by seed, and every later call
// fails with ErrDead beneath, or, with block, hangs until its context ends.
func (m *Memory) KillAt(n int, seed uint64, block bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.faults.killAt, m.faults.seed, m.faults.block = n, seed, block
	m.faults.dead = make(chan struct{})
}

// Dead gives a channel that is closed when the host has died; nil when it is
// not going to.
func (m *Memory) Dead() <-chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.faults.dead
}

// BeforeWrite runs a hook just before write n (from 1, of the vault or the
// store), with nothing locked: the place for an edit from outside.
func (m *Memory) BeforeWrite(n int, hook func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.faults.before == nil {
		m.faults.before = map[int][]func(){}
	}
	m.faults.before[n] = append(m.faults.before[n], hook)
}

// BeforeWriteOf runs a hook once, just before the next write to a path.
func (m *Memory) BeforeWriteOf(path string, hook func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.faults.beside == nil {
		m.faults.beside = map[string]func(){}
	}
	m.faults.beside[path] = hook
}

// enterRead takes the lock for a read of the vault and counts it. On an error
// the lock is free again.
func (m *Memory) enterRead(ctx context.Context, path string) error {
	return m.enter(ctx, path, &m.counts.Reads)
}

func (m *Memory) enter(ctx context.Context, path string, count *int) error {
	if err := ctx.Err(); err != nil {
		return fault.From(err)
	}
	if err := checkInside(path); err != nil {
		return err
	}
	m.mu.Lock()
	if m.faults.isDead {
		return m.refuseDead(ctx, path)
	}
	*count++
	return nil
}

// refuseDead frees the lock and gives what a dead host gives.
func (m *Memory) refuseDead(ctx context.Context, path string) error {
	block := m.faults.block
	m.mu.Unlock()
	if block {
		<-ctx.Done()
		return fault.From(ctx.Err())
	}
	return m.deadError(path)
}

func (m *Memory) deadError(path string) error {
	return fault.New(fault.Internal, "error.vault.io", fault.P{"path": path}).With(ErrDead)
}

// tornWrite says how much of the write that the host died in is there.
type tornWrite struct{ pick uint64 }

// of gives how many of n+1 possible prefixes come through; -1 is nothing at
// all, not even an emptied file.
func (t *tornWrite) of(n int) int { return int(t.pick%uint64(n+2)) - 1 }

// enterWrite takes the lock for a write, after the hooks, and counts it. On an
// error the lock is free again. A tornWrite means that the host dies in this
// write.
func (m *Memory) enterWrite(ctx context.Context, path string, count *int) (*tornWrite, error) {
	if err := ctx.Err(); err != nil {
		return nil, fault.From(err)
	}
	if err := checkInside(path); err != nil {
		return nil, err
	}
	m.mu.Lock()
	if m.faults.isDead {
		return nil, m.refuseDead(ctx, path)
	}
	*count++
	n := m.counts.Ops()
	hooks := m.faults.before[n]
	delete(m.faults.before, n)
	if hook := m.faults.beside[path]; hook != nil {
		delete(m.faults.beside, path)
		hooks = append(hooks, hook)
	}
	if hooks != nil {
		m.mu.Unlock()
		for _, hook := range hooks {
			hook()
		}
		m.mu.Lock()
	}
	switch f := &m.faults; {
	case f.failAt > 0 && n >= f.failAt:
		m.mu.Unlock()
		if f.failAs != nil {
			return nil, f.failAs
		}
		return nil, fault.New(fault.Internal, "error.vault.io", fault.P{"path": path}).With(errFull)
	case f.killAt > 0 && n == f.killAt:
		f.isDead = true
		close(f.dead)
		h := fnv.New64a()
		h.Write([]byte(strconv.FormatUint(f.seed, 10) + ":" + strconv.Itoa(n)))
		return &tornWrite{h.Sum64()}, nil
	}
	return nil, nil
}

type diskFull struct{}

func (diskFull) Error() string { return "no space left on the disk" }

var errFull error = diskFull{}

// tear leaves any prefix of a write. Renames, trash and folders happen as a
// whole or not at all, as they do on disks.
func (m *Memory) tear(op host.Op, t *tornWrite) {
	switch op.Kind {
	case host.OpCreate, host.OpModify:
		n := t.of(len(op.Data))
		if n < 0 {
			return
		}
		if op.Kind == host.OpModify && m.checkBefore(op.Path, op.Before) != nil {
			return
		}
		if op.Kind == host.OpCreate && m.checkNew(op.Path, "") != nil {
			return
		}
		m.disk.put(op.Path, append([]byte{}, op.Data[:n]...), m.tick())
	default:
		if t.of(0) == 0 {
			// What a refused write would have said, nobody is there to hear.
			_, _ = m.apply(op)
		}
	}
}

// Put writes a file from outside, as another program or sync would: nothing is
// checked, counted or made to fail.
func (m *Memory) Put(path, text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.disk.put(path, []byte(text), m.tick())
}

// Delete removes a file or folder from outside; what is missing is removed
// already.
func (m *Memory) Delete(path string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if path != "" && m.disk.get(path) != nil {
		m.disk.drop(path)
	}
}

// Move renames a file or folder from outside, where its parent is there.
func (m *Memory) Move(from, to string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e := m.disk.get(from); e != nil && from != "" {
		m.disk.drop(from)
		parent, _ := split(to)
		m.disk.mkdirs(parent, m.tick())
		m.disk.set(to, e)
	}
}

// SetTimes dates a file, in milliseconds since 1970.
func (m *Memory) SetTimes(path string, ctime, mtime int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e := m.disk.get(path); e != nil {
		e.ctime, e.mtime = ctime, mtime
	}
}
