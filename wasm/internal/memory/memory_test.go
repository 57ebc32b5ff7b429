package memory

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
)

func TestTheLimitIsAboveWhatLives(t *testing.T) {
	for _, c := range []struct {
		live, taken uint64
		want        int64
	}{
		{0, 0, 192 << 20},
		{100 << 20, 120 << 20, 192 << 20},
		{150 << 20, 180 << 20, 257 << 20},
		{150 << 20, 301 << 20, 279 << 20},
		{400 << 20, 500 << 20, 632 << 20},
	} {
		if got := limit(c.live, c.taken, 192<<20); got != c.want {
			t.Errorf("%d MB live: %d MB, not %d", c.live>>20, got>>20, c.want>>20)
		}
	}
}

func TestTheLimitFollowsWhatLives(t *testing.T) {
	percent, before := debug.SetGCPercent(100), debug.SetMemoryLimit(math.MaxInt64)
	t.Cleanup(func() {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(before)
	})
	const floor = 48 << 20
	Follow(floor)
	held := make([]byte, 100<<20)
	for debug.SetMemoryLimit(-1) < 182<<20 { // each collection asks, and a finalizer runs when it can
		runtime.GC()
		runtime.Gosched()
	}
	runtime.KeepAlive(held)
}
