package journal

import (
	"context"
	"slices"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/vaultpath"
)

// prerequisites says, for each write of ops[first:], which of them must have ended before
// it: the last one of the same path, and whatever makes a folder above it.
// Moving, trashing or removing anything else than a file waits for all before
// it and holds up all after it.
func prerequisites(ops []Planned, first int) [][]int {
	after := make([][]int, len(ops)-first)
	last := map[string]int{}    // path -> the last write of it
	folders := map[string]int{} // folder -> the write that makes it
	barrier := -1
	for i := first; i < len(ops); i++ {
		op, own := &ops[i].Op, &after[i-first]
		if far(op) {
			for j := max(barrier, first); j < i; j++ {
				*own = append(*own, j)
			}
			barrier = i
			continue
		}
		need := func(j int) {
			if j > barrier {
				*own = append(*own, j)
			}
		}
		if barrier >= 0 {
			*own = append(*own, barrier)
		}
		key := vaultpath.Fold(op.Path)
		if j, ok := last[key]; ok {
			need(j)
		}
		last[key] = i
		for p := vaultpath.Parent(op.Path); p != ""; p = vaultpath.Parent(p) {
			if j, ok := folders[vaultpath.Fold(p)]; ok {
				need(j)
				break
			}
		}
		if op.Kind == host.OpMkdir {
			folders[key] = i
		}
	}
	return after
}

// far says whether a write can concern more than one path.
func far(op *host.Op) bool {
	switch op.Kind {
	case host.OpCreate, host.OpModify, host.OpMkdir:
		return false
	case host.OpTrash, host.OpRemove:
		return op.Before == nil
	}
	return true
}

// AwaitBefore blocks until every write of others has ended, well or not, that
// one of these waits for.
func (w *Writer) AwaitBefore(ctx context.Context, own []int) error {
	var need []int
	for _, i := range own {
		for _, j := range w.planned.after[i] {
			if !slices.Contains(own, j) {
				need = append(need, j)
			}
		}
	}
	return w.awaitEnded(ctx, need)
}

// awaitEnded blocks until none of the writes is still to come.
func (w *Writer) awaitEnded(ctx context.Context, need []int) error {
	if len(need) == 0 || w.allEnded(need) {
		return nil
	}
	defer w.wakeAtEnd(ctx)()
	w.mu.Lock()
	defer w.mu.Unlock()
	for !w.ended(need) {
		if ctx.Err() != nil {
			return fault.From(ctx.Err())
		}
		w.mu.cond.Wait()
	}
	return nil
}

func (w *Writer) allEnded(is []int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ended(is)
}

// ended says whether none of the writes is still to come. The lock is held.
func (w *Writer) ended(is []int) bool {
	for _, i := range is {
		if w.mu.status[i] == NotReached || w.mu.status[i] == Issued {
			return false
		}
	}
	return true
}

// Abandon says that a write is not going to be made: its call has ended.
func (w *Writer) Abandon(i int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.mu.status[i] == NotReached {
		w.mu.status[i] = Abandoned
		w.mu.cond.Broadcast()
	}
}

// AbandonRest says that no write is going to be made that was not begun.
func (w *Writer) AbandonRest() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, s := range w.mu.status {
		if s == NotReached {
			w.mu.status[i] = Abandoned
		}
	}
	w.mu.cond.Broadcast()
}
