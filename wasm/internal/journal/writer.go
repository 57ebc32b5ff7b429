package journal

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/record"
	"embedded-agent/wasm/internal/seal"
)

// Writer journals and makes the writes of one run. Its methods may be called
// from several goroutines.
type Writer struct {
	store host.Store
	vault host.Vault
	dir   string

	// planned is the writes. It grows in Extend alone, while no write is under way
	// and nothing is appended, so that it is read without a lock.
	planned struct {
		ops     []Planned
		windows []window
		after   [][]int // the writes that each one waits for
		mtimes  []int64 // each is set by whoever makes the write
	}

	// log collects the bytes that are appended to the journal. It belongs to whoever has set
	// mu.running, and to the run's own goroutine at its beginning and its end.
	log struct {
		chain   *record.Chain
		packs   packer
		appends int
	}

	// mu guards how far the journal and the writes are. The store and the vault are
	// never called under it.
	mu struct {
		sync.Mutex
		cond    *sync.Cond // something below has changed
		wanted  int        // windows that should be durable
		durable int        // windows that are
		running bool       // somebody appends
		err     error      // of the first append that failed; nothing is appended after it
		status  []Outcome  // of each planned write
		settled []int      // done, not yet recorded
	}
}

// Outcome says how a planned write ended.
type Outcome int

// The outcomes. Unknown ones are observed before the run ends.
const (
	NotReached Outcome = iota
	Issued             // sent to the host, no answer yet
	Done
	Failed
	Unknown
	Abandoned // its call has ended without it
)

// Begin opens a run's journal: the begin record is durable when it returns. It
// is sealed where the store knows the device's key (package seal).
// STORE failures are INTERNAL_ERROR with error.store.io; nothing was written.
func Begin(ctx context.Context, store host.Store, vault host.Vault, dir string, h Header, ops []Planned) (*Writer, error) {
	key := seal.OfRun(store, dir)
	w := &Writer{store: store, vault: vault, dir: dir}
	w.planned.ops, w.planned.mtimes = ops, make([]int64, len(ops))
	w.planned.windows, w.planned.after = split(ops, 0), prerequisites(ops, 0)
	w.log.chain, w.log.packs = record.NewSealed(key, File), newPacker()
	w.mu.cond, w.mu.status = sync.NewCond(&w.mu), make([]Outcome, len(ops))
	h.Ops, h.Key = max(h.Ops, len(ops)), key.ID()
	rec, err := json.Marshal(struct {
		T string `json:"t"`
		Header
	}{"begin", h})
	if err != nil {
		return nil, err
	}
	if err := w.append(ctx, w.log.chain.Append(nil, rec)); err != nil {
		return nil, err
	}
	return w, nil
}

// Do makes planned write i: when its record is durable, and not before. A write
// whose outcome is unknown (the host failed in the middle) is observed: made
// after all, or undone and failed.
func (w *Writer) Do(ctx context.Context, i int) error {
	if i < 0 || i >= len(w.planned.ops) {
		return fault.New(fault.Internal, "error.internal", nil)
	}
	if err := w.await(ctx, w.windowOf(i)); err != nil {
		return err
	}
	if err := w.awaitEnded(ctx, w.planned.after[i]); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return fault.From(ctx.Err())
	}
	w.set(ctx, i, Issued)
	err := w.apply(ctx, i)
	switch {
	case err == nil:
		w.set(ctx, i, Done)
		return nil
	case refusedByHost(err):
		w.set(ctx, i, Failed)
		return drifted(err, w.planned.ops[i].Op.Path)
	}
	w.set(ctx, i, Unknown)
	if ctx.Err() != nil {
		return fault.From(ctx.Err()) // observed by End
	}
	if out := w.observe(ctx, i); out == Done {
		return nil
	}
	return err
}

// answerTime is how long a write that was handed to the host is waited for
// after the run was cancelled.
const answerTime = 10 * time.Second

// apply makes a write and waits for its answer, also when ctx ends meanwhile:
// what was handed to the host may wait in its queue, and a look at the file
// would come too early to tell.
func (w *Writer) apply(ctx context.Context, i int) error {
	whole, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	stop := context.AfterFunc(ctx, func() {
		late := time.NewTimer(answerTime)
		defer late.Stop()
		select {
		case <-late.C:
			cancel()
		case <-whole.Done():
		}
	})
	defer stop()
	info, err := w.vault.Apply(whole, w.planned.ops[i].Op)
	w.planned.mtimes[i] = info.MTime // read under the lock, after set
	return err
}

// refusedByHost says that the host looked and did not write.
func refusedByHost(err error) bool {
	return fault.Is(err, fault.Conflict) || fault.Is(err, fault.NotFound) ||
		fault.Is(err, fault.Precondition) || fault.Is(err, fault.Denied)
}

// drifted makes a note or folder that is gone what it is after an approval: a
// conflict, like one that was edited.
func drifted(err error, path string) error {
	if fault.Is(err, fault.NotFound) {
		return host.NotAsExpected(path).With(err)
	}
	return err
}

func (w *Writer) set(ctx context.Context, i int, o Outcome) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.mu.status[i] = o
	if o == Done || o == Failed {
		w.mu.settled = append(w.mu.settled, i)
		w.startStream(ctx)
	}
	w.mu.cond.Broadcast()
}

// observe looks what became of a write, and puts back the bytes before where a
// prefix of the new ones was left.
func (w *Writer) observe(ctx context.Context, i int) Outcome {
	found, err := Observe(ctx, w.vault, w.planned.ops[i])
	if err != nil {
		return Unknown
	}
	switch found {
	case After:
		w.set(ctx, i, Done)
		return Done
	case Torn:
		if err := untear(ctx, w.vault, w.planned.ops[i]); err != nil {
			return Unknown
		}
		w.set(ctx, i, Failed)
		return Failed
	case Before:
		w.set(ctx, i, Failed)
		return Failed
	}
	return Unknown
}

// Outcomes gives what became of each planned write.
func (w *Writer) Outcomes() []Outcome {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]Outcome(nil), w.mu.status...)
}

// Close observes writes whose outcome is unknown and records what was done. It
// does not end the run; see WriteEnd. It works also when ctx has ended.
func (w *Writer) Close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer cancel()
	w.mu.Lock()
	for w.mu.running {
		w.mu.cond.Wait()
	}
	w.mu.running = true // nobody else appends from now on
	defer w.closed()
	failed := w.mu.err
	var open []int
	for i, s := range w.mu.status {
		if s == Unknown || s == Issued {
			open = append(open, i)
		}
	}
	w.mu.Unlock()
	for _, i := range open {
		if w.observe(ctx, i) == Unknown {
			return fault.New(fault.Internal, "error.journal.unsettled", fault.P{"path": w.planned.ops[i].Op.Path})
		}
	}
	if failed != nil {
		// What was settled since may not be in the file, and a record after a
		// torn one would break the chain: the journal stays hot.
		return failed
	}
	lines := w.settle(nil)
	if lines == nil {
		return nil
	}
	return w.append(ctx, lines)
}

func (w *Writer) closed() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.mu.running = false
	w.mu.cond.Broadcast()
}

// settleTime bounds how long the end of a run may look after its writes.
const settleTime = 30 * time.Second

// Made gives the paths of the writes that were made, and where renames took them.
func (w *Writer) Made() map[string]bool {
	made := map[string]bool{}
	for i, o := range w.Outcomes() {
		if o == Done {
			op := w.Planned(i).Op
			made[op.Path], made[op.To] = true, true
		}
	}
	return made
}

// Done counts the writes that were made.
func (w *Writer) Done() int {
	n := 0
	for _, o := range w.Outcomes() {
		if o == Done {
			n++
		}
	}
	return n
}

// Len counts the planned writes so far.
func (w *Writer) Len() int { return len(w.planned.ops) }

// Planned gives planned write i.
func (w *Writer) Planned(i int) Planned { return w.planned.ops[i] }
