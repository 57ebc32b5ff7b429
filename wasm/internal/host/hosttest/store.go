package hosttest

import (
	"context"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/host"
)

// store is the Store port of a Memory.
type store Memory

func (s *store) mem() *Memory { return (*Memory)(s) }

func (s *store) Append(ctx context.Context, path string, data []byte) error {
	return s.write(ctx, path, func(m *Memory) []byte { return m.store[path] }, data)
}

func (s *store) Write(ctx context.Context, path string, data []byte) error {
	return s.write(ctx, path, func(*Memory) []byte { return nil }, data)
}

// write puts data after what base gives. Torn, it leaves the file as it was or
// base and a prefix.
func (s *store) write(ctx context.Context, path string, base func(*Memory) []byte, data []byte) error {
	m := s.mem()
	torn, err := m.enterWrite(ctx, path, &m.counts.StoreWrites)
	if err != nil {
		return err
	}
	defer m.mu.Unlock()
	if torn != nil {
		if n := torn.of(len(data)); n >= 0 {
			m.store[path] = append(slices.Clip(base(m)), data[:n]...)
		}
		return m.deadError(path)
	}
	// Appending grows a buffer that CrashClone copies, so a long log costs its
	// length, not its square.
	m.store[path] = append(base(m), data...)
	return nil
}

func (s *store) Read(ctx context.Context, path string) ([]byte, error) {
	m := s.mem()
	if err := m.enter(ctx, path, &m.counts.StoreReads); err != nil {
		return nil, err
	}
	defer m.mu.Unlock()
	data, ok := m.store[path]
	if !ok {
		return nil, host.NotFound(path)
	}
	return slices.Clone(data), nil
}

func (s *store) List(ctx context.Context, folder string) ([]host.Info, error) {
	m := s.mem()
	if err := m.enter(ctx, folder, &m.counts.StoreReads); err != nil {
		return nil, err
	}
	defer m.mu.Unlock()
	prefix := folder + "/"
	if folder == "" {
		prefix = ""
	}
	found := map[string]host.Info{}
	for path, data := range m.store {
		rest, ok := strings.CutPrefix(path, prefix)
		if !ok {
			continue
		}
		name, _, deeper := strings.Cut(rest, "/")
		i := host.Info{Path: prefix + name, Kind: host.File, Size: int64(len(data))}
		if deeper {
			i.Kind, i.Size = host.Folder, 0
		}
		found[name] = i
	}
	out := make([]host.Info, 0, len(found))
	for _, i := range found {
		out = append(out, i)
	}
	slices.SortFunc(out, func(a, b host.Info) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}

func (s *store) Remove(ctx context.Context, path string) error {
	m := s.mem()
	torn, err := m.enterWrite(ctx, path, &m.counts.StoreWrites)
	if err != nil {
		return err
	}
	defer m.mu.Unlock()
	var gone []string
	for p := range m.store {
		if p == path || strings.HasPrefix(p, path+"/") {
			gone = append(gone, p)
		}
	}
	slices.Sort(gone)
	if torn != nil {
		gone = gone[:max(0, torn.of(len(gone)))]
	}
	for _, p := range gone {
		delete(m.store, p)
		delete(m.flushed, p)
	}
	if torn != nil {
		return m.deadError(path)
	}
	return nil
}

// Flush is host.Flusher's.
func (s *store) Flush(ctx context.Context, paths ...string) error {
	m := s.mem()
	for _, path := range paths {
		if err := m.enter(ctx, path, &m.counts.Flushes); err != nil {
			return err
		}
		if data, ok := m.store[path]; ok {
			m.flushed[path] = slices.Clone(data)
		}
		m.mu.Unlock()
	}
	return nil
}
