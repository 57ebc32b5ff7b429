//go:build linux || darwin

package workcopy

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// openFlags keep an open from following a link, and from waiting for a pipe.
const openFlags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// notLink names the error of an open that met a link.
func notLink(err error) error {
	if errors.Is(err, syscall.ELOOP) || errors.Is(err, syscall.ENXIO) {
		return errNotRegular
	}
	return err
}

// owned says whether a folder is this person's alone.
func owned(st fs.FileInfo) bool {
	sys, ok := st.Sys().(*syscall.Stat_t)
	return ok && int(sys.Uid) == os.Getuid() && st.Mode().Perm()&0o077 == 0
}

// takeLock makes a file that is locked as long as this process has it open.
func takeLock(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
