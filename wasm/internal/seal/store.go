package seal

import (
	"context"
	"strings"
	"sync"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
)

// Store is a store that knows the key of the device that it is on. Whoever has
// the store has the key with it, so that nothing is written unsealed where it
// could be sealed.
type Store struct {
	host.Store
	device host.Device

	mu  sync.Mutex // guards key
	key *Key
}

// Over lays the device's key over a store. The device may be nil.
func Over(store host.Store, device host.Device) *Store {
	return &Store{Store: store, device: device}
}

// Unwrap is host.Layer's.
func (s *Store) Unwrap() host.Store { return s.Store }

// Open asks the device for its key, unless it is known. Without one nothing is
// sealed: the error says why.
func (s *Store) Open(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.key != nil {
		return nil
	}
	if s.device == nil {
		return fault.New(fault.Precondition, "error.device.none", nil)
	}
	secret, err := s.device.Key(ctx)
	if err != nil {
		return err
	}
	s.key, err = NewKey(secret)
	return err
}

// Of gives the device's key, where the store knows it; else nil.
func Of(store host.Store) *Key {
	s, ok := store.(*Store)
	if !ok {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.key
}

// OfRun gives the key of the run whose folder this is, which is not that of any
// other run: records that were moved to another folder are not sealed there.
func OfRun(store host.Store, dir string) *Key {
	return Of(store).For("run", dir[strings.LastIndexByte(dir, '/')+1:])
}
