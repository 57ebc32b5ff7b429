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
	for w.running {
		w.cond.Wait()
	}
	first := len(w.ops)
	w.ops = append(w.ops, ops...)
	w.status = append(w.status, make([]Outcome, len(ops))...)
	w.mtimes = append(w.mtimes, make([]int64, len(ops))...)
	w.windows = append(w.windows, split(w.ops, first)...)
	w.after = append(w.after, prerequisites(w.ops, first)...)
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
	for w.running {
		w.cond.Wait()
	}
	if err := w.err; err != nil {
		w.mu.Unlock()
		return err
	}
	w.running = true
	w.mu.Unlock()
	err = w.append(ctx, w.chain.Append(w.settle(nil), rec))
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil {
		w.err = err // the chain holds a record that the file may not
	}
	w.running = false
	w.startStream(ctx)
	w.cond.Broadcast()
	return err
}
