//go:build unix && !solaris && !aix && !illumos

package hostfs

import "os"

// takeLock takes a lock on a file; false where another program has it.
func takeLock(f *os.File) (bool, error) { return lockFile(f) }
