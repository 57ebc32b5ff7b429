package overlay

import (
	"context"
	"strings"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/vaultpath"
)

// View is the overlay as one call sees it: a host.Vault and host.Editor whose
// writes are noted under the call's id. Observed gives what was really done.
type View struct {
	v        *Vault
	call     string
	observed []Write
	saved    savepoint
}

// For gives the view of a call.
func (v *Vault) For(call string) *View { return &View{v: v, call: call} }

// Observed lists the writes that this call has made.
func (w *View) Observed() []Write { return w.observed }

// Stat describes an entry.
func (w *View) Stat(ctx context.Context, path string) (host.Info, error) {
	if err := w.v.sight(path); err != nil {
		return host.Info{}, err
	}
	return w.v.stat(ctx, path)
}

// Read gives a file's bytes; the caller must not change them.
func (w *View) Read(ctx context.Context, path string) ([]byte, error) {
	if err := w.v.sight(path); err != nil {
		return nil, err
	}
	return w.v.read(ctx, path)
}

// List gives the entries directly inside a folder.
func (w *View) List(ctx context.Context, folder string) ([]host.Info, error) {
	if _, err := w.v.stat(ctx, folder); err != nil {
		return nil, err
	}
	w.v.mu.Lock()
	_, staged := w.v.staged[folder]
	w.v.mu.Unlock()
	var under []host.Info
	var err error
	if !staged { // what is in a folder made or moved here is staged too
		under, err = w.v.base.List(ctx, folder)
	}
	if err != nil && !fault.Is(err, fault.NotFound) {
		return nil, err
	}
	return w.v.mergeStaged(ctx, under, func(p string) bool { return vaultpath.Parent(p) == folder })
}

// sight says whether a path may be seen. The root may: what is in it is judged
// by itself.
func (v *Vault) sight(path string) error {
	if v.see == nil || path == "" {
		return nil
	}
	return v.see(path)
}

// Walk gives every entry below a folder.
func (w *View) Walk(ctx context.Context, folder string) ([]host.Info, error) {
	if _, err := w.v.stat(ctx, folder); err != nil {
		return nil, err
	}
	under, err := w.v.base.walk(ctx, folder)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return nil, err
	}
	prefix := folder + "/"
	return w.v.mergeStaged(ctx, under, func(p string) bool { return folder == "" || strings.HasPrefix(p, prefix) })
}

// mergeStaged lays the staged entries that belong over those of the base.
func (v *Vault) mergeStaged(ctx context.Context, under []host.Info, belongs func(string) bool) ([]host.Info, error) {
	v.mu.Lock()
	nodes := make(map[string]*node)
	for p, n := range v.staged {
		if belongs(p) {
			nodes[p] = n
		}
	}
	v.mu.Unlock()
	under = v.seen(under)
	if len(nodes) == 0 {
		return under, nil
	}
	out := make([]host.Info, 0, len(under)+len(nodes))
	for _, e := range under {
		if _, staged := nodes[e.Path]; !staged {
			out = append(out, e)
		}
	}
	for p, n := range nodes {
		if n.gone || v.sight(p) != nil {
			continue
		}
		i, err := v.info(ctx, p, n)
		if err != nil {
			return nil, err
		}
		out = append(out, i)
	}
	sortInfos(out)
	return out, nil
}

// seen leaves out what may not be seen.
func (v *Vault) seen(es []host.Info) []host.Info {
	if v.see == nil {
		return es
	}
	out := make([]host.Info, 0, len(es))
	for _, e := range es {
		if v.see(e.Path) == nil {
			out = append(out, e)
		}
	}
	return out
}

// Backlinks gives the files that may link to a path: those the base knows of,
// under their present names, and every note written here. Of what was moved here
// the base is asked by both names: a link may have led nowhere before, or to
// another file of the name.
func (w *View) Backlinks(ctx context.Context, path string) ([]string, error) {
	w.v.mu.Lock()
	orig := path
	if n, ok := w.v.staged[path]; ok && n.origin != "" {
		orig = n.origin
	}
	now := map[string]string{} // base path -> present path
	staged := map[string]bool{}
	for p, n := range w.v.staged {
		switch {
		case n.gone:
		case n.lazy():
			now[n.origin] = p
		case n.kind == host.File:
			staged[p] = true
		}
	}
	w.v.mu.Unlock()
	under, err := w.v.base.backlinks(ctx, path)
	if err != nil {
		return nil, err
	}
	if orig != path {
		before, err := w.v.base.backlinks(ctx, orig)
		if err != nil {
			return nil, err
		}
		under = append(under, before...)
	}
	seen := map[string]bool{}
	var out []string
	add := func(p string) {
		if !seen[p] && w.v.sight(p) == nil {
			seen[p] = true
			out = append(out, p)
		}
	}
	for _, p := range under {
		if to, ok := now[p]; ok {
			p = to
		}
		if _, err := w.v.stat(ctx, p); err == nil {
			add(p)
		}
	}
	for p := range staged {
		add(p)
	}
	sortStrings(out)
	return out, nil
}

// State gives the active note's editor as it would be.
func (w *View) State(ctx context.Context) (host.EditorState, error) { return w.v.EditorState(ctx) }
