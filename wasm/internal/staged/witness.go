package staged

import (
	"context"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/vaultpath"
)

// witness is the vault as calls are staged on it. It keeps the marks of all that was
// asked, from before it was answered: while they stay the same, so would the answers.
type witness struct {
	host.Vault
	mark  host.Marks // nil where nothing can be said
	marks map[asked]host.Mark
	sure  bool // that all marks would tell a change
}

// asked is a path that was asked about; listed where it was about all that is in it.
type asked struct {
	path   string
	listed bool
}

func newWitness(v host.Vault, mark host.Marks) *witness {
	return &witness{Vault: v, mark: mark, marks: map[asked]host.Mark{}, sure: mark != nil}
}

// same says whether every answer would be the same by now.
func (w *witness) same() bool {
	if !w.sure {
		return false
	}
	for a, before := range w.marks {
		if now, _ := w.mark(a.path, a.listed); now != before {
			return false
		}
	}
	return true
}

// note keeps the marks of a path and of the folders above it.
func (w *witness) note(path string, listed bool) {
	if !w.sure {
		return
	}
	for a := (asked{path, listed}); ; a = (asked{path: vaultpath.Parent(a.path)}) {
		_, known := w.marks[a]
		if known && !a.listed {
			return
		}
		if !known {
			m, sure := w.mark(a.path, a.listed)
			w.marks[a], w.sure = m, w.sure && sure
		}
		if a.path == "" {
			return
		}
	}
}

// Stat implements host.Vault.
func (w *witness) Stat(ctx context.Context, path string) (host.Info, error) {
	w.note(path, false)
	return w.Vault.Stat(ctx, path)
}

// Read implements host.Vault.
func (w *witness) Read(ctx context.Context, path string) ([]byte, error) {
	w.note(path, false)
	return w.Vault.Read(ctx, path)
}

// List implements host.Vault.
func (w *witness) List(ctx context.Context, folder string) ([]host.Info, error) {
	w.note(folder, true)
	return w.Vault.List(ctx, folder)
}

// Walk implements host.Vault. It walks twice: first to know which folders there are.
func (w *witness) Walk(ctx context.Context, folder string) ([]host.Info, error) {
	w.note(folder, true)
	before, err := w.Vault.Walk(ctx, folder)
	if err != nil || !w.sure {
		return before, err
	}
	for _, i := range before {
		if i.Kind == host.Folder {
			w.note(i.Path, true)
		}
	}
	now, err := w.Vault.Walk(ctx, folder)
	for _, i := range now {
		if _, noted := w.marks[asked{i.Path, true}]; i.Kind == host.Folder && !noted {
			w.sure = false // made in between
		}
	}
	return now, err
}

// Backlinks implements host.Vault. Staging a call again does not ask for them.
func (w *witness) Backlinks(ctx context.Context, path string) ([]string, error) {
	w.sure = false
	return w.Vault.Backlinks(ctx, path)
}
