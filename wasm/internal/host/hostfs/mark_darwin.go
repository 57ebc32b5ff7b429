package hostfs

import (
	"io/fs"
	"syscall"
	"time"

	"embedded-agent/wasm/internal/host"
)

// markOf adds what the system knows an entry by, and gives when it was changed last: no
// program can set that.
func markOf(m *host.Mark, st fs.FileInfo) time.Time {
	sys, ok := st.Sys().(*syscall.Stat_t)
	if !ok {
		return st.ModTime()
	}
	m.Entry, m.Device = sys.Ino, uint64(sys.Dev)
	return time.Unix(sys.Ctimespec.Unix())
}
