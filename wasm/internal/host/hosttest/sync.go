package hosttest

import (
	"bytes"
	"path"
	"slices"
	"strings"
)

// Sync brings what a device's store has written or removed since base to another
// device's, as a sync does: where both have changed a file, the one that is there
// stays, and the other's is put beside it as a copy.
func (m *Memory) Sync(to *Memory, base map[string][]byte) {
	mine, theirs := m.StoreFiles(), to.StoreFiles()
	to.mu.Lock()
	defer to.mu.Unlock()
	for name, data := range mine {
		if was, known := base[name]; known && bytes.Equal(was, data) {
			continue
		}
		if there, ok := theirs[name]; ok && !bytes.Equal(there, base[name]) && !bytes.Equal(there, data) {
			ext := path.Ext(name)
			name = strings.TrimSuffix(name, ext) + " (conflicted copy)" + ext
		}
		to.store[name] = slices.Clone(data)
	}
	for name := range base {
		if _, ok := mine[name]; !ok && bytes.Equal(theirs[name], base[name]) {
			delete(to.store, name)
		}
	}
}
