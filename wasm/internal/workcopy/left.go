//go:build !js

package workcopy

import (
	"cmp"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Left is a copy that nobody works with: a crash has left it, or somebody kept it.
type Left struct {
	Dir string
	About
	// Whole says that the copy was made to its end, so that a command may have run in it.
	Whole bool
}

// FindLeft lists the copies of a vault that nobody works with, oldest first; temp is ""
// for the system's folder. A folder that others could have made is none.
func FindLeft(temp, vault string) ([]Left, error) {
	if temp == "" {
		temp = os.TempDir()
	}
	entries, err := os.ReadDir(temp)
	if err != nil {
		return nil, err
	}
	var out []Left
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), prefix) {
			continue
		}
		dir := filepath.Join(temp, e.Name())
		if st, err := os.Lstat(dir); err != nil || !st.IsDir() || !owned(st) {
			continue
		}
		if l, ok := leftIn(dir); ok && l.Vault == vault {
			out = append(out, l)
		}
	}
	slices.SortFunc(out, func(a, b Left) int { return cmp.Or(a.Began.Compare(b.Began), strings.Compare(a.Dir, b.Dir)) })
	return out, nil
}

// leftIn describes a copy; false for one that somebody works with, and for what is none.
func leftIn(dir string) (Left, bool) {
	l := Left{Dir: dir}
	b, err := os.ReadFile(filepath.Join(dir, aboutFile))
	if err != nil || json.Unmarshal(b, &l.About) != nil || l.Version != version {
		return l, false
	}
	lock, err := takeLock(filepath.Join(dir, lockName))
	if err != nil {
		return l, false
	}
	_, err = os.Stat(filepath.Join(dir, indexFile))
	l.Whole = err == nil
	return l, lock.Close() == nil
}

// Remove removes the copy with all that is in it.
func (l Left) Remove() error {
	lock, err := takeLock(filepath.Join(l.Dir, lockName))
	if err != nil {
		return err
	}
	return errors.Join(lock.Close(), removeAll(l.Dir))
}

// Open goes on with a copy that was left. Its changes are those since it was made.
func (l Left) Open(o Options) (_ *Copy, err error) {
	c := &Copy{dir: l.Dir, opts: o, about: l.About}
	if c.dir, err = filepath.EvalSymlinks(l.Dir); err != nil {
		return nil, err
	}
	if c.lock, err = takeLock(filepath.Join(c.dir, lockName)); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.Keep())
		}
	}()
	file, err := os.Open(filepath.Join(c.dir, indexFile))
	if err != nil {
		return nil, err
	}
	err = gob.NewDecoder(file).Decode(&c.index)
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	for n := 0; ; n++ {
		file, err := os.OpenFile(filepath.Join(c.dir, fmt.Sprintf("%s%d", packName, n)), os.O_RDWR, 0)
		if errors.Is(err, fs.ErrNotExist) {
			break
		} else if err != nil {
			return nil, err
		}
		st, err := file.Stat()
		if err != nil {
			return nil, errors.Join(err, file.Close())
		}
		c.packs = append(c.packs, &pack{file: file, size: st.Size()})
	}
	for path, e := range c.index.Files {
		if e.Pack >= len(c.packs) {
			return nil, fmt.Errorf("the working copy in %s is damaged: the bytes of %q are missing", c.dir, path)
		}
	}
	return c, nil
}
