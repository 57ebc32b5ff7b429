package hosttest

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Snapshot is a vault's bytes: files by path, folders by their path and "/".
// The plugin's own store is not part of it.
type Snapshot map[string][]byte

// Snapshot gives the disk as it is; unsaved text is not on the disk.
func (m *Memory) Snapshot() Snapshot {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := Snapshot{}
	m.disk.each(func(path string, e *entry) {
		if e.folder() {
			s[path+"/"] = nil
			return
		}
		s[path] = slices.Clone(e.data)
	})
	return s
}

// With gives the vault with some files written, in folders that are made, and
// some files gone.
func (s Snapshot) With(files map[string]string, gone []string) Snapshot {
	out := maps.Clone(s)
	for path, text := range files {
		out[path] = []byte(text)
		for i, c := range path {
			if c == '/' {
				out[path[:i+1]] = nil
			}
		}
	}
	for _, path := range gone {
		delete(out, path)
	}
	return out
}

// Equal says whether two vaults are the same, byte for byte.
func (s Snapshot) Equal(o Snapshot) bool { return s.Diff(o) == "" }

// Diff lists what differs, one path a line; "" when nothing does.
func (s Snapshot) Diff(o Snapshot) string {
	paths := map[string]bool{}
	for p := range s {
		paths[p] = true
	}
	for p := range o {
		paths[p] = true
	}
	var b strings.Builder
	for _, p := range slices.Sorted(maps.Keys(paths)) {
		was, here := s[p]
		is, there := o[p]
		switch {
		case !there:
			fmt.Fprintf(&b, "- %s %s\n", p, short(was))
		case !here:
			fmt.Fprintf(&b, "+ %s %s\n", p, short(is))
		case !bytes.Equal(was, is):
			fmt.Fprintf(&b, "~ %s %s, then %s\n", p, short(was), short(is))
		}
	}
	return b.String()
}

func short(data []byte) string {
	if len(data) > 200 {
		return fmt.Sprintf("%q… (%d bytes)", data[:200], len(data))
	}
	return fmt.Sprintf("%q", data)
}

// Trash lists what was trashed, in order.
func (m *Memory) Trash() []Trashed {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.trash)
}

// File gives a file's bytes on the disk; false when it is not there.
func (m *Memory) File(path string) ([]byte, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.disk.get(path)
	if e == nil || e.folder() {
		return nil, false
	}
	return slices.Clone(e.data), true
}

// StoreFiles gives the plugin's own store: path to bytes.
func (m *Memory) StoreFiles() map[string][]byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := make(map[string][]byte, len(m.store))
	for p, d := range m.store {
		out[p] = slices.Clone(d)
	}
	return out
}

// CrashClone gives a new host as it would be found after a crash now: the disk
// and the store as they are, no editor, no unsaved text, no faults, counters
// at zero.
func (m *Memory) CrashClone() *Memory {
	m.mu.Lock()
	defer m.mu.Unlock()
	o := m.options
	o.Files, o.Active = nil, ""
	c := New(o)
	c.disk = m.disk.clone()
	c.clock = m.clock
	c.trash = slices.Clone(m.trash)
	for p, d := range m.store {
		c.store[p] = slices.Clone(d)
		c.flushed[p] = slices.Clone(d)
	}
	return c
}

// PowerCut gives a new host as m would be found after a power cut now, at its
// worst: every note that was written is on the disk, and of the store only what was
// flushed. What was removed there is gone.
func PowerCut(m *Memory) *Memory {
	c := m.CrashClone()
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(c.store)
	for p, d := range m.flushed {
		c.store[p], c.flushed[p] = slices.Clone(d), slices.Clone(d)
	}
	return c
}
