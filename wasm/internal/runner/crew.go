package runner

import "sync"

// crew is goroutines that do one job after another: a call needs a deep stack,
// and to grow one for each of a thousand calls costs more than some of them.
type crew struct {
	jobs chan func()
	wg   sync.WaitGroup
}

// do hands a job to whoever is idle, or to somebody new. It does not wait.
func (c *crew) do(job func()) {
	select {
	case c.jobs <- job:
	default:
		c.wg.Go(func() {
			job()
			for next := range c.jobs {
				next()
			}
		})
	}
}

// dismiss waits until all is done.
func (c *crew) dismiss() {
	close(c.jobs)
	c.wg.Wait()
}
