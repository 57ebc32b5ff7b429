//go:build unix

package hostfs

import "os"

// syncNames brings the names in a folder to the disk.
func syncNames(folder *os.File) error { return folder.Sync() }
