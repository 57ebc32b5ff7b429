package runner

import (
	"context"

	"embedded-agent/wasm/internal/vaultpath"
)

// claims keeps calls that may write the same path in their source order, one at
// a time. Each claim is a queue of one: whoever registers later waits for the
// one before.
type claims struct {
	last map[string]<-chan struct{}
	all  []<-chan struct{} // everything registered and perhaps not done
	star <-chan struct{}   // the last claim of everything
}

func newClaims() *claims { return &claims{last: map[string]<-chan struct{}{}} }

// ticket is a call's place in the queues.
type ticket struct {
	after []<-chan struct{}
	done  chan struct{}
}

// register takes a call's place. It must be called in source order, by one
// goroutine at a time.
func (c *claims) register(names []string) *ticket {
	t := &ticket{done: make(chan struct{})}
	if len(names) == 0 {
		return t
	}
	if c.star != nil {
		t.after = append(t.after, c.star)
	}
	for _, n := range names {
		if n == "*" {
			t.after = append(t.after, c.pending()...)
			clear(c.last)
			c.all = nil
			c.star = t.done
			return t
		}
		key := vaultpath.Fold(n)
		if before, ok := c.last[key]; ok && before != t.done {
			t.after = append(t.after, before)
		}
		c.last[key] = t.done
	}
	c.all = append(c.all, t.done)
	return t
}

// pending lists what is not done yet.
func (c *claims) pending() []<-chan struct{} {
	var out []<-chan struct{}
	for _, d := range c.all {
		select {
		case <-d:
		default:
			out = append(out, d)
		}
	}
	return out
}

// wait blocks until the call's turn; false when ctx ends first.
func (t *ticket) wait(ctx context.Context) bool {
	for _, d := range t.after {
		select {
		case <-d:
		case <-ctx.Done():
			return false
		}
	}
	return ctx.Err() == nil
}
