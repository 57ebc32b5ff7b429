package overlay

import "embedded-agent/wasm/internal/host"

// undone keeps one path as it was before a call put something else there.
type undone struct {
	path string
	node *node // nil where nothing was staged
}

// savepoint is how the overlay was before the first write of a call.
type savepoint struct {
	puts   []undone
	editor *host.EditorState
	edited bool
	begun  bool
	first  int // the place of its first write in the log
}

// save notes how the editor is, before the first write of a call. The lock is
// held.
func (s *savepoint) save(v *Vault) {
	if s.begun {
		return
	}
	s.begun, s.edited, s.first = true, v.edited, len(v.log)
	if v.editor != nil {
		st := *v.editor
		s.editor = &st
	}
}

// TakeBack takes back all that the call has written: a call that failed changes
// nothing. Its writes stay in the log without a kind, so that the log never gets
// shorter: how long it is names a state of the vault (transaction.ResultsFor).
func (w *View) TakeBack() {
	v := w.v
	v.mu.Lock()
	defer v.mu.Unlock()
	if !w.saved.begun {
		return
	}
	for i := len(w.saved.puts) - 1; i >= 0; i-- {
		v.restore(w.saved.puts[i])
	}
	v.editor, v.edited = w.saved.editor, w.saved.edited
	for i := w.saved.first; i < len(v.log); i++ {
		if v.log[i].Call == w.call {
			v.log[i].Op = host.Op{Kind: opNothing, Path: v.log[i].Op.Path}
		}
	}
	v.log = append(v.log, Write{Call: w.call, Op: host.Op{Kind: opNothing}})
	w.saved, w.observed = savepoint{}, nil
}

// restore stages at a path what was staged there. The lock is held.
func (v *Vault) restore(u undone) {
	if u.node != nil {
		v.put(u.path, u.node)
		return
	}
	v.put(u.path, &node{gone: true}) // out of the indexes of names
	delete(v.staged, u.path)
}
