package child

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
)

// limitData lets the system refuse a script more memory than that. Where it
// cannot, the look at the memory remains.
//
// The system counts what is mapped for writing, touched or not. A Go program has
// a hundred megabytes of that before a script begins (its tables of the heap
// alone are 32), so the bound stands above what is mapped by now.
func limitData(size uint64) {
	now, ok := mapped()
	if !ok {
		return
	}
	_ = syscall.Setrlimit(syscall.RLIMIT_DATA, &syscall.Rlimit{Cur: now + size, Max: now + size})
}

// mapped gives how many bytes the system counts as the program's data, and
// whether it says so: the sixth number of statm, in pages.
func mapped() (uint64, bool) {
	raw, err := os.ReadFile("/proc/self/statm")
	fields := bytes.Fields(raw)
	if err != nil || len(fields) < 6 {
		return 0, false
	}
	pages, err := strconv.ParseUint(string(fields[5]), 10, 64)
	return pages * uint64(os.Getpagesize()), err == nil
}
