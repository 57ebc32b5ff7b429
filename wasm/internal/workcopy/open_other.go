//go:build !js && !linux && !darwin

package workcopy

import (
	"io/fs"
	"os"
)

const openFlags = 0

func notLink(err error) error { return err }

func owned(fs.FileInfo) bool { return true }

// takeLock makes a file that nobody can remove as long as this process has it open,
// which is how Windows has it.
func takeLock(name string) (*os.File, error) {
	if err := os.Remove(name); err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	return os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
}
