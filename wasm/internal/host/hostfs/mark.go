//go:build !js

package hostfs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"embedded-agent/wasm/internal/host"
)

// A disk's clock goes in steps: two changes within one leave the same time. What was
// changed so short ago may be changed again, and nothing would tell.
const (
	step       = 20 * time.Millisecond
	coarseStep = 2 * time.Second // of disks that know whole seconds only
)

// Mark implements host.Marks. The folders above a path are not looked at.
func (f *Folder) Mark(path string, listed bool) (m host.Mark, sure bool) {
	now := time.Now()
	if checkPath(path) != nil && path != "" {
		return host.Mark{}, true // nothing can be there
	}
	file := filepath.Join(f.root, filepath.FromSlash(path))
	st, err := os.Lstat(file)
	switch {
	case errors.Is(notDir(err), fs.ErrNotExist):
		return host.Mark{}, true
	case err != nil:
		return host.Mark{}, false
	case st.IsDir():
		m, sure = host.Mark{Kind: host.Folder}, true
	case st.Mode().IsRegular():
		m, sure = host.Mark{Kind: host.File, Size: st.Size()}, true
	default:
		return host.Mark{}, false // a link, or a device
	}
	changed := markOf(&m, st)
	if m.Kind == host.File || listed {
		m.Changed, m.Modified = changed.UnixNano(), st.ModTime().UnixNano()
		sure = older(changed, now)
	}
	if m.Kind == host.Folder && listed && sure {
		sure = plainEntries(file)
	}
	return m, sure
}

// older says whether a change was long enough ago for another one to have another time.
func older(changed, now time.Time) bool {
	if changed.Nanosecond() == 0 {
		return now.Sub(changed) > coarseStep
	}
	return now.Sub(changed) > step
}

// plainEntries says whether all that is in a folder stands there itself: what a link
// leads to changes without the folder.
func plainEntries(dir string) bool {
	h, err := os.Open(dir)
	if err != nil {
		return false
	}
	entries, err := h.ReadDir(-1)
	if closed := h.Close(); err != nil || closed != nil {
		return false
	}
	return !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Type()&(fs.ModeSymlink|fs.ModeIrregular) != 0 })
}
