package journal

import (
	"context"
	"encoding/json"
)

// Act is a call that cannot be simulated or undone (a command), written down
// before it begins. Whether it came to its end is in the run's results; where
// there is none, it may have run.
type Act struct {
	Call string `json:"call"`
	Step string `json:"step"`
	Seq  int    `json:"seq"`
}

// Extend plans further writes. No write may be under way: the ones before the
// cut have ended.
func (w *Writer) Extend(ops []Planned) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.mu.running {
		w.mu.cond.Wait()
	}
	first := len(w.planned.ops)
	w.planned.ops = append(w.planned.ops, ops...)
	w.mu.status = append(w.mu.status, make([]Outcome, len(ops))...)
	w.planned.mtimes = append(w.planned.mtimes, make([]int64, len(ops))...)
	w.planned.windows = append(w.planned.windows, split(w.planned.ops, first)...)
	w.planned.after = append(w.planned.after, prerequisites(w.planned.ops, first)...)
}

// Begins writes down that a call begins which cannot be undone. Unless it
// gives nil, the call must not be made. What was done before it is recorded
// with it.
func (w *Writer) Begins(ctx context.Context, a Act) error {
	rec, err := json.Marshal(struct {
		T string `json:"t"`
		Act
	}{"act", a})
	if err != nil {
		return err
	}
	w.mu.Lock()
	for w.mu.running {
		w.mu.cond.Wait()
	}
	if err := w.mu.err; err != nil {
		w.mu.Unlock()
		return err
	}
	w.mu.running = true
	w.mu.Unlock()
	err = w.append(ctx, w.log.chain.Append(w.settle(nil), rec))
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil {
		w.mu.err = err // the chain holds a record that the file may not
	}
	w.mu.running = false
	w.startStream(ctx)
	w.mu.cond.Broadcast()
	return err
}
