package index

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"embedded-agent/wasm/internal/host"
)

// The signatures are kept in segments, files of a few megabytes. New ones are
// appended to the last. What they hold of files that are gone or have changed is
// dead; when more is dead than alive all segments are written anew, and then
// the old ones removed. An index is no more than a saving of time, so an error
// of the store ends keeping it, and nothing else.
const (
	storeFolder  = "index"
	segmentSize  = 4 << 20
	saveAt       = 512 << 10 // bytes of signatures that are worth an append
	saveEveryMS  = 10_000    // what was read on a slow disk is kept though it is less
	defaultSlack = 1 << 20
	// worthIt is how many bytes of signatures a vault must have for them to be
	// kept: what is less is read again in a moment.
	worthIt = 64 << 10
)

// segments is the part of the index that is on disk.
type segments struct {
	store  host.Store
	saving chan struct{} // held while the disk is read or written
	loaded bool
	off    bool // the store does not work: nothing is kept
	names  []string
	last   int64 // bytes of the last segment
	total  int64 // bytes of all
	number int   // of the last segment
	slack  int64 // dead bytes that are always allowed
	worth  int64 // bytes of signatures below which nothing is kept
}

func newSegments(s host.Store) *segments {
	return &segments{store: s, saving: make(chan struct{}, 1), off: s == nil, slack: defaultSlack, worth: worthIt}
}

// hold waits for the disk's turn; false when the caller gave up.
func (s *segments) hold(ctx context.Context) bool {
	select {
	case s.saving <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

func (s *segments) free() { <-s.saving }

func segmentName(n int) string { return fmt.Sprintf("%s/%06d.seg", storeFolder, n) }

// load reads the segments, once. Where that fails, files are read instead.
func (v *Vault) load(ctx context.Context) {
	s := v.store
	if !s.hold(ctx) {
		return
	}
	defer s.free()
	v.loadHeld(ctx)
}

func (v *Vault) loadHeld(ctx context.Context) {
	s := v.store
	if s.loaded || s.off {
		return
	}
	list, err := s.store.List(ctx, storeFolder)
	if err != nil {
		s.off = ctx.Err() == nil
		return
	}
	s.names, s.total, s.last, s.number = nil, 0, 0, 0
	whole := true
	for _, i := range list {
		var n int
		if _, err := fmt.Sscanf(strings.TrimPrefix(i.Path, storeFolder+"/"), "%06d.seg", &n); err != nil || i.Path != segmentName(n) {
			continue // not ours
		}
		data, err := s.store.Read(ctx, i.Path)
		if ctx.Err() != nil {
			return // asked again at the next search
		}
		s.names = append(s.names, i.Path)
		s.total, s.last, s.number = s.total+int64(len(data)), int64(len(data)), max(s.number, n)
		whole = v.takeIn(data) && err == nil && whole
	}
	s.loaded = true
	if live := v.saved(); !whole || s.total > 2*live+s.slack {
		v.rewrite(ctx)
	}
}

// takeIn gives files the signatures that a segment has for them. It says
// whether the segment is whole.
func (v *Vault) takeIn(data []byte) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return readSegment(data, func(r record) {
		f := v.mu.files[r.path]
		if f == nil || f.sig != nil || f.Size != r.size || f.MTime != r.mtime || v.mu.sigs.held > maxHeld {
			return
		}
		f.sig = append(make([]byte, 0, len(r.sig)), r.sig...)
		f.readAt = math.MaxInt64 // only what is sure was written
		v.isSaved(f)
		v.mu.sigs.held += int64(len(f.sig))
	})
}

// isSaved notes that a file's signature is on disk. The lock is held.
func (v *Vault) isSaved(f *file) {
	if !f.saved && v.mu.files[f.Path] == f {
		v.mu.sigs.savedBytes += recordSize(f)
	}
	f.saved = true
}

func (v *Vault) saved() int64 {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.mu.sigs.savedBytes
}

// saveIfMany saves when there is enough to be worth it.
func (v *Vault) saveIfMany(ctx context.Context) error {
	v.mu.Lock()
	enough := v.mu.sigs.unsavedBytes >= saveAt || v.mu.sigs.unsavedBytes > 0 && v.now()-v.mu.sigs.keptAt >= saveEveryMS
	v.mu.Unlock()
	if enough {
		v.Settle(ctx)
	}
	return ended(ctx)
}

// settleTime bounds keeping what was learned when nobody waits for it any more.
const settleTime = 5 * time.Second

// Settle keeps what has been learned: call it when a search has ended, also one
// that was cancelled or is over its time. The next one need not read that again.
func (v *Vault) Settle(ctx context.Context) {
	if ctx.Err() != nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), settleTime)
		defer cancel()
	}
	s := v.store
	if !s.hold(ctx) {
		return
	}
	defer s.free()
	v.mu.Lock()
	if v.mu.sigs.held < s.worth {
		v.mu.Unlock()
		return
	}
	v.mu.Unlock()
	v.loadHeld(ctx)
	if ctx.Err() != nil {
		return // what is not saved is saved the next time
	}
	v.mu.Lock()
	files := v.mu.sigs.unsaved
	v.mu.sigs.unsaved, v.mu.sigs.unsavedBytes, v.mu.sigs.keptAt = nil, 0, v.now()
	files = slices.DeleteFunc(files, func(f *file) bool { return v.mu.files[f.Path] != f || !f.sure() || f.saved })
	v.mu.Unlock()
	if len(files) == 0 || !s.loaded || s.off {
		return
	}
	slices.SortFunc(files, byPath)
	v.keep(ctx, files)
	if s.total > 2*v.saved()+s.slack+segmentSize {
		v.rewrite(ctx)
	}
}

// keep appends files' records to the last segment, or begins another.
func (v *Vault) keep(ctx context.Context, files []*file) {
	s := v.store
	block := appendBlock(nil, files)
	if len(s.names) == 0 || s.last+int64(len(block)) > segmentSize {
		s.number++
		s.names, s.last = append(s.names, segmentName(s.number)), 0
	}
	if err := s.store.Append(ctx, segmentName(s.number), block); err != nil {
		s.off = ctx.Err() == nil
		return
	}
	s.last += int64(len(block))
	s.total += int64(len(block))
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, f := range files {
		v.isSaved(f)
	}
}

// rewrite writes what is alive into new segments and removes the old ones. A
// crash in between leaves both: the next start finds more dead than alive.
func (v *Vault) rewrite(ctx context.Context) {
	s := v.store
	v.mu.Lock()
	var live []*file
	for _, f := range v.mu.order {
		if f.saved {
			live = append(live, f)
		}
	}
	v.mu.Unlock()
	old := s.names
	s.names, s.total, s.last = nil, 0, 0
	for len(live) > 0 && !s.off && ctx.Err() == nil {
		n, size := 0, int64(0)
		for n < len(live) && (n == 0 || size < saveAt) {
			size += recordSize(live[n])
			n++
		}
		v.keep(ctx, live[:n])
		live = live[n:]
	}
	if len(live) > 0 {
		s.names, s.loaded = append(old, s.names...), false // as it was, and what came beside
		return
	}
	for _, name := range old {
		if err := s.store.Remove(ctx, name); err != nil {
			s.off = ctx.Err() == nil
			return
		}
	}
}
