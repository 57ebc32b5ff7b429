package hosttest

import (
	"context"
	"slices"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
)

// slow is a disk that takes its time: what was handed to it when a core died lands
// later.
type slow struct {
	from    int           // the write of the vault that it first sits on, from 1; 0 for none
	died    chan struct{} // closed when the core dies that waits for it
	pending []host.Op
	order   func(n int) []int
}

// Slow makes the disk sit on write n of the vault and all after it, without an
// answer. Crash lets the core die that waits for them.
func (m *Memory) Slow(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.slow = slow{from: n, died: make(chan struct{})}
}

// Crash is the death of a core whose writes the disk sits on: every call of it
// fails from now on, until Restart. The writes are not lost: order says in which
// order so many of them land, when Land is called or a new core waits for quiet.
// It gives how many there are.
func (m *Memory) Crash(order func(n int) []int) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.slow.from, m.slow.order = 0, order
	m.faults.isDead = true
	close(m.slow.died)
	return len(m.slow.pending)
}

// Land lets all that the disk sits on land, and says how much it was.
func (m *Memory) Land() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	held := m.slow.pending
	m.slow.pending = nil
	if len(held) == 0 {
		return 0
	}
	for _, k := range m.slow.order(len(held)) {
		m.land(held[k])
	}
	return len(held)
}

// land makes a write that was checked long ago.
func (m *Memory) land(op host.Op) {
	switch op.Kind {
	case host.OpCreate, host.OpModify:
		if parent, _ := split(op.Path); m.disk.get(parent) != nil {
			m.disk.put(op.Path, slices.Clone(op.Data), m.tick())
		}
	default:
		// What a refused write would have said, nobody is there to hear.
		_, _ = m.apply(op)
	}
}

// sits waits, where the disk sits on a write, until the core that asked is dead.
func (m *Memory) sits(ctx context.Context, op host.Op) error {
	m.mu.Lock()
	s := &m.slow
	if s.from == 0 || m.counts.Writes+1 < s.from {
		m.mu.Unlock()
		return nil
	}
	s.pending = append(s.pending, op)
	died := s.died
	m.mu.Unlock()
	select {
	case <-died:
		return m.deadError(op.Path)
	case <-ctx.Done():
		return fault.From(ctx.Err())
	}
}

// Restart lets the host work again after a death, for a new core.
func (m *Memory) Restart() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.faults, m.counts = faults{}, Counts{}
}
