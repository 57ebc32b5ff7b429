//go:build !unix && !js

package hostfs

import "path/filepath"

// sameDevice says whether a file can be renamed from one folder to the other.
func sameDevice(a, b string) bool { return filepath.VolumeName(a) == filepath.VolumeName(b) }
