package child

import "syscall"

// limitData lets the system refuse more memory than that. Where it cannot, the
// look at the memory remains.
func limitData(bytes uint64) {
	_ = syscall.Setrlimit(syscall.RLIMIT_DATA, &syscall.Rlimit{Cur: bytes, Max: bytes})
}
