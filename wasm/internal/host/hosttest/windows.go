package hosttest

import (
	"context"
	"slices"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
)

// place is one window of a device that has the Memory's vault open.
type place struct {
	m     *Memory
	owner host.Owner
}

// firstPlace is where Host runs.
var firstPlace = host.Owner{Device: "this device", Window: "window 1"}

// HostAt gives the ports as they are in another window, or on another device that
// has the same folder.
func (m *Memory) HostAt(o host.Owner) host.Host {
	h := m.Host()
	h.Owners = place{m, o}
	return h
}

// CloseWindow closes a window: it is known to be gone.
func (m *Memory) CloseWindow(window string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = append(m.closed, window)
}

func (p place) Self(context.Context) (host.Owner, error) { return p.owner, nil }

func (p place) Gone(_ context.Context, window string) (bool, error) {
	p.m.mu.Lock()
	defer p.m.mu.Unlock()
	return slices.Contains(p.m.closed, window), nil
}

// Quiet lets what a former core has handed to a slow disk land, in the order that
// was asked for.
func (p place) Quiet(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return fault.From(err)
	}
	p.m.Land()
	return nil
}
