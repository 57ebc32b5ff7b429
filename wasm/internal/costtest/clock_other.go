//go:build !linux

package costtest

import "time"

var start = time.Now()

// worked gives the time that has gone by: what a thread has worked is not told in
// one way by all systems.
func worked() time.Duration { return time.Since(start) }
