//go:build !js && !windows && !(unix && !solaris && !aix && !illumos)

package hostfs

import (
	"errors"
	"os"
)

// takeLock says that this system has no locks that end with a program.
func takeLock(*os.File) (bool, error) { return false, errors.ErrUnsupported }
