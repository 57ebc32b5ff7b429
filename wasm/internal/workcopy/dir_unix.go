//go:build linux || darwin

package workcopy

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// dir is an open folder. What is in it is named by it, so no path can lead elsewhere.
type dir struct{ file *os.File }

const dirFlags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC

// openDir opens a folder by its path; mend gives back the rights to it.
func openDir(path string, mend bool) (*dir, error) { return openAt(unix.AT_FDCWD, path, mend) }

// open opens a folder in a folder. fs.ErrNotExist says that it is none.
func (d *dir) open(name string, mend bool) (*dir, error) {
	return openAt(int(d.file.Fd()), name, mend)
}

func openAt(at int, name string, mend bool) (*dir, error) {
	fd, err := unix.Openat(at, name, dirFlags, 0)
	if mend && errors.Is(err, unix.EACCES) {
		if err = unix.Fchmodat(at, name, 0o700, 0); err == nil {
			fd, err = unix.Openat(at, name, dirFlags, 0)
		}
	}
	switch {
	case errors.Is(err, unix.ELOOP), errors.Is(err, unix.ENOTDIR):
		return nil, fs.ErrNotExist
	case err != nil:
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	d := &dir{os.NewFile(uintptr(fd), name)}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err == nil && mend && st.Mode&0o700 != 0o700 {
		err = unix.Fchmod(fd, 0o700)
		if err != nil {
			return nil, errors.Join(err, d.file.Close())
		}
	}
	return d, nil
}

func (d *dir) close() { _ = d.file.Close() } // it was only read

// list describes the entries.
func (d *dir) list() ([]object, error) {
	names, err := d.file.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	out := make([]object, 0, len(names))
	fd := int(d.file.Fd())
	var st unix.Stat_t
	for _, name := range names {
		err := unix.Fstatat(fd, name, &st, unix.AT_SYMLINK_NOFOLLOW)
		if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EACCES) {
			continue
		} else if err != nil {
			return nil, &fs.PathError{Op: "stat", Path: name, Err: err}
		}
		out = append(out, object{name, kindOf(uint32(st.Mode)), stampIn(&st)})
	}
	return out, nil
}

// kindOf gives the type of a file: 0 for an ordinary one.
func kindOf(mode uint32) fs.FileMode {
	switch mode & unix.S_IFMT {
	case unix.S_IFREG:
		return 0
	case unix.S_IFDIR:
		return fs.ModeDir
	}
	return fs.ModeIrregular
}
