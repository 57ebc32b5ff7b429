//go:build !js

package proxy

import (
	"runtime"
	"testing"
	"time"
)

// waitFor waits for a condition that another goroutine brings about.
func waitFor(t testing.TB, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatal("it did not happen")
		}
		runtime.Gosched()
	}
}
