package workcopy

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// clone makes a file that shares the bytes of another one, where the file system can:
// what is written to one of them is not in the other (ioctl_ficlone(2)).
func clone(name string, src *os.File) (*os.File, error) {
	dst, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.IoctlFileClone(int(dst.Fd()), int(src.Fd())); err != nil {
		return nil, errors.Join(err, dst.Close(), os.Remove(name))
	}
	return dst, nil
}
