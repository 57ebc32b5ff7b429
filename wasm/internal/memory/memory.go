// Package memory sets how much memory the core may take before it collects.
package memory

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// Follow has the collector keep the program below a soft limit of so many bytes,
// and raises the limit where what lives comes near to it, and to what was taken
// already, which wasm never gives back: below a limit that is fixed, a program
// that once took more would do nothing but collect. A collection leaves
// everything standing on the one thread that wasm has, so below the limit it
// waits until the heap is four times what lives on it.
func Follow(floor int64) {
	debug.SetGCPercent(300)
	debug.SetMemoryLimit(floor)
	f := &follower{floor: floor, told: []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/total:bytes"}}}
	f.arm()
}

type follower struct {
	floor int64
	told  []metrics.Sample
}

// mark is an object that each collection finds unused.
type mark struct{ _ [16]byte }

// arm has the limit set anew after the next collection.
func (f *follower) arm() {
	runtime.SetFinalizer(new(mark), func(*mark) {
		metrics.Read(f.told)
		debug.SetMemoryLimit(limit(f.told[0].Value.Uint64(), f.told[1].Value.Uint64(), f.floor))
		f.arm()
	})
}

// room is added to half as much again as lives: stacks, and what the collector
// itself needs.
const room = 32 << 20

// limit gives the soft limit where so many bytes live, and so many were taken.
// What was taken above the limit, the collector takes off its goal (the memory
// limit's design, golang.org/issue/48409): half of it above is room enough for
// half as much again as lives, and does not let the program take ever more.
func limit(live, taken uint64, floor int64) int64 {
	wanted := int64(live+live/2) + room
	return max(floor, wanted, (int64(taken)+wanted)/2)
}
