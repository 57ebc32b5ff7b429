package overlay

import (
	"context"
	"slices"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/index"
	"embedded-agent/wasm/internal/vaultpath"
)

// indexOf gives the index under a base, nil where there is none.
func (b *Base) indexOf() *index.Vault {
	ix, _ := b.host.(*index.Vault)
	return ix
}

// Select gives the files below a folder that may be wanted (package index), as
// the overlay has them: of what is staged here the index knows nothing, so it is
// to be read; what may not be seen is not among them. Where there is no index,
// every file is.
func (w *View) Select(ctx context.Context, f index.Filter) ([]index.Found, error) {
	if _, err := w.v.stat(ctx, f.Folder); err != nil {
		return nil, err
	}
	staged, err := w.v.stagedFiles(ctx, f.Folder)
	if err != nil {
		return nil, err
	}
	under := f
	if len(staged) > 0 {
		under.Pass = func(i *host.Info) bool { _, is := staged[i.Path]; return !is && f.Passes(i) }
	}
	under.Keep = func(i *host.Info, row index.Row) bool {
		return (f.Keep == nil || f.Keep(i, row)) && w.v.sight(i.Path) == nil
	}
	out, err := w.v.base.selected(ctx, under)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return nil, err // a folder made here is not there beneath
	}
	var fresh []string
	for p, i := range staged {
		if i != nil && f.Passes(i) && under.Keep(i, index.Row{}) {
			fresh = append(fresh, p)
		}
	}
	if len(fresh) == 0 {
		return out, nil
	}
	slices.Sort(fresh)
	both := make([]index.Found, 0, len(out)+len(fresh))
	for _, p := range fresh {
		for len(out) > 0 && out[0].Path < p {
			both, out = append(both, out[0]), out[1:]
		}
		both = append(both, index.Found{Info: staged[p]})
	}
	return append(both, out...), nil
}

// stagedFiles gives the staged paths below a folder, nil for what is gone or a
// folder.
func (v *Vault) stagedFiles(ctx context.Context, folder string) (map[string]*host.Info, error) {
	v.mu.Lock()
	nodes := map[string]*node{}
	for p, n := range v.staged {
		if vaultpath.Under(p, folder) {
			nodes[p] = n
		}
	}
	v.mu.Unlock()
	out := make(map[string]*host.Info, len(nodes))
	for p, n := range nodes {
		out[p] = nil
		if n.gone || n.kind == host.Folder {
			continue
		}
		i, err := v.info(ctx, p, n)
		if err != nil {
			return nil, err
		}
		out[p] = &i
	}
	return out, nil
}

// selected asks the index, or walks where there is none.
func (b *Base) selected(ctx context.Context, f index.Filter) ([]index.Found, error) {
	if ix := b.indexOf(); ix != nil {
		f.Held, f.AsOf = b.remembers, b.tick
		return ix.Select(ctx, f)
	}
	all, err := b.host.Walk(ctx, f.Folder)
	if err != nil {
		return nil, err
	}
	var out []index.Found
	for i := range all {
		if f.Passes(&all[i]) && f.Keep(&all[i], index.Row{}) {
			out = append(out, index.Found{Info: &all[i]})
		}
	}
	return out, nil
}

// remembers says whether a file's bytes are those of an earlier read.
func (b *Base) remembers(path string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	_, held := b.reads[path]
	return held
}

// ReadMany reads several files as Read does each.
func (w *View) ReadMany(ctx context.Context, paths []string) ([]host.FileBytes, error) {
	out := make([]host.FileBytes, len(paths))
	var rest []int
	for i, p := range paths {
		w.v.mu.Lock()
		_, staged := w.v.lookup(p)
		w.v.mu.Unlock()
		if !staged && w.v.sight(p) == nil {
			rest = append(rest, i)
			continue
		}
		data, err := w.Read(ctx, p)
		out[i] = host.FileBytes{Data: data, Missing: err != nil}
	}
	under := make([]string, len(rest))
	for n, i := range rest {
		under[n] = paths[i]
	}
	read, err := w.v.base.ReadMany(ctx, under)
	if err != nil {
		return nil, err
	}
	for n, i := range rest {
		out[i] = read[n]
	}
	return out, nil
}

// Settle lets the index keep what it has learned.
func (w *View) Settle(ctx context.Context) {
	if ix := w.v.base.indexOf(); ix != nil {
		ix.Settle(ctx)
	}
}

// maxHeldInBulk bounds what is remembered of bulk reads, which go through whole
// vaults: of 100,000 notes, few are asked for again.
const maxHeldInBulk = maxHeld / 8

// ReadMany gives several files' bytes in the base; the caller must not change
// them.
func (b *Base) ReadMany(ctx context.Context, paths []string) ([]host.FileBytes, error) {
	out := make([]host.FileBytes, len(paths))
	var rest []int
	b.mu.Lock()
	for i, p := range paths {
		if d, ok := b.reads[p]; ok {
			out[i].Data = d
		} else {
			rest = append(rest, i)
		}
	}
	b.mu.Unlock()
	if len(rest) == 0 {
		return out, nil
	}
	under := make([]string, len(rest))
	for n, i := range rest {
		under[n] = paths[i]
	}
	read, err := b.hostReads(ctx, under)
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for n, i := range rest {
		r := read[n]
		out[i] = r
		if !r.Missing && b.held+len(r.Data) <= maxHeldInBulk {
			b.reads[paths[i]] = nonNil(r.Data)
			b.held += len(r.Data)
		}
	}
	return out, nil
}

func (b *Base) hostReads(ctx context.Context, paths []string) ([]host.FileBytes, error) {
	if many, ok := b.host.(host.Reads); ok {
		return many.ReadMany(ctx, paths)
	}
	return index.ReadEach(ctx, b.host, paths)
}
