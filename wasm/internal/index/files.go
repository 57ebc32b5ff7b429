package index

import (
	"context"
	"slices"
	"sort"
	"strings"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
)

// racyMS is how long after its last change a file's time may still not tell
// two changes apart (the clocks of FAT go by two seconds).
const racyMS = 2000

// file is one entry of the vault as it was at one time: when it changes,
// another takes its place, so that what is learned late of an old one is lost
// with it.
type file struct {
	host.Info
	file, note bool  // by its kind and name
	open       bool  // an editor holds it
	seen       int64 // the tick at which it was first seen so
	sig        []byte
	readAt     int64    // ms; when the signature's text was read
	saved      bool     // the signature is on disk
	row        []uint32 // cells of the table; nil when it is not known
}

func newFile(i host.Info, tick int64) *file {
	is := i.Kind == host.File
	return &file{Info: i, file: is, note: is && isNote(i.Path), seen: tick}
}

// sure says whether size and time alone tell that a file is the one that was
// read.
func (f *file) sure() bool { return f.MTime > 0 && f.MTime+racyMS < f.readAt }

// sync brings the list of files up to date: one question to the host when
// nothing has changed.
func (v *Vault) sync(ctx context.Context) error {
	select {
	case v.syncing <- struct{}{}:
		defer func() { <-v.syncing }()
	case <-ctx.Done():
		return fault.From(ctx.Err())
	}
	for {
		v.mu.Lock()
		generation := v.mu.generation
		v.mu.Unlock()
		c, pages, err := v.ask(ctx, generation)
		if err != nil {
			return err
		}
		v.apply(c)
		if pages == 1 || c.Generation == 0 {
			return nil
		}
	}
}

// maxRestarts is how often a listing is begun anew whose pages were lost.
const maxRestarts = 3

// ask gives what has changed, all pages together. The open notes are those of
// the last page.
func (v *Vault) ask(ctx context.Context, generation int64) (host.Changed, int, error) {
	for restarts := 0; ; restarts++ {
		whole, err := v.changes.Since(ctx, generation, 0)
		pages := 1
		for page := whole.Page; err == nil && page != 0; pages++ {
			var next host.Changed
			if next, err = v.changes.Since(ctx, generation, page); err != nil {
				break
			}
			whole.Changed = append(whole.Changed, next.Changed...)
			whole.Open, page = next.Open, next.Page
		}
		switch {
		case err == nil:
			return whole, pages, nil
		case fault.Is(err, fault.Conflict) && restarts < maxRestarts:
		default:
			return whole, pages, err
		}
	}
}

// apply takes in an answer.
func (v *Vault) apply(c host.Changed) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.mu.generation = c.Generation
	defer v.setOpen(c.Open)
	if c.All {
		v.replace(c.Changed)
		return
	}
	if len(c.Changed) == 0 && len(c.Removed) == 0 {
		return
	}
	v.mu.tick++
	gone := map[string]bool{}
	for _, p := range c.Removed {
		gone[p] = true
		if f := v.mu.files[p]; f != nil && f.Kind == host.Folder {
			for _, below := range v.below(p) {
				gone[below.Path] = true
			}
		}
	}
	for p := range gone {
		v.forget(v.mu.files[p])
		delete(v.mu.files, p)
	}
	fresh := make([]*file, 0, len(c.Changed))
	told := make(map[string]bool, len(c.Changed))
	for _, i := range slices.Backward(c.Changed) {
		if told[i.Path] {
			continue // what is told twice is there once, as it was told of last
		}
		told[i.Path] = true
		f := newFile(i, v.mu.tick)
		v.forget(v.mu.files[i.Path])
		v.mu.files[i.Path], gone[i.Path] = f, true
		fresh = append(fresh, f)
	}
	v.mu.order = merge(v.mu.order, gone, fresh)
}

// setOpen says which notes an editor holds. The lock is held.
func (v *Vault) setOpen(paths []string) {
	for _, p := range v.mu.open {
		if f := v.mu.files[p]; f != nil {
			f.open = false
		}
	}
	for _, p := range paths {
		if f := v.mu.files[p]; f != nil {
			f.open = true
		}
	}
	v.mu.open = paths
}

// replace takes in a whole list. What is known of files that are the same, by
// size and time, is kept.
func (v *Vault) replace(all []host.Info) {
	v.mu.tick++
	files := make(map[string]*file, len(all))
	order := make([]*file, 0, len(all))
	for _, i := range all {
		if files[i.Path] != nil {
			continue
		}
		f := v.mu.files[i.Path]
		if f == nil || f.Info != i || i.Kind == host.File && !f.sure() {
			f = newFile(i, v.mu.tick)
		}
		files[i.Path] = f
		order = append(order, f)
	}
	for p, f := range v.mu.files {
		if files[p] != f {
			v.forget(f)
		}
	}
	slices.SortFunc(order, byPath)
	v.mu.files, v.mu.order = files, order
}

// forget takes a file's signature off the counts. The lock is held.
func (v *Vault) forget(f *file) {
	if f == nil || f.sig == nil {
		return
	}
	v.mu.sigs.held -= int64(len(f.sig))
	if f.saved {
		v.mu.sigs.savedBytes -= recordSize(f)
	}
}

func byPath(a, b *file) int { return strings.Compare(a.Path, b.Path) }

// merge puts fresh entries into a sorted list, and leaves out what is gone. The
// list that it was stays as it is: somebody may be reading it.
func merge(old []*file, gone map[string]bool, fresh []*file) []*file {
	slices.SortFunc(fresh, byPath)
	out := make([]*file, 0, len(old)+len(fresh))
	for _, f := range old {
		for len(fresh) > 0 && fresh[0].Path < f.Path {
			out, fresh = append(out, fresh[0]), fresh[1:]
		}
		if !gone[f.Path] {
			out = append(out, f)
		}
	}
	return append(out, fresh...)
}

// below gives the entries below a folder, sorted. The lock is held.
func (v *Vault) below(folder string) []*file {
	if folder == "" {
		return v.mu.order
	}
	prefix := folder + "/"
	from := sort.Search(len(v.mu.order), func(i int) bool { return v.mu.order[i].Path >= prefix })
	to := from + sort.Search(len(v.mu.order)-from, func(i int) bool { return !strings.HasPrefix(v.mu.order[from+i].Path, prefix) })
	return v.mu.order[from:to]
}

// walked is host.Changes for a vault that does not follow its changes: it walks
// and compares. A file that changed within the last seconds counts as changed
// each time, since its time cannot tell two changes apart.
type walked struct {
	vault host.Vault
	now   func() int64
	last  map[string]host.Info
	at    int64
	count int64
}

// Since implements host.Changes for one caller, who asks from the last answer
// on. Calls do not overlap.
func (w *walked) Since(ctx context.Context, generation, _ int64) (host.Changed, error) {
	at := w.now()
	all, err := w.vault.Walk(ctx, "")
	if err != nil {
		return host.Changed{}, err
	}
	c := host.Changed{All: generation == 0 || generation != w.count}
	last := w.last
	w.last = make(map[string]host.Info, len(all))
	for _, i := range all {
		w.last[i.Path] = i
		old, known := last[i.Path]
		racy := i.Kind == host.File && i.MTime+racyMS >= w.at
		if c.All || !known || old != i || racy {
			c.Changed = append(c.Changed, i)
		}
	}
	if !c.All {
		for p := range last {
			if _, there := w.last[p]; !there {
				c.Removed = append(c.Removed, p)
			}
		}
	}
	w.at = at
	w.count++
	c.Generation = w.count
	return c, nil
}
