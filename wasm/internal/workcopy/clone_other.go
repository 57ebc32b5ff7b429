//go:build !js && !linux && !darwin

package workcopy

import (
	"errors"
	"os"
)

// clone would make a file that shares the bytes of another one: no file system here
// can.
func clone(string, *os.File) (*os.File, error) { return nil, errors.ErrUnsupported }
