//go:build !js

package workcopy

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Refresh makes a copy that was kept what Make would make now, for another command. It
// copies the notes alone that have changed since, and the files that the last command
// changed. It says how many files it copied.
func (c *Copy) Refresh() (copied int, err error) {
	limit := c.opts.Limit
	c.opts.Limit = Limit{}
	now, err := c.scan(true)
	c.opts.Limit = limit
	if err != nil {
		return 0, err
	}
	before := c.index
	c.index = index{Files: map[string]*entry{}, Folders: map[string]*folderEntry{}, Made: before.Made}
	list, err := c.list()
	if err != nil {
		return 0, err
	}
	if err := c.clear(now, before, list); err != nil {
		return 0, err
	}
	for _, path := range list.folders {
		if !now.folders[path] {
			if err := os.Mkdir(c.at(path), 0o700); err != nil {
				return 0, err
			}
		}
	}
	stale, err := c.stale(before, list)
	if err != nil {
		return 0, err
	}
	if err := c.copyAgain(stale); err != nil {
		return 0, err
	}
	c.about.Done, c.about.Command, c.about.Began = false, c.opts.Command, time.Now()
	if err := c.describe(); err != nil {
		return 0, err
	}
	return len(stale), c.save()
}

// clear removes what the notes do not have: after it every folder in the copy is a
// folder, and no path leads through a link.
func (c *Copy) clear(now *found, before index, list *listing) error {
	root, err := os.OpenRoot(c.Notes())
	if err != nil {
		return err
	}
	defer root.Close()
	var extra []string
	for _, set := range []map[string]bool{now.odd, now.hidden} {
		for path := range set {
			extra = append(extra, path)
		}
	}
	folders, files := setOf(list.folders), setOf(list.files)
	for path := range now.folders {
		if !folders[path] {
			extra = append(extra, path)
		}
	}
	for path := range now.files {
		if !files[path] {
			extra = append(extra, path)
		}
	}
	for path, e := range before.Files {
		if e.seen == c.looks && !files[path] { // the person has deleted the note
			extra = append(extra, path)
		}
	}
	slices.Sort(extra)
	last := ""
	for _, path := range extra {
		if last != "" && strings.HasPrefix(path, last+"/") {
			continue // it went with the folder
		}
		if err := root.RemoveAll(filepath.FromSlash(path)); err != nil {
			return err
		}
		last = path
	}
	return nil
}

func setOf(list []string) map[string]bool {
	out := make(map[string]bool, len(list))
	for _, s := range list {
		out[s] = true
	}
	return out
}

// stale gives the notes that have to be copied: of all others the entries are taken on.
func (c *Copy) stale(before index, list *listing) ([]string, error) {
	same := make([]bool, len(list.files))
	err := each((len(list.files)+chunk-1)/chunk, width(), func(_, part int) error {
		for i := part * chunk; i < min((part+1)*chunk, len(list.files)); i++ {
			e := before.Files[list.files[i]]
			if e == nil || e.seen != c.looks {
				continue
			}
			st, err := os.Lstat(filepath.Join(c.opts.Vault, filepath.FromSlash(list.files[i])))
			if errors.Is(err, fs.ErrNotExist) || err == nil && stampOf(st) != e.Note {
				continue
			}
			if err == nil {
				same[i], err = c.asBefore(list.files[i], e, before.Made-racy)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	var stale []string
	for i, path := range list.files {
		if same[i] {
			c.index.Files[path] = before.Files[path]
		} else {
			stale = append(stale, path)
		}
	}
	return stale, err
}

// asBefore says whether neither a note nor its copy was changed in the moment before
// the copy was noted, in which the stamp of a file says nothing.
func (c *Copy) asBefore(path string, e *entry, noted int64) (bool, error) {
	if stamped && e.Copy.CTime < noted && e.Note.CTime < noted {
		return true, nil
	}
	if e.Pack < 0 {
		return false, nil
	}
	base, _, err := c.base(path, e)
	if err != nil {
		return false, err
	}
	for _, file := range []string{c.at(path), filepath.Join(c.opts.Vault, filepath.FromSlash(path))} {
		f, st, err := openRegular(file)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || errors.Is(err, errNotRegular) {
			return false, nil
		} else if err != nil {
			return false, err
		}
		data, err := readWhole(f, st.Size())
		if err = errors.Join(err, f.Close()); err != nil || !bytes.Equal(data, base) {
			return false, err
		}
	}
	return true, nil
}

// copyAgain copies notes over what the copy has of them.
func (c *Copy) copyAgain(paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	f := &filler{c: c, limit: c.opts.Limit.Bytes}
	for _, e := range c.index.Files {
		f.bytes.Add(e.Note.Size)
	}
	n, p, err := c.newPack()
	if err != nil {
		return err
	}
	f.packs, f.numbers = []*pack{p}, []int{n}
	for _, path := range paths {
		if err := os.Remove(c.at(path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		e := &entry{}
		err := f.file(0, path, e)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNotRegular) {
			continue
		} else if err != nil {
			return err
		}
		c.index.Files[path] = e
	}
	return nil
}
