package overlay

import (
	"context"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/vaultpath"
)

// Seen gives what the host told of a file before it was read; false when it was
// not asked.
func (b *Base) Seen(path string) (host.Info, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	i, ok := b.seen[path]
	return i, ok
}

// Trust takes a file to hold some bytes without reading it, where the host tells
// that it has the time (in ms) and the size that it had with them. Who writes the
// file gives the host these bytes to compare, so that nothing is lost where they
// are wrong.
func (b *Base) Trust(path string, mtime int64, data []byte) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	told := b.told(path)
	if told == nil || told.Kind != host.File || mtime == 0 || told.MTime != mtime || told.Size != int64(len(data)) {
		return false
	}
	b.keep(path, nonNil(data), told)
	return true
}

// Taken says whether a name collides with an entry of the base, by the fold
// key.
func (b *Base) Taken(ctx context.Context, path string) (bool, error) {
	there, err := b.foldedAt(ctx, path)
	return there != "", err
}

// lookAt is from how many wanted files of a folder on it is listed first.
const lookAt = 8

// Look lists the folders of many files that are going to be read, so that it is
// known what they were like before. What cannot be listed is only not known.
func (b *Base) Look(ctx context.Context, paths []string) {
	in := map[string]int{}
	for _, p := range paths {
		in[vaultpath.Parent(p)]++
	}
	for folder, n := range in {
		if n >= lookAt {
			_, _ = b.list(ctx, folder)
		}
	}
}
