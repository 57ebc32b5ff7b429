//go:build js && wasm

package browserstore

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/hack-pad/safejs"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/jsbridge/promise"
)

// OPFS is the store in the origin private file system. Files that are added to
// stay open, a few at a time: to open one takes longer than to write to it.
type OPFS struct {
	id string

	// mu is held alone by what writes, opens or closes, and together by what reads.
	mu      sync.RWMutex
	folders map[string]safejs.Value // handles, by path
	open    []*file                 // the one that was used last at the end
	sizes   map[string]int64        // of the files that were added to, as they were left
}

// NewOPFS gives the store of the vault with this id. It asks the engine nothing
// yet.
func NewOPFS(id string) *OPFS {
	return &OPFS{id: id, folders: map[string]safejs.Value{}, sizes: map[string]int64{}}
}

// Kind tells the kind of store.
func (s *OPFS) Kind() host.StoreKind { return host.StoreOPFS }

// Holds says whether records of this vault are there. An error is the engine's
// refusal.
func (s *OPFS) Holds(ctx context.Context) (bool, error) {
	storage, err := browser("storage")
	if err != nil {
		return false, err
	}
	if !has(storage, "getDirectory") {
		return false, errNone
	}
	if _, err := promise.Call(storage, "getDirectory"); err != nil {
		return false, err
	}
	list, err := s.List(ctx, "")
	return len(list) > 0, err
}

// Try makes sure that the engine lets records be written here, by writing
// something and taking it away again.
func (s *OPFS) Try(ctx context.Context) error {
	const name = "try"
	if err := s.Append(ctx, name, []byte(name)); err != nil {
		return errors.Join(err, s.Clear(ctx)) // nothing of it stays: Holds would find it
	}
	return s.Remove(ctx, name)
}

// Append implements host.Store. What a full disk has taken of it is cut off again.
func (s *OPFS) Append(ctx context.Context, path string, data []byte) error {
	if err := allowed(ctx, path); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.writing(path, func() error {
		f, err := s.file(path, true)
		if err != nil {
			return err
		}
		if err := f.write(data, f.size); err != nil {
			return err
		}
		s.left(f)
		return nil
	})
}

// Write implements host.Store.
func (s *OPFS) Write(ctx context.Context, path string, data []byte) error {
	if err := allowed(ctx, path); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.sizes, path)
	return s.writing(path, func() error {
		f, err := s.file(path, true)
		if err != nil {
			return err
		}
		if err := f.cut(0); err != nil {
			return err
		}
		if err := f.write(data, 0); err != nil {
			return err
		}
		s.close(f)
		return nil
	})
}

// writing does what writes to a file, and does it a second time with handles that
// are opened anew: an app that slept may have lost those that it had. A second
// time nothing is written twice, since the file must be as long as it was left.
func (s *OPFS) writing(path string, work func() error) error {
	err := work()
	if lost(err) {
		s.forget()
		err = work()
	}
	return failed(path, err)
}

// lost says whether an error may be that of a handle that is no longer valid.
func lost(err error) bool {
	switch promise.Name(err) {
	case "InvalidStateError", "UnknownError", "NotFoundError":
		return true
	}
	return false
}

// forget lets all handles go. The lock is held.
func (s *OPFS) forget() {
	for len(s.open) > 0 {
		s.close(s.open[0])
	}
	clear(s.folders)
}

// Flush implements host.Flusher.
func (s *OPFS) Flush(ctx context.Context, paths ...string) error {
	for _, path := range paths {
		if err := allowed(ctx, path); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, path := range paths {
		err := s.writing(path, func() error {
			kept := s.opened(path) != nil
			f, err := s.file(path, false)
			if promise.Name(err) == "NotFoundError" {
				return nil
			} else if err != nil {
				return err
			}
			if _, err := f.handle.Call("flush"); err != nil {
				return err
			}
			if !kept {
				s.close(f)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Read implements host.Store.
func (s *OPFS) Read(ctx context.Context, path string) ([]byte, error) {
	if err := allowed(ctx, path); err != nil {
		return nil, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if f := s.opened(path); f != nil {
		data, err := f.read()
		if !lost(err) {
			return data, failed(path, err)
		}
	}
	data, err := s.readClosed(path)
	return data, failed(path, err)
}

// readClosed reads a file as it is on the disk: another window may have it open.
func (s *OPFS) readClosed(path string) ([]byte, error) {
	folder, name := split(path)
	in, err := s.folder(folder, false)
	if err != nil {
		return nil, err
	}
	handle, err := promise.Call(in, "getFileHandle", name)
	if err != nil {
		return nil, err
	}
	f, err := promise.Call(handle, "getFile")
	if err != nil {
		return nil, err
	}
	buffer, err := promise.Call(f, "arrayBuffer")
	if err != nil {
		return nil, err
	}
	v, err := construct("Uint8Array", buffer)
	if err != nil {
		return nil, err
	}
	return bytesOf(v)
}

// Remove implements host.Store.
func (s *OPFS) Remove(ctx context.Context, path string) error {
	if err := allowed(ctx, path); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closeBelow(path)
	folder, name := split(path)
	in, err := s.folder(folder, false)
	return failed(path, removeEntry(in, name, err))
}

// Clear removes all that there is of this vault.
func (s *OPFS) Clear(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return fault.From(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closeBelow("")
	in, err := s.ours(false)
	return failed("", removeEntry(in, s.id, err))
}

// removeEntry removes an entry of a folder, if that was found.
func removeEntry(in safejs.Value, name string, err error) error {
	if err == nil {
		_, err = patiently(in, "removeEntry", name, map[string]any{"recursive": true})
	}
	if promise.Name(err) == "NotFoundError" {
		return nil
	}
	return err
}

// closeBelow lets go of the handles of a path and of what is in it. The lock is
// held.
func (s *OPFS) closeBelow(path string) {
	for _, f := range slices.Clone(s.open) {
		if below(f.path, path) {
			s.close(f)
		}
	}
	for p := range s.folders {
		if below(p, path) {
			delete(s.folders, p)
		}
	}
	for p := range s.sizes {
		if below(p, path) {
			delete(s.sizes, p)
		}
	}
}

// below says whether a path is a folder, or in it.
func below(path, folder string) bool {
	return folder == "" || path == folder || strings.HasPrefix(path, folder+"/")
}

// split gives the folder and the name of a path.
func split(path string) (folder, name string) {
	i := strings.LastIndexByte(path, '/')
	return path[:max(i, 0)], path[i+1:]
}
