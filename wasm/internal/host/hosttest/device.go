package hosttest

import (
	"context"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
)

// device is the Device port of a Memory.
type device Memory

func (d *device) Key(ctx context.Context) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, fault.From(err)
	}
	m := (*Memory)(d)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.options.NoKey {
		return nil, fault.New(fault.Internal, "error.device.io", fault.P{"file": "device.key"})
	}
	return []byte(host.Etag([]byte("device " + m.options.Device))[:32]), nil
}

// MoveTo makes it the same vault and store on another device.
func (m *Memory) MoveTo(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.options.Device = name
}
