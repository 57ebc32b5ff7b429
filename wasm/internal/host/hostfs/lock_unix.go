//go:build unix && !solaris && !aix && !illumos

package hostfs

import (
	"errors"
	"os"
	"syscall"
)

// lockFile takes a lock on a file that ends with the process; false where another
// has it.
func lockFile(f *os.File) (bool, error) {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}
