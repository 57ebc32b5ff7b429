//go:build !unix && !js

package hostfs

import "os"

// syncNames does nothing: elsewhere a folder cannot be synced, and its names are
// part of the file system's own journal.
func syncNames(*os.File) error { return nil }
