// Package costtest holds what reads other people's texts to a cost by their
// length. It is for tests.
package costtest

import (
	"runtime"
	"testing"
	"time"
)

const (
	// times is how much longer the long text is than the short one.
	times = 8
	// factor is how much longer the long text may take: the square of times is 64,
	// and times with its logarithm about 10. Machines are uneven.
	factor = 32
	// few is a time that every text may take, however short.
	few = 250 * time.Millisecond
)

// Linear fails when a text of eight times n bytes costs much more than eight
// times what one of n bytes costs, and is slow. Both are measured in one run, each by
// the fastest of three, in time of the processor where the system tells it. Under
// the race detector and as wasm nothing is measured, since the code is the same.
func Linear(t *testing.T, n int, text func(n int) string, read func(text string)) {
	t.Helper()
	if raced || runtime.GOOS == "js" {
		t.Skip("timed natively, without the race detector; the code is the same")
	}
	short, long := text(n), text(times*n)
	one, all := Fastest(func() { read(short) }), Fastest(func() { read(long) })
	if all > factor*one && all > few {
		t.Errorf("%d bytes took %v, where %d took %v", len(long), all, len(short), one)
	}
	t.Logf("%v for %d kB, %v for %d kB", one, len(short)>>10, all, len(long)>>10)
}

// Fastest gives the least time that a function takes of the processor, of three
// times that it is called. It may call nothing that works in other goroutines.
func Fastest(f func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	best := time.Duration(1 << 62)
	for range 3 {
		runtime.GC()
		began := worked()
		f()
		best = min(best, worked()-began)
	}
	return best
}
