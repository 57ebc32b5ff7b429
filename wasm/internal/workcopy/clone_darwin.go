package workcopy

import (
	"os"

	"golang.org/x/sys/unix"
)

// clone makes a file that shares the bytes of another one, where the file system can:
// what is written to one of them is not in the other (clonefile(2)).
func clone(name string, src *os.File) (*os.File, error) {
	if err := unix.Clonefile(src.Name(), name, unix.CLONE_NOFOLLOW); err != nil {
		return nil, err
	}
	if err := os.Chmod(name, 0o600); err != nil {
		return nil, err
	}
	return os.OpenFile(name, os.O_WRONLY, 0)
}
