package overlay

import (
	"context"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/vaultpath"
)

// Named gives the paths of all files whose last part, in lower case and with
// its extension, is the one given. The base is listed once; writes keep the
// index up to date. (A tool that makes a thousand notes asks a thousand times
// whether a link to each is ambiguous.)
func (w *View) Named(ctx context.Context, lower string) ([]string, error) {
	under, err := w.v.base.named(ctx, lower)
	if err != nil {
		return nil, err
	}
	w.v.mu.Lock()
	defer w.v.mu.Unlock()
	out := slices.Clone(w.v.names[lower])
	for _, p := range under {
		if _, staged := w.v.staged[p]; !staged {
			out = append(out, p)
		}
	}
	out = slices.DeleteFunc(out, func(p string) bool { return w.v.sight(p) != nil })
	slices.Sort(out)
	return out, nil
}

func lowerBase(path string) string { return strings.ToLower(vaultpath.Base(path)) }

// indexName keeps the index of staged names. Its lists are replaced and never changed:
// another overlay may have them too (On). The lock is held.
func (v *Vault) indexName(path string, n *node) {
	lower := lowerBase(path)
	list := v.names[lower]
	i := slices.Index(list, path)
	there := !n.gone && n.kind == host.File
	switch {
	case there && i < 0:
		v.names[lower] = append(slices.Clip(list), path)
	case !there && i >= 0:
		v.names[lower] = slices.Concat(list[:i], list[i+1:])
	}
}

// named gives the base's files of a name.
func (b *Base) named(ctx context.Context, lower string) ([]string, error) {
	b.mu.Lock()
	names := b.names
	b.mu.Unlock()
	if names == nil {
		all, err := b.host.Walk(ctx, "")
		if err != nil {
			return nil, err
		}
		names = make(map[string][]string, len(all))
		for _, i := range all {
			if i.Kind == host.File {
				l := lowerBase(i.Path)
				names[l] = append(names[l], i.Path)
			}
		}
		b.mu.Lock()
		b.names = names
		b.mu.Unlock()
	}
	return names[lower], nil
}
