//go:build js && wasm

package browserstore

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/hack-pad/safejs"

	"embedded-agent/wasm/internal/jsbridge/promise"
)

// maxOpen is how many files stay open: those that a run adds to. maxFolders is
// how many handles of folders are kept, maxSizes of how many files the size.
const (
	maxOpen    = 12
	maxFolders = 64
	maxSizes   = 1000
)

// file is an open file of OPFS: a sync access handle, which only workers have.
type file struct {
	path   string
	handle safejs.Value
	size   int64
}

// write puts bytes at a place and makes the file end behind them. Where not all of
// them fit, it ends before them.
func (f *file) write(data []byte, at int64) error {
	if len(data) == 0 {
		return nil
	}
	v, err := array(data)
	if err != nil {
		return err
	}
	written, err := f.handle.Call("write", v, map[string]any{"at": float64(at)})
	if err == nil {
		var n float64
		if n, err = written.Float(); err == nil && int(n) != len(data) {
			err = fmt.Errorf("%d of %d bytes were written", int(n), len(data))
		}
	}
	if err != nil {
		_ = f.cut(at) // a handle that is lost cannot; whoever reads finds the torn end
		return err
	}
	f.size = at + int64(len(data))
	return nil
}

func (f *file) cut(size int64) error {
	if _, err := f.handle.Call("truncate", float64(size)); err != nil {
		return err
	}
	f.size = size
	return nil
}

func (f *file) read() ([]byte, error) {
	v, err := construct("Uint8Array", float64(f.size))
	if err != nil {
		return nil, err
	}
	if _, err := f.handle.Call("read", v, map[string]any{"at": 0}); err != nil {
		return nil, err
	}
	return bytesOf(v)
}

// left remembers how long a file was left. Of the files of runs that ended long
// ago nobody needs it.
func (s *OPFS) left(f *file) {
	if len(s.sizes) >= maxSizes {
		maps.DeleteFunc(s.sizes, func(path string, _ int64) bool { return s.opened(path) == nil })
	}
	s.sizes[f.path] = f.size
}

// opened gives a file that is open; nil where it is not.
func (s *OPFS) opened(path string) *file {
	for _, f := range s.open {
		if f.path == path {
			return f
		}
	}
	return nil
}

// file gives a file open, the one that was used last. The lock is held.
func (s *OPFS) file(path string, create bool) (*file, error) {
	if f := s.opened(path); f != nil {
		i := slices.Index(s.open, f)
		s.open = append(slices.Delete(s.open, i, i+1), f)
		return f, nil
	}
	folder, name := split(path)
	in, err := s.folder(folder, create)
	if err != nil {
		return nil, err
	}
	entry, err := promise.Call(in, "getFileHandle", name, map[string]any{"create": create})
	if err != nil {
		return nil, err
	}
	if !has(entry, "createSyncAccessHandle") {
		return nil, errNone
	}
	handle, err := patiently(entry, "createSyncAccessHandle")
	if err != nil {
		return nil, err
	}
	f := &file{path: path, handle: handle}
	size, err := handle.Call("getSize")
	if err == nil {
		var n float64
		n, err = size.Float()
		f.size = int64(n)
	}
	if left, known := s.sizes[path]; err == nil && known && left != f.size {
		err = fmt.Errorf("the file has %d bytes, and was left with %d", f.size, left)
	}
	if err != nil {
		_, _ = handle.Call("close")
		return nil, err
	}
	for len(s.open) >= maxOpen {
		s.close(s.open[0])
	}
	s.open = append(s.open, f)
	return f, nil
}

// patience is how long a file is waited for that a former core has open: its
// worker was ended, and the engine tells nobody when it has let go. The first
// look again comes after a moment, each further one after twice that.
const (
	patience = 5 * time.Second
	moment   = 4 * time.Millisecond
)

// patiently asks for a promise again while a file is open elsewhere.
func patiently(v safejs.Value, method string, args ...any) (safejs.Value, error) {
	for wait, since := moment, time.Now(); ; wait *= 2 {
		got, err := promise.Call(v, method, args...)
		if promise.Name(err) != "NoModificationAllowedError" || time.Since(since)+wait > patience {
			return got, err
		}
		time.Sleep(wait)
	}
}

// close lets a file go. The lock is held.
func (s *OPFS) close(f *file) {
	s.open = slices.DeleteFunc(s.open, func(o *file) bool { return o == f })
	_, _ = f.handle.Call("close") // one that is lost is closed
}
