// Package devicestore keeps the records of this device apart from the folder that
// travels with the vault: the runs with all that they can be taken back with, the
// markers of runs under way and of those being taken over, the index, traces, and
// what was found out about endpoints. All else stays in the shared folder, where
// people's other devices find it (docs/adr/0028).
//
//	path                                                     kept in
//	runs/ hot/ taken/ index/ traces/ notrun/ endpoints.json  the first kind of store that takes it
//	everything else                                          the shared folder
//
// Which kind that is, is found out at the first call, in the order in which they
// are given; the last one is a folder of this device in the shared one. A kind
// that holds records of this vault is kept before all others.
package devicestore

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
)

// ofDevice are the first parts of the paths that stay on this device.
var ofDevice = []string{"runs", "hot", "taken", "index", "history", "traces", "notrun", "endpoints.json"}

// Kind is one kind of store for the records of one vault.
type Kind interface {
	host.Store
	host.Flusher
	Kind() host.StoreKind
	// Holds says whether it has records of this vault. An error is a refusal.
	Holds(ctx context.Context) (bool, error)
	// Try makes sure that records can be written; what it writes for that is gone
	// again. An error is a refusal.
	Try(ctx context.Context) error
	// Clear removes all that it has of this vault.
	Clear(ctx context.Context) error
}

// Place names this device and window, as the host knows them.
type Place struct {
	// ID names this vault on this device.
	ID string
	// Kept says that the device has kept the id: it will be the same tomorrow.
	Kept bool
	// Owns says that this window is the one that writes the records.
	Owns bool
	// Persisted says that the browser has promised not to remove what is stored.
	Persisted bool
}

// Store is the store of a core: the device's in front of the shared one.
type Store struct {
	shared host.Store
	place  func(context.Context) (Place, error)
	kinds  func(id string) []Kind

	mu      sync.Mutex // held while the kind is found out; guards what follows
	chosen  Kind       // nil until it is
	refused []host.StoreRefusal
	owns    bool // once it is so it stays so

	others atomic.Bool // runs of other devices in the shared folder can be read
}

// New lays the stores of this device in front of the shared one. Kinds gives them
// by the id of the vault, the best one first. Nothing is asked yet.
func New(shared host.Store, place func(context.Context) (Place, error), kinds func(id string) []Kind) *Store {
	return &Store{shared: shared, place: place, kinds: kinds}
}

// apart says whether a path belongs to this device alone.
func apart(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return slices.Contains(ofDevice, first)
}

// in gives the store that a path is in.
func (s *Store) in(ctx context.Context, path string) (host.Store, error) {
	if !apart(path) {
		return s.shared, nil
	}
	return s.kind(ctx)
}

// toWrite gives the store that a path is in: PRECONDITION_FAILED where another
// window is the one that writes there.
func (s *Store) toWrite(ctx context.Context, path string) (host.Store, error) {
	in, err := s.in(ctx, path)
	if err != nil || !apart(path) {
		return in, err
	}
	return in, s.own(ctx)
}

// own refuses what another window is to do.
func (s *Store) own(ctx context.Context) error {
	owns, err := s.Owns(ctx)
	if err == nil && !owns {
		err = fault.New(fault.Precondition, "error.store.otherWindow", nil)
	}
	return err
}

// Owns implements host.Placed.
func (s *Store) Owns(ctx context.Context) (bool, error) {
	s.mu.Lock()
	owns := s.owns
	s.mu.Unlock()
	if owns {
		return true, nil
	}
	p, err := s.place(ctx)
	if err != nil || !p.Owns {
		return false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.owns = true
	return true, nil
}

// Append implements host.Store.
func (s *Store) Append(ctx context.Context, path string, data []byte) error {
	in, err := s.toWrite(ctx, path)
	if err != nil {
		return err
	}
	return in.Append(ctx, path, data)
}

// Write implements host.Store.
func (s *Store) Write(ctx context.Context, path string, data []byte) error {
	in, err := s.toWrite(ctx, path)
	if err != nil {
		return err
	}
	return in.Write(ctx, path, data)
}

// Read implements host.Store.
func (s *Store) Read(ctx context.Context, path string) ([]byte, error) {
	in, err := s.in(ctx, path)
	if err != nil {
		return nil, err
	}
	data, err := in.Read(ctx, path)
	if err != nil && apart(path) {
		return s.readOther(ctx, in, path, err)
	}
	return data, err
}

// List implements host.Store. At the top it gives what is in either store; runs in
// the shared one are left out there.
func (s *Store) List(ctx context.Context, folder string) ([]host.Info, error) {
	in, err := s.in(ctx, folder)
	if err != nil || folder != "" {
		if err != nil {
			return nil, err
		}
		ours, err := in.List(ctx, folder)
		if err != nil || !apart(folder) {
			return ours, err
		}
		return s.listOthers(ctx, in, folder, ours)
	}
	all, err := s.shared.List(ctx, "")
	if err != nil {
		return nil, err
	}
	kind, err := s.kind(ctx)
	if err != nil {
		return nil, err
	}
	ours, err := kind.List(ctx, "")
	if err != nil {
		return nil, err
	}
	other := func(i host.Info) bool { return apart(i.Path) || i.Path == devicesFolder }
	all = append(slices.DeleteFunc(all, other), ours...)
	slices.SortFunc(all, func(a, b host.Info) int { return strings.Compare(a.Path, b.Path) })
	return all, nil
}

// Remove implements host.Store.
func (s *Store) Remove(ctx context.Context, path string) error {
	in, err := s.toWrite(ctx, path)
	if err != nil {
		return err
	}
	return in.Remove(ctx, path)
}

// Flush implements host.Flusher for the paths that are on this device; what is in
// the shared folder cannot be flushed.
func (s *Store) Flush(ctx context.Context, paths ...string) error {
	ours := slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return !apart(p) })
	if len(ours) == 0 {
		return nil
	}
	kind, err := s.kind(ctx)
	if err != nil {
		return err
	}
	return kind.Flush(ctx, ours...)
}
