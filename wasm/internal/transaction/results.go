package transaction

import (
	"iter"

	"embedded-agent/wasm/internal/runner"
	"embedded-agent/wasm/internal/tool"
)

// spot is where in a plan a call is: the place of its step, and its iteration.
type spot struct {
	place, iteration int
	step             *runner.StepReport
}

// seq is the call's sequence number.
func (s spot) seq() int { return runner.Seq(s.place, s.iteration) }

// everything is the end of a range of places that has no end.
const everything = int(^uint(0) >> 1)

// results goes through the results of the steps in the places [from, to), in
// order. Calls that were not reached have none.
func results(rep *runner.Report, from, to int) iter.Seq2[spot, *tool.Result] {
	return func(yield func(spot, *tool.Result) bool) {
		for place := from; place < min(to, len(rep.Steps)); place++ {
			for i, r := range rep.Steps[place].Results {
				if r != nil && !yield(spot{place, i, rep.Steps[place]}, r) {
					return
				}
			}
		}
	}
}

// bySeq gives the results of a report that keep says to keep, by sequence number.
func bySeq(rep *runner.Report, keep func(*tool.Result) bool) map[int]*tool.Result {
	out := map[int]*tool.Result{}
	for at, r := range results(rep, 0, everything) {
		if keep(r) {
			out[at.seq()] = r
		}
	}
	return out
}

// reached and succeeded are what bySeq can keep: all that was reached, or what a later
// run can take as it is.
func reached(*tool.Result) bool     { return true }
func succeeded(r *tool.Result) bool { return r.OK }

// simulated is a call of a review with its result.
type simulated struct {
	spot
	call   *tool.Call
	result *tool.Result
}

// calls goes through the calls of the steps in the places [from, to) as they were
// simulated, in order.
func (f Found) calls(from, to int) iter.Seq[simulated] {
	return func(yield func(simulated) bool) {
		for at, r := range results(f.Report, from, to) {
			if c := f.Called[r.LogicalID]; c != nil && !yield(simulated{at, c, r}) {
				return
			}
		}
	}
}
