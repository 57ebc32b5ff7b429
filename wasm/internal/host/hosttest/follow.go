package hosttest

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/note"
)

// changesPages is how many pages a whole listing has.
const changesPages = 3

// follow is a Memory's own memory for host.Changes. It does not log: it
// compares with how it was at each answer.
type follow struct {
	generation int64
	seen       map[int64]map[string]state // by generation; the last few
	page       []host.Info                // what is left of a listing
	pageID     int64
}

// state is one entry at one time.
type state struct {
	info host.Info
	data []byte
}

// keptGenerations is how far back a Memory knows; who asks for what was before
// is told everything.
const keptGenerations = 3

// changes is the Changes port of a Memory: sure of every change, at once.
type changes Memory

func (c *changes) Since(ctx context.Context, generation, page int64) (host.Changed, error) {
	m := (*Memory)(c)
	var uncounted int
	if err := m.enter(ctx, "", &uncounted); err != nil {
		return host.Changed{}, err
	}
	defer m.mu.Unlock()
	f := &m.follow
	out := host.Changed{Generation: f.generation, Open: slices.Sorted(maps.Keys(m.opened.unsaved))}
	if page != 0 {
		if page != f.pageID {
			return out, fault.New(fault.Conflict, "error.internal", nil)
		}
		out.All = true
		m.nextPage(&out)
		return out, nil
	}
	now := map[string]state{}
	m.disk.each(func(path string, e *entry) {
		if !hidden(path) {
			now[path] = state{e.info(path, m.opened.unsaved[path]), e.data}
		}
	})
	before, known := f.seen[generation]
	f.generation++
	out.Generation = f.generation
	if f.seen == nil {
		f.seen = map[int64]map[string]state{}
	}
	f.seen[f.generation] = now
	delete(f.seen, f.generation-keptGenerations)
	if !known {
		out.All = true
		f.page = nil
		for _, path := range slices.Sorted(maps.Keys(now)) {
			f.page = append(f.page, now[path].info)
		}
		m.nextPage(&out)
		return out, nil
	}
	for path, s := range now {
		if b, was := before[path]; !was || b.info != s.info || !bytes.Equal(b.data, s.data) {
			out.Changed = append(out.Changed, s.info)
		}
	}
	for path := range before {
		if _, is := now[path]; !is {
			out.Removed = append(out.Removed, path)
		}
	}
	return out, nil
}

// nextPage moves entries of a listing into an answer.
func (m *Memory) nextPage(out *host.Changed) {
	f := &m.follow
	n := min(1+len(f.seen[f.generation])/changesPages, len(f.page))
	out.Changed, f.page = f.page[:n:n], f.page[n:]
	if len(f.page) > 0 {
		f.pageID++
		out.Page = f.pageID
	}
}

// ReadMany implements host.Reads.
func (v *vault) ReadMany(ctx context.Context, paths []string) ([]host.FileBytes, error) {
	m := v.mem()
	if err := ctx.Err(); err != nil {
		return nil, fault.From(err)
	}
	out := make([]host.FileBytes, len(paths))
	for i, path := range paths {
		if err := m.spins(ctx); err != nil {
			return nil, err
		}
		if m.enterRead(ctx, path) != nil {
			out[i].Missing = true
			continue
		}
		data, err := m.read(path)
		_, unsaved := m.opened.unsaved[path]
		m.mu.Unlock()
		out[i] = host.FileBytes{Data: data, Missing: err != nil, Unsaved: unsaved}
	}
	return out, nil
}

// Cache gives the app's metadata cache of a Memory. It runs behind: what was
// written last it has not seen yet.
func (m *Memory) Cache() host.Metadata { return (*cache)(m) }

type cache Memory

// Of implements host.Metadata.
func (c *cache) Of(ctx context.Context, paths []string) ([]host.Meta, error) {
	m := (*Memory)(c)
	var uncounted int
	if err := m.enter(ctx, "", &uncounted); err != nil {
		return nil, err
	}
	defer m.mu.Unlock()
	out := make([]host.Meta, len(paths))
	for i, path := range paths {
		out[i] = host.Meta{Path: path, Stale: true}
		e := m.disk.get(path)
		if e == nil || e.folder() || e.mtime == m.clock {
			continue
		}
		out[i] = metaOf(path, e.data)
		out[i].Size, out[i].MTime = int64(len(e.data)), e.mtime
	}
	return out, nil
}

func metaOf(path string, data []byte) host.Meta {
	d := note.Parse(data)
	m := host.Meta{Path: path}
	for _, t := range d.Tags {
		m.Tags = append(m.Tags, "#"+t.Name)
	}
	for _, l := range d.Links {
		if !l.External && l.Path != "" {
			m.Links = append(m.Links, l.Path)
		}
	}
	for i := range d.Items {
		if d.Items[i].Task() {
			m.Tasks++
		}
	}
	if values, err := d.Values(); err == nil && len(values) > 0 {
		if b, err := json.Marshal(values); err == nil {
			m.Properties = string(b)
		}
	}
	return m
}
