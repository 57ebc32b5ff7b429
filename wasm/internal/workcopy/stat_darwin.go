package workcopy

import (
	"io/fs"
	"syscall"

	"golang.org/x/sys/unix"
)

// stamped says that a file which has its stamp has not been written to.
const stamped = true

func stampOf(st fs.FileInfo) stamp {
	s := stamp{Size: st.Size(), MTime: st.ModTime().UnixNano()}
	if sys, ok := st.Sys().(*syscall.Stat_t); ok {
		s.CTime, s.Inode = sys.Ctimespec.Nano(), sys.Ino
	}
	return s
}

// stampIn is stampOf for a description that was asked for by the number of a folder.
func stampIn(st *unix.Stat_t) stamp {
	return stamp{Size: st.Size, MTime: st.Mtim.Nano(), CTime: st.Ctim.Nano(), Inode: st.Ino}
}
