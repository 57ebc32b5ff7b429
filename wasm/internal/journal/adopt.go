package journal

import (
	"slices"

	"embedded-agent/wasm/internal/host"
)

// Adopt takes over what another run has made of this one's writes: a run that
// went on with it after a crash. So this run answers for all that was written
// in its name, and taking it back takes back both.
func (l *Log) Adopt(by *Log) {
	open := map[sameness][]int{}
	for i := range l.Entries {
		if e := &l.Entries[i]; e.Outcome == NotReached {
			open[e.same()] = append(open[e.same()], i)
		}
	}
	for k := range by.Entries {
		e := &by.Entries[k]
		left := open[e.same()]
		if !e.Made() || len(left) == 0 {
			continue
		}
		l.Entries[left[0]].Outcome, l.Entries[left[0]].MTime = e.Outcome, e.MTime
		open[e.same()] = slices.Delete(left, 0, 1)
	}
}

// Places says which write of this run each write of a run is that went on with it,
// by their places in the journals. What is left of a run is its end, so the last
// ones that are the same are meant.
func (l *Log) Places(by *Log) map[int]int {
	open := map[sameness][]int{}
	for i := range l.Entries {
		e := &l.Entries[i]
		open[e.same()] = append(open[e.same()], i)
	}
	out := map[int]int{}
	for k := range slices.Backward(by.Entries) {
		same := by.Entries[k].same()
		if left := open[same]; len(left) > 0 {
			out[k], open[same] = left[len(left)-1], left[:len(left)-1]
		}
	}
	return out
}

// sameness has the parts of a write by which it is found in another journal.
type sameness struct {
	call          string
	kind          host.OpKind
	path, to      string
	before, after string
}

func (e *Entry) same() sameness {
	return sameness{e.Call, e.Kind, e.Path, e.To, e.Before, e.After}
}
