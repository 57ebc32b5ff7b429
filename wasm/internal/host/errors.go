package host

import "embedded-agent/wasm/internal/fault"

// NotFound says that nothing is at a path.
func NotFound(path string) *fault.Error {
	return fault.New(fault.NotFound, "error.vault.notFound", fault.P{"path": path})
}

// Exists says that something is at a path where something was to be made.
func Exists(path string) *fault.Error {
	return fault.New(fault.Conflict, "error.vault.exists", fault.P{"path": path})
}

// NotAsExpected says that a path holds other bytes than it was expected to.
func NotAsExpected(path string) *fault.Error {
	return fault.New(fault.Conflict, "error.vault.changed", fault.P{"path": path})
}
