// Package pace decides how much to ask for at once, by how long it took before:
// much where answers are quick, since each question costs something, and little
// where they are slow, so that whoever waits sees that it goes on.
package pace

import "time"

// An answer that takes less than quick is told of often enough. One that takes
// longer than slow is halved the next time; not sooner, since a host that reads
// many at once takes as long for one.
const (
	quick = 5 * time.Second
	slow  = 15 * time.Second
)

// first is how much is asked for before anything is known. A disk that takes
// seven seconds for each is still heard of within a minute.
const first = 8

// Pace is how much to ask for next. It belongs to one goroutine.
type Pace struct {
	n, most int
	quick   bool
}

// New gives a pace that never asks for more than most at once.
func New(most int) *Pace { return &Pace{n: min(first, most), most: most} }

// Next gives how much to ask for, at least 1.
func (p *Pace) Next() int { return p.n }

// Took says how long the latest answer was waited for.
func (p *Pace) Took(d time.Duration) {
	p.quick = d < quick
	switch {
	case p.quick:
		p.n = min(p.n*2, p.most)
	case d > slow:
		p.n = max(p.n/2, 1)
	}
}

// Quick reports that the latest answer was quick: the next things may be asked
// for before it was looked at. Beside one another slow ones only take longer.
func (p *Pace) Quick() bool { return p.quick }
