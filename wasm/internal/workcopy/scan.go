//go:build !js

package workcopy

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// folders is how many folders are looked into at once: most of the time goes into the
// system, also on a machine that is busy.
const folders = 8

// found has the entries of a copy as they are now, by path; of its files only those that
// are not as they were copied. The others are noted in the index (entry.seen).
type found struct {
	files   map[string]bool
	folders map[string]bool
	odd     map[string]bool // links, pipes, sockets and devices
	hidden  map[string]bool
	bytes   int64
	count   int64
}

// object is an entry of a folder.
type object struct {
	name  string
	kind  fs.FileMode // its type: 0 for an ordinary file
	stamp stamp
}

// scanner walks a copy, several folders at once. It follows no link and opens nothing
// but folders.
type scanner struct {
	index *index
	look  int // the number of this look
	limit Limit
	// settled says that no command runs in the copy: files that are as they were copied
	// are noted in the index, and rights that the command has taken away are given back.
	settled bool
	free    chan struct{} // a token for each folder that may be looked into beside others

	mu  sync.Mutex // guards what follows
	out *found
	err error
	wg  sync.WaitGroup
}

// scan looks at the whole copy. ErrTooLarge says that there is more than the limit.
func (c *Copy) scan(settled bool) (*found, error) {
	s := &scanner{
		index: &c.index, limit: c.opts.Limit, settled: settled, free: make(chan struct{}, folders-1),
		out: &found{
			files: map[string]bool{}, folders: make(map[string]bool, len(c.index.Folders)), odd: map[string]bool{}, hidden: map[string]bool{},
		},
	}
	root, err := openDir(c.Notes(), settled)
	if err != nil {
		return nil, err
	}
	s.look = c.looks + 1
	if settled {
		c.looks++
	}
	s.folder(root, "", false)
	s.wg.Wait()
	return s.out, s.err
}

// folder looks into a folder, and closes it. Of what lies below a hidden one only the
// bytes are counted.
func (s *scanner) folder(d *dir, at string, hidden bool) {
	defer d.close()
	objects, err := d.list()
	if err != nil {
		s.fail(err)
		return
	}
	for _, name := range s.note(at, hidden, objects) {
		below, err := d.open(name, s.settled)
		if errors.Is(err, fs.ErrNotExist) || !s.settled && errors.Is(err, fs.ErrPermission) {
			continue // it is gone, or a link by now; or the running command has shut it
		} else if err != nil {
			s.fail(err)
			return
		}
		full, hidden := at+name, hidden || strings.HasPrefix(name, ".")
		select {
		case s.free <- struct{}{}:
			s.wg.Go(func() {
				s.folder(below, full+"/", hidden)
				<-s.free
			})
		default:
			s.folder(below, full+"/", hidden)
		}
	}
}

// note writes down what is in a folder, and gives the names of the folders in it. at is
// "" or ends with "/".
func (s *scanner) note(at string, within bool, objects []object) []string {
	var below, changed, inside, odd, hidden []string
	var bytes int64
	path := append(make([]byte, 0, len(at)+64), at...)
	for i := range objects {
		o := &objects[i]
		if o.kind.IsDir() {
			below = append(below, o.name)
		} else if o.kind == 0 {
			bytes += o.stamp.Size
		}
		path = append(path[:len(at)], o.name...)
		switch {
		case within:
		case strings.HasPrefix(o.name, "."):
			hidden = append(hidden, string(path))
		case o.kind.IsDir():
			inside = append(inside, string(path))
		case o.kind != 0:
			odd = append(odd, string(path))
		case s.asCopied(path, o.stamp):
		default:
			changed = append(changed, string(path))
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.out.bytes += bytes
	s.out.count += int64(len(objects))
	for _, part := range []struct {
		to   map[string]bool
		list []string
	}{{s.out.files, changed}, {s.out.folders, inside}, {s.out.odd, odd}, {s.out.hidden, hidden}} {
		for _, name := range part.list {
			part.to[name] = true
		}
	}
	if s.limit.Bytes > 0 && s.out.bytes > s.limit.Bytes || s.limit.Files > 0 && s.out.count > s.limit.Files {
		s.err = ErrTooLarge
	}
	if s.err != nil {
		return nil
	}
	return below
}

// asCopied says whether a file has the stamp that it had when it was copied, and notes
// that it was seen. Each file is looked at once, so no lock is needed.
func (s *scanner) asCopied(path []byte, is stamp) bool {
	e := s.index.Files[string(path)]
	if !s.settled || e == nil || e.Copy != is {
		return false
	}
	e.seen = s.look
	return true
}

func (s *scanner) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
	}
}

// read gives the bytes that a file of the copy has now. A file whose rights the
// command has taken away is read all the same.
func (c *Copy) read(name string, most int64) ([]byte, error) {
	root, err := os.OpenRoot(c.Notes())
	if err != nil {
		return nil, err
	}
	defer root.Close()
	local := filepath.FromSlash(name)
	f, err := root.OpenFile(local, os.O_RDONLY|openFlags, 0)
	if errors.Is(err, fs.ErrPermission) {
		if err := root.Chmod(local, 0o600); err != nil {
			return nil, err
		}
		f, err = root.OpenFile(local, os.O_RDONLY|openFlags, 0)
	}
	if err != nil {
		return nil, notLink(err)
	}
	defer f.Close()
	st, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !st.Mode().IsRegular():
		return nil, errNotRegular
	case st.Size() > most:
		return nil, ErrTooMuch
	}
	return readWhole(f, st.Size())
}
