//go:build !js

package hostfs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
)

// place gives the file for a new path, whose parent folder must be there and
// whose name must not.
func (f *Folder) place(path string) (string, error) {
	file, err := f.locate("", path, false)
	if err != nil {
		return "", err
	}
	parent := filepath.Dir(file)
	parentPath := strings.TrimSuffix(path[:strings.LastIndexByte("/"+path, '/')], "/")
	switch st, err := os.Stat(parent); {
	case err != nil:
		return "", io(parentPath, notDir(err))
	case !st.IsDir():
		return "", fault.New(fault.NotFound, "error.vault.isFile", fault.P{"path": parentPath})
	}
	if _, err := os.Lstat(file); err == nil {
		return "", host.Exists(path)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return "", io(path, err)
	}
	return file, nil
}

func (f *Folder) create(op host.Op) error {
	file, err := f.place(op.Path)
	if err != nil {
		return err
	}
	tmp, err := f.writeTemp(file, op.Data, 0o644)
	if err != nil {
		return io(op.Path, err)
	}
	// A link, unlike a rename, never takes another file's place.
	err = os.Link(tmp, file)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		err = linkless(tmp, file) // a file system without hard links
		return io(op.Path, err)
	}
	return io(op.Path, errors.Join(err, os.Remove(tmp)))
}

// linkless puts a new file into place where there are no hard links: the name
// is taken first, empty, and then replaced.
func linkless(tmp, file string) error {
	h, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return errors.Join(err, os.Remove(tmp))
	}
	if err := h.Close(); err != nil {
		return errors.Join(err, os.Remove(tmp))
	}
	return os.Rename(tmp, file)
}

func (f *Folder) modify(op host.Op) error {
	if err := f.checkBefore(op.Path, op.Before); err != nil {
		return err
	}
	file, err := f.locate("", op.Path, true)
	if err != nil {
		return err
	}
	// Through a link inside the folder, what it leads to is written.
	real, err := filepath.EvalSymlinks(file)
	if err != nil {
		return io(op.Path, err)
	}
	st, err := os.Stat(real)
	if err != nil {
		return io(op.Path, err)
	}
	tmp, err := f.writeTemp(real, op.Data, st.Mode().Perm())
	if err != nil {
		return io(op.Path, err)
	}
	if err := f.checkBefore(op.Path, op.Before); err != nil {
		return errors.Join(err, os.Remove(tmp))
	}
	return io(op.Path, os.Rename(tmp, real))
}

// writeTemp writes a synced temporary file that can be renamed to file: in the
// store, where a crash leaves it out of the notes' way, or hidden beside file
// where that is another file system.
func (f *Folder) writeTemp(file string, data []byte, mode fs.FileMode) (string, error) {
	dir := filepath.Join(f.root, StoreFolder, tempFolder)
	if err := f.plain(tempFolder); err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil || !sameDevice(dir, filepath.Dir(file)) {
		dir = filepath.Dir(file)
	}
	tmp, err := os.CreateTemp(dir, ".embedded-agent-*.tmp")
	if err != nil {
		return "", err
	}
	_, err = tmp.Write(data)
	if err == nil {
		err = tmp.Chmod(mode)
	}
	if err == nil {
		err = tmp.Sync()
	}
	if err = errors.Join(err, tmp.Close()); err != nil {
		return "", errors.Join(err, os.Remove(tmp.Name()))
	}
	return tmp.Name(), nil
}

func (f *Folder) mkdir(path string) error {
	file, err := f.place(path)
	if err != nil {
		return err
	}
	return io(path, os.Mkdir(file, 0o755))
}

func (f *Folder) rename(from, to string) error {
	src, err := f.locate("", from, false)
	if err != nil {
		return err
	}
	was, err := os.Lstat(src)
	if err != nil {
		return io(from, notDir(err))
	}
	if was.IsDir() && strings.HasPrefix(to+"/", from+"/") {
		return host.Exists(to)
	}
	dst, err := f.locate("", to, false)
	if err != nil {
		return err
	}
	// On a disk without case the new name is there already when only the case
	// changes: the same file.
	if is, statErr := os.Lstat(dst); statErr != nil || !os.SameFile(was, is) || from == to {
		if dst, err = f.place(to); err != nil {
			return err
		}
	}
	defer f.lock("→ " + to)() // two renames to one name: the second sees the first
	if is, statErr := os.Lstat(dst); statErr == nil && !os.SameFile(was, is) {
		return host.Exists(to)
	}
	return io(from, os.Rename(src, dst))
}

func (f *Folder) rmdir(path string) error {
	dir, err := f.locate("", path, false)
	if err != nil {
		return err
	}
	st, err := os.Lstat(dir)
	switch {
	case err != nil:
		return io(path, notDir(err))
	case !st.IsDir() || path == "":
		return fault.New(fault.NotFound, "error.vault.isFile", fault.P{"path": path})
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return io(path, err)
	}
	if len(entries) > 0 {
		return host.NotAsExpected(path)
	}
	return io(path, os.Remove(dir))
}

// remove deletes a file for good.
func (f *Folder) remove(op host.Op) error {
	if err := f.checkBefore(op.Path, op.Before); err != nil {
		return err
	}
	file, err := f.locate("", op.Path, false)
	if err != nil {
		return err
	}
	return io(op.Path, os.Remove(file))
}

// trash moves a file or folder into the trash, under its own path there or,
// where that is taken, with a number.
func (f *Folder) trash(op host.Op) error {
	file, err := f.locate("", op.Path, false)
	if err != nil {
		return err
	}
	st, err := os.Lstat(file)
	if err != nil {
		return io(op.Path, notDir(err))
	}
	if op.Path == "" {
		return host.NotFound(op.Path)
	}
	if !st.IsDir() {
		if err := f.checkBefore(op.Path, op.Before); err != nil {
			return err
		}
	}
	if _, err := f.locate(TrashFolder, op.Path, false); err != nil {
		return err // the trash is a link that leads outside
	}
	dst := filepath.Join(f.root, TrashFolder, filepath.FromSlash(op.Path))
	if err := os.MkdirAll(filepath.Dir(dst), 0o755); err != nil {
		return io(op.Path, err)
	}
	ext := filepath.Ext(dst)
	stem := strings.TrimSuffix(dst, ext)
	for n := 2; ; n++ {
		if _, err := os.Lstat(dst); errors.Is(err, fs.ErrNotExist) {
			return io(op.Path, os.Rename(file, dst))
		} else if err != nil {
			return io(op.Path, err)
		}
		dst = fmt.Sprintf("%s (%d)%s", stem, n, ext)
	}
}
