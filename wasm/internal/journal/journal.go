// Package journal is the write-ahead undo journal of a run, and what is built
// on it: recovery after a crash, revert, and three-way merge.
//
// A run's folder in the store holds:
//
//	journal.jsonl   records framed and chained by package record
//	blobs/000.pack  the bytes before and after each write, end to end
//	end.json        written last; a folder without it is a hot journal
//
// The journal's records, in order:
//
//	{"t":"begin","run":…,"kind":"run","at":…,"ops":N,"approval":…}
//	{"t":"op","i":0,"call":…,"kind":"modify","path":…,"before":ETAG,"after":ETAG,"pre":[pack,offset,length],"post":[…]}
//	{"t":"done","i":[0,1,2]}          the writes that were made
//	{"t":"failed","i":3,"code":…}     refused or undone: nothing is there of it
//
// Nothing is written to the vault before the op record and the bytes it points
// to are durable in the store. The simulation knows every write beforehand, so
// one append makes a window of up to 64 op records durable while the window
// before it is executed; done records ride with the next append. After a crash
// the writes without a done record are observed: a file that has the etag
// before was not written, one with the etag after was, and one that holds a
// prefix of the bytes after was being written when the app died.
//
// Durable means that it survives a crash of the app, not a power cut: the
// host's interface has no fsync.
package journal

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/record"
)

// The files of a run folder.
const (
	File    = "journal.jsonl"
	EndFile = "end.json"
	// SettledFile holds what was found after a crash.
	SettledFile = "settled.jsonl"
)

// Window limits: how many writes, and how many bytes of their contents, one
// append makes durable.
const (
	windowOps   = 64
	windowBytes = 512 << 10
	packBytes   = 8 << 20
)

// Planned is one write that is going to be made.
type Planned struct {
	Call       string
	Op         host.Op
	BeforeEtag string
	AfterEtag  string
}

// Header describes a run.
type Header struct {
	Run      string `json:"run"`
	Kind     string `json:"kind"` // run, revert, finish
	At       string `json:"at"`
	Approval string `json:"approval"`
	// Reverts and Finishes name the run that this one takes back or goes on
	// with.
	Reverts  string `json:"reverts,omitempty"`
	Finishes string `json:"finishes,omitempty"`
}

// Writer journals and makes the writes of one run. Its methods may be called
// from several goroutines.
type Writer struct {
	store host.Store
	vault host.Vault
	dir   string
	ops   []Planned

	mu      sync.Mutex
	cond    *sync.Cond
	chain   *record.Chain
	windows []window
	wanted  int // windows that should be durable
	durable int // windows that are
	err     error
	running bool
	status  []Outcome
	settled []int // done, not yet recorded
	after   [][]int
	packs   packer
	appends int
}

type window struct{ from, to int }

// Outcome is what became of a planned write.
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

// Begin opens a run's journal: the begin record is durable when it returns.
// STORE failures are INTERNAL_ERROR with error.store.io; nothing was written.
func Begin(ctx context.Context, store host.Store, vault host.Vault, dir string, h Header, ops []Planned) (*Writer, error) {
	w := &Writer{
		store: store, vault: vault, dir: dir, ops: ops,
		chain: record.New(File), status: make([]Outcome, len(ops)), packs: newPacker(),
	}
	w.cond = sync.NewCond(&w.mu)
	w.windows = split(ops)
	w.after = prerequisites(ops)
	rec, err := json.Marshal(struct {
		T string `json:"t"`
		Header
		Ops int `json:"ops"`
	}{"begin", h, len(ops)})
	if err != nil {
		return nil, err
	}
	if err := w.append(ctx, w.chain.Append(nil, rec)); err != nil {
		return nil, err
	}
	return w, nil
}

func split(ops []Planned) []window {
	var ws []window
	from, size := 0, 0
	for i := range ops {
		size += len(ops[i].Op.Before) + len(ops[i].Op.Data)
		if i-from+1 >= windowOps || size >= windowBytes {
			ws = append(ws, window{from, i + 1})
			from, size = i+1, 0
		}
	}
	if from < len(ops) {
		ws = append(ws, window{from, len(ops)})
	}
	return ws
}

func (w *Writer) append(ctx context.Context, data []byte) error {
	w.appends++
	if err := w.store.Append(ctx, w.dir+"/"+File, data); err != nil {
		return storeError(err)
	}
	return nil
}

func storeError(err error) error {
	if fault.Is(err, fault.Cancelled) {
		return err
	}
	return fault.New(fault.Internal, "error.store.io", nil).With(err)
}

// Do makes planned write i: when its record is durable, and not before. A write
// whose outcome is unknown (the host failed in the middle) is observed: made
// after all, or undone and failed.
func (w *Writer) Do(ctx context.Context, i int) error {
	if i < 0 || i >= len(w.ops) {
		return fault.New(fault.Internal, "error.internal", nil)
	}
	if err := w.await(ctx, w.windowOf(i)); err != nil {
		return err
	}
	if err := w.awaitEnded(ctx, w.after[i]); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return fault.From(ctx.Err())
	}
	w.set(i, Issued)
	err := w.apply(ctx, i)
	switch {
	case err == nil:
		w.set(i, Done)
		return nil
	case refusedByHost(err):
		w.set(i, Failed)
		return drifted(err, w.ops[i].Op.Path)
	}
	w.set(i, Unknown)
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
	_, err := w.vault.Apply(whole, w.ops[i].Op)
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
		return fault.New(fault.Conflict, "error.vault.changed", fault.P{"path": path}).With(err)
	}
	return err
}

func (w *Writer) set(i int, o Outcome) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.status[i] = o
	if o == Done || o == Failed {
		w.settled = append(w.settled, i)
	}
	w.cond.Broadcast()
}

// observe looks what became of a write, and puts back the bytes before where a
// prefix of the new ones was left.
func (w *Writer) observe(ctx context.Context, i int) Outcome {
	found, err := Observe(ctx, w.vault, w.ops[i])
	if err != nil {
		return Unknown
	}
	switch found {
	case After:
		w.set(i, Done)
		return Done
	case Torn:
		if err := untear(ctx, w.vault, w.ops[i]); err != nil {
			return Unknown
		}
		w.set(i, Failed)
		return Failed
	case Before:
		w.set(i, Failed)
		return Failed
	}
	return Unknown
}

func (w *Writer) windowOf(i int) int {
	lo, hi := 0, len(w.windows)-1
	for lo < hi {
		mid := (lo + hi) / 2
		if i >= w.windows[mid].to {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// await blocks until a window is durable. It also asks for the one after it,
// so that it is written while this one is executed.
func (w *Writer) await(ctx context.Context, win int) error {
	stop := context.AfterFunc(ctx, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.cond.Broadcast()
	})
	defer stop()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.wanted = max(w.wanted, min(win+2, len(w.windows)))
	if !w.running && w.err == nil && w.durable < w.wanted {
		w.running = true
		go w.stream(context.WithoutCancel(ctx))
	}
	for w.durable <= win && w.err == nil {
		if ctx.Err() != nil {
			return fault.From(ctx.Err())
		}
		w.cond.Wait()
	}
	if w.durable > win {
		return nil
	}
	return w.err
}

// stream makes windows durable, one after the other, until no more are wanted.
func (w *Writer) stream(ctx context.Context) {
	for {
		w.mu.Lock()
		if w.durable >= w.wanted || w.err != nil {
			w.running = false
			w.cond.Broadcast() // Close waits for it
			w.mu.Unlock()
			return
		}
		win := w.windows[w.durable]
		w.mu.Unlock()
		err := w.flushWindow(ctx, win)
		w.mu.Lock()
		if err != nil {
			w.err = err
		} else {
			w.durable++
		}
		w.cond.Broadcast()
		w.mu.Unlock()
	}
}

// flushWindow appends a window's bytes to the pack, then its records.
func (w *Writer) flushWindow(ctx context.Context, win window) error {
	lines := w.settle(nil)
	for i := win.from; i < win.to; i++ {
		rec := w.packs.opRecord(i, &w.ops[i])
		lines = w.chain.Append(lines, rec)
	}
	for _, p := range w.packs.take() {
		w.appends++
		if err := w.store.Append(ctx, w.dir+"/"+packName(p.n), p.data); err != nil {
			return storeError(err)
		}
	}
	return w.append(ctx, lines)
}

// Appends counts the store appends so far.
func (w *Writer) Appends() int { return w.appends }

// Outcomes gives what became of each planned write.
func (w *Writer) Outcomes() []Outcome {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]Outcome(nil), w.status...)
}

// End is the content of end.json.
type End struct {
	Outcome string            `json:"outcome"`
	At      string            `json:"at"`
	Done    int               `json:"done"`
	Failed  int               `json:"failed"`
	Heads   map[string]string `json:"heads,omitempty"` // file -> last link of its chain
	Counts  map[string]int    `json:"counts,omitempty"`
	// By names the run that settled this one after a crash.
	By string `json:"by,omitempty"`
	// Seal is the SHA-256 of this record without it.
	Seal string `json:"seal"`
}

// encode gives the record's bytes, sealed.
func (e End) encode() ([]byte, error) {
	e.Seal = ""
	b, err := json.Marshal(e)
	if err != nil {
		return nil, err
	}
	e.Seal = host.Etag(b)
	b, err = json.Marshal(e)
	return append(b, '\n'), err
}

// Close observes writes whose outcome is unknown and records what was done. It
// does not end the run; see WriteEnd. It works also when ctx has ended.
func (w *Writer) Close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer cancel()
	w.mu.Lock()
	for w.running {
		w.cond.Wait()
	}
	var open []int
	for i, s := range w.status {
		if s == Unknown || s == Issued {
			open = append(open, i)
		}
	}
	w.mu.Unlock()
	for _, i := range open {
		if w.observe(ctx, i) == Unknown {
			return fault.New(fault.Internal, "error.journal.unsettled", fault.P{"path": w.ops[i].Op.Path})
		}
	}
	lines := w.settle(nil)
	if lines == nil {
		return nil
	}
	return w.append(ctx, lines)
}

// settleTime bounds how long the end of a run may look after its writes.
const settleTime = 30 * time.Second

// settle frames the done and failed records of what was settled since.
func (w *Writer) settle(dst []byte) []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.settled) == 0 {
		return dst
	}
	done := []byte(`{"t":"done","i":[`)
	n := 0
	var failed [][]byte
	for _, i := range w.settled {
		if w.status[i] == Failed {
			failed = append(failed, fmt.Appendf(nil, `{"t":"failed","i":%d}`, i))
			continue
		}
		if n > 0 {
			done = append(done, ',')
		}
		done = fmt.Append(done, i)
		n++
	}
	w.settled = w.settled[:0]
	if n > 0 {
		dst = w.chain.Append(dst, append(done, "]}"...))
	}
	for _, f := range failed {
		dst = w.chain.Append(dst, f)
	}
	return dst
}

// Head gives the last link of the journal's chain and its number of records.
func (w *Writer) Head() (string, int) { return w.chain.Head(), w.chain.Len() }

// WriteEnd ends a run: its journal is no longer hot.
func WriteEnd(ctx context.Context, store host.Store, dir string, end End) error {
	b, err := end.encode()
	if err != nil {
		return err
	}
	if err := store.Write(ctx, dir+"/"+EndFile, b); err != nil {
		return storeError(err)
	}
	return nil
}

// Planned gives planned write i.
func (w *Writer) Planned(i int) Planned { return w.ops[i] }
