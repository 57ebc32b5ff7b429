//go:build !js

package workcopy

import (
	"errors"
	"time"
)

const (
	// lookEvery is how often the free room of the disk is looked at, which costs
	// nothing to speak of.
	lookEvery = 50 * time.Millisecond
	// countEvery is how often the copy is counted though the disk has not told of
	// anything: at least so long after the last time, and twenty times what that took.
	countEvery = 2 * time.Second
)

// watcher ends a command whose copy grows over its limit.
type watcher struct {
	over chan struct{} // closed when it has
	end  chan struct{}
	done chan struct{}
}

// watch counts the copy as soon as the disk has lost as much room as the copy may
// still take, and now and then.
func (c *Copy) watch() *watcher {
	w := &watcher{over: make(chan struct{}), end: make(chan struct{}), done: make(chan struct{})}
	if c.opts.Limit == (Limit{}) {
		close(w.done)
		return w
	}
	go w.look(c)
	return w
}

func (w *watcher) look(c *Copy) {
	defer close(w.done)
	t := time.NewTicker(lookEvery)
	defer t.Stop()
	var used Limit
	for _, e := range c.index.Files {
		used.Bytes += e.Note.Size
	}
	used.Files = int64(len(c.index.Files) + len(c.index.Folders))
	then, known := freeOf(c.dir)
	due := time.Now().Add(countEvery)
	for {
		select {
		case <-w.end:
			return
		case <-t.C:
		}
		now, _ := freeOf(c.dir)
		if !(known && tight(c.opts.Limit, used, then, now)) && time.Now().Before(due) {
			continue
		}
		began := time.Now()
		found, err := c.scan(false)
		if errors.Is(err, ErrTooLarge) {
			close(w.over)
			return
		}
		if err == nil {
			used = Limit{found.bytes, found.count}
		}
		then = now
		due = time.Now().Add(max(countEvery, 20*time.Since(began)))
	}
}

// tight says whether a disk has lost as much room since a count as the copy may
// still take.
func tight(limit, used, then, now Limit) bool {
	return limit.Bytes > 0 && then.Bytes-now.Bytes > limit.Bytes-used.Bytes ||
		limit.Files > 0 && then.Files-now.Files > limit.Files-used.Files
}

// is says whether the copy has grown over its limit.
func (w *watcher) is() bool {
	select {
	case <-w.over:
		return true
	default:
		return false
	}
}

func (w *watcher) stop() {
	close(w.end)
	<-w.done
}
