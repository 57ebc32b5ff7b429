package server

import (
	"context"
	"crypto/rand"
	"sync"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
)

// keyFile holds the key of the markers that stand for redacted text: random, so
// that nobody who sees a marker can check a guess against it.
const keyFile = "redaction.key"

// markerKey is that key, in memory and in the store.
type markerKey struct {
	store host.Store

	mu   sync.Mutex // guards what follows; nothing else is locked or called under it
	key  []byte
	kept bool // it is in the store
}

// bytes gives the key: that of the store once it is read, until then one that is
// forgotten.
func (m *markerKey) bytes() []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.key == nil {
		m.key = make([]byte, 32)
		_, _ = rand.Read(m.key) // never fails (crypto/rand)
	}
	return m.key
}

// read reads the key, where one is kept.
func (m *markerKey) read(ctx context.Context) error {
	key, err := m.store.Read(ctx, keyFile)
	switch {
	case fault.Is(err, fault.NotFound):
		return nil
	case err != nil:
		return err
	case len(key) == 32:
		m.mu.Lock()
		m.key, m.kept = key, true
		m.mu.Unlock()
	}
	return nil
}

// keep keeps the key before the first record that may hold a marker.
func (m *markerKey) keep(ctx context.Context) error {
	m.mu.Lock()
	kept := m.kept
	m.mu.Unlock()
	if kept {
		return nil
	}
	if err := m.store.Write(ctx, keyFile, m.bytes()); err != nil {
		return fault.Store(err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.kept = true
	return nil
}
