//go:build !js

package builtin_test

import (
	"os"
	"testing"

	"embedded-agent/wasm/internal/sandbox/child"
)

// scripts runs the scripts of these tests: in a child process, as the native
// command does.
var scripts = child.New()

// TestMain is the child, where this test was started as one.
func TestMain(m *testing.M) {
	child.Main()
	code := m.Run()
	scripts.Close()
	os.Exit(code)
}
