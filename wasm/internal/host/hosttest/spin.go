package hosttest

import (
	"context"
	"time"

	"embedded-agent/wasm/internal/fault"
)

// spin is a disk on which each read takes its time, one after the other.
type spin struct {
	each time.Duration
	free time.Time // when the last of those that were asked for is done
}

// SlowReads makes the disk take so long for each read of a file of the vault.
func (m *Memory) SlowReads(each time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.spin = spin{each: each}
}

// spins waits for a read's turn on the disk, and until it is done.
func (m *Memory) spins(ctx context.Context) error {
	m.mu.Lock()
	if m.spin.each == 0 {
		m.mu.Unlock()
		return nil
	}
	if now := time.Now(); m.spin.free.Before(now) {
		m.spin.free = now
	}
	m.spin.free = m.spin.free.Add(m.spin.each)
	left := time.Until(m.spin.free)
	m.mu.Unlock()
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return fault.From(ctx.Err())
	}
}
