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
// times what one of n bytes costs, and is slow.
func Linear(t *testing.T, n int, text func(n int) string, read func(text string)) {
	t.Helper()
	short, long := text(n), text(times*n)
	NoDearer(t, factor, few, func() { read(long) }, func() { read(short) })
}

// NoDearer fails when one function takes more than a number of times what another
// takes, and more than a time that it may always take. Both are measured in one run,
// each by the fastest of three, in time of the processor where the system tells it;
// where the first call takes no more than that time, it is the only one. Under the race
// detector and as wasm nothing is measured, since the code is the same.
func NoDearer(t *testing.T, most int, always time.Duration, dear, cheap func()) {
	t.Helper()
	if raced || runtime.GOOS == "js" {
		t.Skip("timed natively, without the race detector; the code is the same")
	}
	if took(dear) <= always {
		return
	}
	a, b := Fastest(dear), Fastest(cheap)
	if a > always && a > time.Duration(most)*b {
		t.Errorf("want no more than %d times what takes %v, or %v, got %v", most, b, always, a)
	}
}

// Fastest gives the least time that a function takes of the processor, of three
// times that it is called. It may call nothing that works in other goroutines.
func Fastest(f func()) time.Duration {
	best := took(f)
	for range 2 {
		best = min(best, took(f))
	}
	return best
}

// took gives the time that a function takes of the processor, after the garbage of
// others is collected.
func took(f func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	runtime.GC()
	began := worked()
	f()
	return worked() - began
}
