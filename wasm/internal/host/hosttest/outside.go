package hosttest

import (
	"slices"
	"strings"

	"embedded-agent/wasm/internal/fault"
)

// checkInside refuses a path that would leave the vault or the store.
func checkInside(path string) error {
	switch {
	case strings.HasPrefix(path, "/"):
		return fault.New(fault.Denied, "error.path.absolute", fault.P{"path": path})
	case strings.Contains(path, "..") && slices.Contains(strings.Split(path, "/"), ".."):
		return fault.New(fault.Denied, "error.path.outside", fault.P{"path": path})
	}
	return nil
}
