package hosttest

import (
	"bytes"
	"slices"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
)

// apply makes one write: first every check, then the change.
func (m *Memory) apply(op host.Op) (host.Info, error) {
	switch op.Kind {
	case host.OpCreate:
		if err := m.checkNew(op.Path, ""); err != nil {
			return host.Info{}, err
		}
		m.disk.put(op.Path, slices.Clone(op.Data), m.tick())
	case host.OpMkdir:
		if err := m.checkNew(op.Path, ""); err != nil {
			return host.Info{}, err
		}
		m.disk.set(op.Path, m.disk.newFolder(m.tick()))
	case host.OpModify:
		if err := m.checkBefore(op.Path, op.Before); err != nil {
			return host.Info{}, err
		}
		m.disk.put(op.Path, slices.Clone(op.Data), m.tick())
		delete(m.opened.unsaved, op.Path)
	case host.OpRename:
		return m.rename(op)
	case host.OpTrash:
		return host.Info{}, m.moveToTrash(op)
	case host.OpRemove:
		return host.Info{}, m.remove(op)
	case host.OpRmdir:
		return host.Info{}, m.rmdir(op.Path)
	default:
		return host.Info{}, fault.New(fault.Internal, "error.internal", nil)
	}
	m.opened.setCaret(op.Path, op.Caret)
	return m.disk.get(op.Path).info(op.Path, nil), nil
}

// checkNew refuses a path that cannot come to be: taken on the disk (except by
// itself, on a rename that changes only the case), without a parent, or with a
// name that the system does not allow.
func (m *Memory) checkNew(path, self string) error {
	parent, name := split(path)
	p := m.disk.get(parent)
	switch {
	case name == "":
		return host.Exists(path)
	case p == nil:
		return host.NotFound(parent)
	case !p.folder():
		return fault.New(fault.NotFound, "error.vault.isFile", fault.P{"path": parent})
	}
	if real, taken := m.disk.taken(path); taken && (self == "" || real != self || path == self) {
		return host.Exists(path)
	}
	return m.profile.checkName(path, name)
}

// checkBefore refuses a write to a file whose bytes are other than expected.
func (m *Memory) checkBefore(path string, before []byte) error {
	now, err := m.read(path)
	if err != nil {
		return err
	}
	if !bytes.Equal(now, before) {
		return host.NotAsExpected(path)
	}
	return nil
}

func (m *Memory) rename(op host.Op) (host.Info, error) {
	e := m.disk.get(op.Path)
	switch {
	case e == nil || op.Path == "":
		return host.Info{}, host.NotFound(op.Path)
	case len(op.To) > len(op.Path) && op.To[:len(op.Path)+1] == op.Path+"/":
		return host.Info{}, host.Exists(op.To) // a folder cannot go into itself
	}
	if err := m.checkNew(op.To, op.Path); err != nil {
		return host.Info{}, err
	}
	m.tick()
	m.disk.drop(op.Path)
	m.disk.set(op.To, e)
	m.opened.renamed(op.Path, op.To)
	return e.info(op.To, m.opened.unsaved[op.To]), nil
}

func (m *Memory) moveToTrash(op host.Op) error {
	e := m.disk.get(op.Path)
	if e == nil || op.Path == "" {
		return host.NotFound(op.Path)
	}
	if !e.folder() {
		if err := m.checkBefore(op.Path, op.Before); err != nil {
			return err
		}
	}
	m.tick()
	for _, f := range m.disk.files(op.Path) {
		data, err := m.read(f)
		if err != nil {
			return err
		}
		m.trash = append(m.trash, Trashed{f, data})
		m.opened.closed(f)
	}
	m.disk.drop(op.Path)
	return nil
}

// remove deletes a file for good.
func (m *Memory) remove(op host.Op) error {
	if err := m.checkBefore(op.Path, op.Before); err != nil {
		return err
	}
	m.tick()
	m.opened.closed(op.Path)
	m.disk.drop(op.Path)
	return nil
}

func (m *Memory) rmdir(path string) error {
	e := m.disk.get(path)
	switch {
	case e == nil || path == "":
		return host.NotFound(path)
	case !e.folder():
		return fault.New(fault.NotFound, "error.vault.isFile", fault.P{"path": path})
	case len(e.children) > 0:
		return host.NotAsExpected(path)
	}
	m.tick()
	m.disk.drop(path)
	return nil
}
