package runner

import "sync"

// workerPool is a set of goroutines that do one job after another: a call needs a
// deep stack, and growing one for each of a thousand calls would cost more than
// some of the calls.
type workerPool struct {
	jobs chan func()
	wg   sync.WaitGroup
}

// do hands a job to an idle goroutine, or to a new one. It does not wait.
func (p *workerPool) do(job func()) {
	select {
	case p.jobs <- job:
	default:
		p.wg.Go(func() {
			job()
			for next := range p.jobs {
				next()
			}
		})
	}
}

// close waits until all is done.
func (p *workerPool) close() {
	close(p.jobs)
	p.wg.Wait()
}
