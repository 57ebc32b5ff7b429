// Package storesize knows how much room folders of the plugin's store take.
//
// To count a folder is a call of the host for each folder in it. The history
// shows the size of every run, and the limits of the history are held against
// all of them after each run; a run that has ended does not grow. So a size is
// counted once, and again only after something was written there.
package storesize

import (
	"context"
	"strings"
	"sync"

	"embedded-agent/wasm/internal/host"
)

// Store is a store that remembers the sizes of folders. What another program
// writes is not noticed: a size is for showing and for making room, never for
// reading.
type Store struct {
	host.Store

	mu      sync.Mutex       // guards what follows
	sizes   map[string]int64 // by folder
	learned map[string]bool  // the folders whose size was not counted by this start
	// writes counts what was written: a size that was counted while something
	// was written is not remembered.
	writes int
}

// Over lays the memory over a store. All that is written must go through it.
func Over(store host.Store) *Store {
	return &Store{Store: store, sizes: map[string]int64{}, learned: map[string]bool{}}
}

// Unwrap is host.Layer's.
func (s *Store) Unwrap() host.Store { return s.Store }

// Size gives the bytes of all files in a folder and below it; 0 for a folder
// that is missing.
func (s *Store) Size(ctx context.Context, folder string) (int64, error) {
	s.mu.Lock()
	n, known := s.sizes[folder]
	writes := s.writes
	s.mu.Unlock()
	if known {
		return n, nil
	}
	n, err := s.count(ctx, folder)
	if err != nil {
		return 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.writes == writes {
		s.sizes[folder] = n
		delete(s.learned, folder)
	}
	return n, nil
}

// Counted is Size as this start has counted it: what was learned is for showing, and
// nothing is removed by it.
func (s *Store) Counted(ctx context.Context, folder string) (int64, error) {
	s.mu.Lock()
	if s.learned[folder] {
		delete(s.sizes, folder)
	}
	s.mu.Unlock()
	return s.Size(ctx, folder)
}

// Learn takes a size that an earlier start has counted. One that was counted here is
// better.
func (s *Store) Learn(folder string, n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.sizes[folder]; !known {
		s.sizes[folder], s.learned[folder] = n, true
	}
}

// Recount is Size of a folder that another program, or another start, may have
// written to.
func (s *Store) Recount(ctx context.Context, folder string) (int64, error) {
	s.forget(folder)
	return s.Size(ctx, folder)
}

func (s *Store) count(ctx context.Context, folder string) (int64, error) {
	entries, err := s.List(ctx, folder)
	if err != nil {
		return 0, err
	}
	var n int64
	for _, e := range entries {
		if e.Kind == host.Folder {
			below, err := s.count(ctx, e.Path)
			if err != nil {
				return 0, err
			}
			n += below
			continue
		}
		n += e.Size
	}
	return n, nil
}

// Append is host.Store's.
func (s *Store) Append(ctx context.Context, path string, data []byte) error {
	defer s.forget(path)
	return s.Store.Append(ctx, path, data)
}

// Write is host.Store's.
func (s *Store) Write(ctx context.Context, path string, data []byte) error {
	defer s.forget(path)
	return s.Store.Write(ctx, path, data)
}

// Remove is host.Store's.
func (s *Store) Remove(ctx context.Context, path string) error {
	defer s.forget(path)
	return s.Store.Remove(ctx, path)
}

// forget drops the sizes of the folders that a path is in, or that are in it: a
// write that failed may have done a part of its work.
func (s *Store) forget(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writes++
	for folder := range s.sizes {
		if within(path, folder) || within(folder, path) {
			delete(s.sizes, folder)
			delete(s.learned, folder)
		}
	}
}

// within says whether a path is a folder or in it; "" is the whole store.
func within(path, folder string) bool {
	return folder == "" || path == folder || strings.HasPrefix(path, folder+"/")
}
