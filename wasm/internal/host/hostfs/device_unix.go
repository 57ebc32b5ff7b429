//go:build unix

package hostfs

import (
	"os"
	"syscall"
)

// sameDevice says whether a file can be renamed from one folder to the other.
func sameDevice(a, b string) bool {
	return device(a) == device(b)
}

func device(dir string) uint64 {
	st, err := os.Stat(dir)
	if err != nil {
		return 0
	}
	sys, ok := st.Sys().(*syscall.Stat_t)
	if !ok {
		return 0
	}
	return uint64(sys.Dev)
}
