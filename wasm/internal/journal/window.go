package journal

import (
	"context"
	"fmt"
	"strconv"

	"embedded-agent/wasm/internal/breath"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
)

// Window limits: how many writes, and how many bytes of their contents, one append
// makes durable. Those of the first window, which the first write waits for, are
// doubled with each window up to the most: a flush costs as much as several writes.
const (
	windowOps   = 64
	windowBytes = 512 << 10
	mostDoubled = 2
	packBytes   = 8 << 20
	recordRoom  = 640 // about what an op record takes, framed
)

// settledAtMost is how many writes may have ended before that is written down, where
// no window is due that it could go along with: after a crash, each of the others is
// looked for.
const settledAtMost = 64

type window struct{ from, to, bytes int }

// split makes windows of ops[first:].
func split(ops []Planned, first int) []window {
	var ws []window
	from, size := first, 0
	for i := first; i < len(ops); i++ {
		size += len(ops[i].Op.Before) + len(ops[i].Op.Data)
		doubled := min(len(ws), mostDoubled)
		if i-from+1 >= windowOps<<doubled || size >= windowBytes<<doubled {
			ws = append(ws, window{from, i + 1, size})
			from, size = i+1, 0
		}
	}
	if from < len(ops) {
		ws = append(ws, window{from, len(ops), size})
	}
	return ws
}

func (w *Writer) append(ctx context.Context, data []byte) error {
	w.log.appends++
	if err := w.store.Append(ctx, w.dir+"/"+File, data); err != nil {
		return storeError(err)
	}
	return nil
}

func (w *Writer) windowOf(i int) int {
	lo, hi := 0, len(w.planned.windows)-1
	for lo < hi {
		mid := (lo + hi) / 2
		if i >= w.planned.windows[mid].to {
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
	if w.askFor(ctx, win) {
		return nil
	}
	defer w.wakeAtEnd(ctx)()
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.mu.durable <= win && w.mu.err == nil {
		if ctx.Err() != nil {
			return fault.From(ctx.Err())
		}
		w.mu.cond.Wait()
	}
	if w.mu.durable > win {
		return nil
	}
	return w.mu.err
}

// askFor asks for a window and the one after it, and says whether the first is
// durable already, as it is for most writes.
func (w *Writer) askFor(ctx context.Context, win int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.mu.wanted = max(w.mu.wanted, min(win+2, len(w.planned.windows)))
	w.startStream(ctx)
	return w.mu.durable > win
}

// wakeAtEnd wakes those who wait for mu.cond once ctx ends, until stop is called.
func (w *Writer) wakeAtEnd(ctx context.Context) (stop func() bool) {
	return context.AfterFunc(ctx, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.mu.cond.Broadcast()
	})
}

// startStream starts appending, where windows are wanted or enough has been settled,
// and nothing else is being appended. The lock is held.
func (w *Writer) startStream(ctx context.Context) {
	if !w.mu.running && w.mu.err == nil && w.due() {
		w.mu.running = true
		go w.stream(context.WithoutCancel(ctx))
	}
}

// due says whether there is something to be appended. The lock is held.
func (w *Writer) due() bool {
	return w.mu.durable < w.mu.wanted || len(w.mu.settled) >= settledAtMost
}

// stream makes windows durable, one after the other, and writes down what was
// settled, until nothing is due any more.
func (w *Writer) stream(ctx context.Context) {
	for {
		w.mu.Lock()
		if !w.due() || w.mu.err != nil {
			w.mu.running = false
			w.mu.cond.Broadcast() // Close waits for it
			w.mu.Unlock()
			return
		}
		next, wanted := w.mu.durable, w.mu.durable < w.mu.wanted
		w.mu.Unlock()
		var err error
		if wanted {
			err = w.flushWindow(ctx, w.planned.windows[next])
		} else {
			err = w.append(ctx, w.settle(nil))
		}
		w.mu.Lock()
		switch {
		case err != nil:
			w.mu.err = err
		case wanted:
			w.mu.durable++
		}
		w.mu.cond.Broadcast()
		w.mu.Unlock()
	}
}

// flushWindow appends a window's bytes to the pack, then its records, and has each
// flushed: what a run is taken back with survives a power cut where the store can
// flush.
func (w *Writer) flushWindow(ctx context.Context, win window) error {
	lines := w.settle(make([]byte, 0, recordRoom*(win.to-win.from+1)))
	w.log.packs.room = min(win.bytes, packBytes)
	for i := win.from; i < win.to; i++ {
		if i > win.from && (i-win.from)%windowOps == 0 {
			breath.LetIn() // the host has answered what it had to do, and waits for more
		}
		rec := w.log.packs.opRecord(i, &w.planned.ops[i])
		lines = w.log.chain.Append(lines, rec)
	}
	for _, p := range w.log.packs.take() {
		w.log.appends++
		if err := w.store.Append(ctx, w.dir+"/"+packName(p.n), p.data); err != nil {
			return storeError(err)
		}
		if err := w.flush(ctx, packName(p.n)); err != nil {
			return err
		}
	}
	if err := w.append(ctx, lines); err != nil {
		return err
	}
	return w.flush(ctx, File)
}

// flush brings files of the run to the disk itself, before the first write of the
// window: the bytes first, and then the records that point to them.
func (w *Writer) flush(ctx context.Context, names ...string) error {
	paths := make([]string, len(names))
	for i, name := range names {
		paths[i] = w.dir + "/" + name
	}
	if err := host.Flush(ctx, w.store, paths...); err != nil {
		return storeError(err)
	}
	return nil
}

// settle frames the done and failed records of what was settled since.
func (w *Writer) settle(dst []byte) []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.mu.settled) == 0 {
		return dst
	}
	done := []byte(`{"t":"done","i":[`)
	times := []byte(`],"m":[`)
	n := 0
	var failed [][]byte
	for _, i := range w.mu.settled {
		if w.mu.status[i] == Failed {
			failed = append(failed, fmt.Appendf(nil, `{"t":"failed","i":%d}`, i))
			continue
		}
		if n > 0 {
			done = append(done, ',')
			times = append(times, ',')
		}
		done = strconv.AppendInt(done, int64(i), 10)
		times = strconv.AppendInt(times, w.planned.mtimes[i], 10)
		n++
	}
	w.mu.settled = w.mu.settled[:0]
	if n > 0 {
		dst = w.log.chain.Append(dst, append(append(done, times...), "]}"...))
	}
	for _, f := range failed {
		dst = w.log.chain.Append(dst, f)
	}
	return dst
}

// Appends counts the store appends so far.
func (w *Writer) Appends() int { return w.log.appends }

// Head gives the last link of the journal's chain and its number of records.
func (w *Writer) Head() (string, int) { return w.log.chain.Head(), w.log.chain.Len() }
