package runner

import "sync"

// workerPool is goroutines that do one job after another: a call needs a deep stack,
// and to grow one for each of a thousand calls costs more than some of them.
type workerPool struct {
	jobs chan func()
	wg   sync.WaitGroup
}

// do hands a job to whoever is idle, or to somebody new. It does not wait.
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
