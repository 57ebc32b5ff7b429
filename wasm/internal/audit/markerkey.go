package audit

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

// MarkerKey is that key, in memory and in the store.
type MarkerKey struct {
	store host.Store

	mu   sync.Mutex // guards what follows; nothing else is locked or called under it
	key  []byte
	kept bool // it is in the store
}

// NewMarkerKey gives the key that a store keeps. It reads nothing yet.
func NewMarkerKey(store host.Store) *MarkerKey { return &MarkerKey{store: store} }

// Bytes gives the key: that of the store once it is read, until then one that is
// forgotten.
func (m *MarkerKey) Bytes() []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.key == nil {
		m.key = make([]byte, 32)
		_, _ = rand.Read(m.key) // never fails (crypto/rand)
	}
	return m.key
}

// Read reads the key, where one is kept.
func (m *MarkerKey) Read(ctx context.Context) error {
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

// Keep keeps the key before the first record that may hold a marker.
func (m *MarkerKey) Keep(ctx context.Context) error {
	m.mu.Lock()
	kept := m.kept
	m.mu.Unlock()
	if kept {
		return nil
	}
	if err := m.store.Write(ctx, keyFile, m.Bytes()); err != nil {
		return fault.Store(err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.kept = true
	return nil
}
