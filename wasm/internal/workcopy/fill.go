//go:build !js

package workcopy

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"time"
)

// errNotRegular says that a path is no ordinary file.
var errNotRegular = errors.New("not an ordinary file")

// width is how many files are copied at once.
func width() int { return max(2, runtime.GOMAXPROCS(0)) }

// chunk is how many files a worker takes at once.
const chunk = 64

// fill copies the notes into the empty folder.
func (c *Copy) fill() error {
	c.index = index{Files: map[string]*entry{}, Folders: map[string]*folderEntry{}}
	list, err := c.list()
	if err != nil {
		return err
	}
	for _, path := range list.folders {
		if err := os.Mkdir(c.at(path), 0o700); err != nil {
			return err
		}
	}
	f := &filler{c: c, limit: c.opts.Limit.Bytes}
	for range width() {
		n, p, err := c.newPack()
		if err != nil {
			return err
		}
		f.packs, f.numbers = append(f.packs, p), append(f.numbers, n)
	}
	entries := make([]entry, len(list.files))
	gone := make([]bool, len(list.files))
	err = each((len(list.files)+chunk-1)/chunk, width(), func(worker, part int) error {
		for i := part * chunk; i < min((part+1)*chunk, len(list.files)); i++ {
			err := f.file(worker, list.files[i], &entries[i])
			if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNotRegular) {
				gone[i] = true // it was deleted, or replaced, since it was listed
			} else if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i, path := range list.files {
		if !gone[i] {
			c.index.Files[path] = &entries[i]
		}
	}
	return nil
}

// at gives the file in the copy for a path of the vault.
func (c *Copy) at(path string) string { return filepath.Join(c.Notes(), filepath.FromSlash(path)) }

// listing has the paths of a vault that are copied: folders come before what is in them.
type listing struct{ folders, files []string }

// list walks the vault. Hidden files, links, devices and what may not be seen are left
// out. A folder that such a thing is in is not whole.
func (c *Copy) list() (*listing, error) {
	out := &listing{}
	var walk func(folder string) error
	walk = func(folder string) error {
		entries, err := os.ReadDir(filepath.Join(c.opts.Vault, filepath.FromSlash(folder)))
		if errors.Is(err, fs.ErrNotExist) && folder != "" {
			return nil // it was deleted meanwhile
		} else if err != nil {
			return err
		}
		is := &folderEntry{Whole: true}
		c.index.Folders[folder] = is
		if folder != "" {
			out.folders = append(out.folders, folder)
		}
		for _, e := range entries {
			name := path.Join(folder, e.Name())
			switch {
			case strings.HasPrefix(e.Name(), "."), c.opts.MaySee(name) != nil, !e.IsDir() && !e.Type().IsRegular():
				is.Whole = false
			case e.IsDir():
				if err := walk(name); err != nil {
					return err
				}
				if below := c.index.Folders[name]; below != nil && !below.Whole {
					is.Whole = false
				}
			default:
				out.files = append(out.files, name)
			}
		}
		if most := c.opts.Limit.Files; most > 0 && int64(len(out.files)+len(out.folders)) > most {
			return ErrTooLarge
		}
		return nil
	}
	return out, walk("")
}

// filler copies files, several at once: each worker has a pack of its own.
type filler struct {
	c       *Copy
	packs   []*pack
	numbers []int
	limit   int64
	bytes   atomic.Int64
}

// file copies one note. fs.ErrNotExist and errNotRegular say that it is not there any
// more.
func (f *filler) file(worker int, path string, e *entry) error {
	src, st, err := openRegular(filepath.Join(f.c.opts.Vault, filepath.FromSlash(path)))
	if err != nil {
		return err
	}
	defer src.Close()
	if n := f.bytes.Add(st.Size()); f.limit > 0 && n > f.limit {
		return ErrTooLarge
	}
	e.Note, e.Pack = stampOf(st), -1
	dst, err := f.place(f.c.at(path), src, st)
	if err != nil {
		return err
	}
	err = f.describe(worker, src, dst, st, e)
	return errors.Join(err, dst.Close())
}

// place makes the file in the copy. A large one has its bytes already: shared with the
// note where the file system can.
func (f *filler) place(at string, src *os.File, st fs.FileInfo) (*os.File, error) {
	large := st.Size() > maxKept
	if large {
		if dst, err := clone(at, src); err == nil {
			return dst, dst.Chmod(st.Mode().Perm() | 0o600)
		}
	}
	dst, err := os.OpenFile(at, os.O_CREATE|os.O_EXCL|os.O_WRONLY, st.Mode().Perm()|0o600)
	if err != nil || !large {
		return dst, err
	}
	if _, err := io.Copy(dst, src); err != nil {
		return nil, errors.Join(err, dst.Close())
	}
	return dst, nil
}

// describe gives a small file its bytes, each its time, and notes both.
func (f *filler) describe(worker int, src, dst *os.File, st fs.FileInfo, e *entry) error {
	if st.Size() <= maxKept {
		data, err := readWhole(src, st.Size())
		if err != nil {
			return err
		}
		e.Note.Size, e.Pack = int64(len(data)), f.numbers[worker]
		if e.At, err = f.packs[worker].add(data); err != nil {
			return err
		}
		if _, err := dst.Write(data); err != nil {
			return err
		}
	}
	if err := os.Chtimes(dst.Name(), st.ModTime(), st.ModTime()); err != nil {
		return err
	}
	is, err := dst.Stat()
	if err == nil {
		e.Copy = stampOf(is)
	}
	return err
}

// readWhole reads a file that has about so many bytes.
func readWhole(file *os.File, size int64) ([]byte, error) {
	data := make([]byte, 0, size+1)
	for {
		n, err := file.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		switch {
		case errors.Is(err, io.EOF):
			return data, nil
		case err != nil:
			return nil, err
		case len(data) == cap(data):
			data = append(data, 0)[:len(data)]
		}
	}
}

// openRegular opens an ordinary file to read; errNotRegular for a link, a pipe, a
// device or a folder, which are neither followed nor waited for.
func openRegular(file string) (*os.File, fs.FileInfo, error) {
	f, err := os.OpenFile(file, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, nil, notLink(err)
	}
	st, err := f.Stat()
	if err == nil && !st.Mode().IsRegular() {
		err = errNotRegular
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, st, nil
}

// racy is how long before the copy was noted a file may have been changed without
// another stamp since: a few times the grain of a disk's clock. Such a file is read.
const racy = int64(20 * time.Millisecond)
