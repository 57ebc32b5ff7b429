package overlay

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/vaultpath"
)

// Base is a host.Vault seen once: what was asked of it is remembered, so that a
// simulation and its run agree on what they saw.
type Base struct {
	host   host.Vault
	editor host.Editor
	now    int64 // ms
	tick   int64 // of the index, when this began

	mu      sync.Mutex // guards what follows
	stats   map[string]host.Info
	missing map[string]bool
	folders map[string]*listing
	reads   map[string][]byte
	seen    map[string]host.Info // as the host told of it before it was read
	names   map[string][]string
	held    int // bytes in reads
	state   *host.EditorState

	users users
}

// listing is the entries of one folder, with their fold keys.
type listing struct {
	entries []host.Info
	folded  map[string]string // fold key of the path -> path
}

// maxHeld bounds what is remembered of files that were only read. Files that a
// plan writes are kept by the write log, whatever their size.
const maxHeld = 64 << 20

// NewBase looks at a vault (and the active note's editor, which may be nil) as
// of now.
func NewBase(v host.Vault, e host.Editor, now time.Time) *Base {
	b := &Base{
		host: v, editor: e, now: now.UnixMilli(),
		stats: map[string]host.Info{}, missing: map[string]bool{},
		folders: map[string]*listing{}, reads: map[string][]byte{}, seen: map[string]host.Info{},
	}
	if ix := b.indexOf(); ix != nil {
		b.tick = ix.Tick()
	}
	return b
}

// Stat describes an entry of the base.
func (b *Base) Stat(ctx context.Context, path string) (host.Info, error) {
	b.mu.Lock()
	if i, ok := b.stats[path]; ok {
		b.mu.Unlock()
		return i, nil
	}
	if b.absentLocked(path) {
		b.mu.Unlock()
		return host.Info{}, host.NotFound(path)
	}
	b.mu.Unlock()
	i, err := b.host.Stat(ctx, path)
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case err == nil:
		b.stats[path] = i
	case fault.Is(err, fault.NotFound):
		b.missing[path] = true
	}
	return i, err
}

// absent says whether it is known that nothing is at a path.
func (b *Base) absent(path string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.absentLocked(path)
}

// absentLocked is absent with the lock held: the path, or a folder above it, was
// looked for and not found, or a listing of its folder does not have it.
func (b *Base) absentLocked(path string) bool {
	for p := path; p != ""; p = vaultpath.Parent(p) {
		if b.missing[p] {
			return true
		}
	}
	l, ok := b.folders[vaultpath.Parent(path)]
	return ok && l.folded[vaultpath.Fold(path)] == ""
}

// Read gives a file's bytes in the base; the caller must not change them.
func (b *Base) Read(ctx context.Context, path string) ([]byte, error) {
	b.mu.Lock()
	if d, ok := b.reads[path]; ok {
		b.mu.Unlock()
		return d, nil
	}
	told := b.told(path)
	b.mu.Unlock()
	d, err := b.host.Read(ctx, path)
	if err != nil {
		return nil, err
	}
	d = nonNil(d)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.keep(path, d, told)
	return d, nil
}

// told gives what the host has told of a file so far, or nil. The lock is held.
func (b *Base) told(path string) *host.Info {
	if i, ok := b.stats[path]; ok {
		return &i
	}
	return nil
}

// keep remembers a file's bytes, and what was told of the file before they were
// read. The lock is held.
func (b *Base) keep(path string, data []byte, told *host.Info) {
	if _, before := b.seen[path]; told != nil && !before {
		b.seen[path] = *told
	}
	if b.held+len(data) <= maxHeld {
		b.reads[path] = data
		b.held += len(data)
	}
}

// List gives the entries of a folder in the base.
func (b *Base) List(ctx context.Context, folder string) ([]host.Info, error) {
	l, err := b.list(ctx, folder)
	if err != nil {
		return nil, err
	}
	return l.entries, nil
}

func (b *Base) list(ctx context.Context, folder string) (*listing, error) {
	b.mu.Lock()
	l, ok := b.folders[folder]
	b.mu.Unlock()
	if ok {
		return l, nil
	}
	if b.absent(folder) {
		return nil, host.NotFound(folder)
	}
	entries, err := b.host.List(ctx, folder)
	if fault.Is(err, fault.NotFound) {
		b.mu.Lock()
		b.missing[folder] = true
		b.mu.Unlock()
	}
	if err != nil {
		return nil, err
	}
	l = &listing{entries: entries, folded: make(map[string]string, len(entries))}
	for _, e := range entries {
		l.folded[vaultpath.Fold(e.Path)] = e.Path
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.folders[folder] = l
	for _, e := range entries {
		b.stats[e.Path] = e
	}
	return l, nil
}

// foldedAt gives the entry of the base that a name would collide with, or "".
func (b *Base) foldedAt(ctx context.Context, path string) (string, error) {
	b.mu.Lock()
	_, there := b.stats[path]
	b.mu.Unlock()
	if there {
		return path, nil
	}
	l, err := b.list(ctx, vaultpath.Parent(path))
	if fault.Is(err, fault.NotFound) {
		return "", nil
	} else if err != nil {
		return "", err
	}
	return l.folded[vaultpath.Fold(path)], nil
}

// Editor gives the active note's editor as it was when first asked.
func (b *Base) Editor(ctx context.Context) (host.EditorState, error) {
	b.mu.Lock()
	s := b.state
	b.mu.Unlock()
	if s != nil {
		return *s, nil
	}
	if b.editor == nil {
		return host.EditorState{}, nil
	}
	st, err := b.editor.State(ctx)
	if err != nil {
		return st, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.state == nil {
		b.state = &st
	}
	return *b.state, nil
}

// walk gives every entry below a folder.
func (b *Base) walk(ctx context.Context, folder string) ([]host.Info, error) {
	return b.host.Walk(ctx, folder)
}

// sortInfos orders entries by path.
func sortInfos(es []host.Info) {
	slices.SortFunc(es, func(a, b host.Info) int { return strings.Compare(a.Path, b.Path) })
}

// EditorSeen gives the editor's state that was seen, or nil.
func (b *Base) EditorSeen() *host.EditorState {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.state
}
