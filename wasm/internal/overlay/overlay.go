// Package overlay is the vault as it would be.
//
// A Vault lies over a host.Vault (the base). Reads fall through; writes stay in
// memory. Executing a plan against it is the simulation (docs/design/transaction.md#simulate): the
// writes that were made, in order and by call, are what is shown, approved and
// later executed, and the net difference per path is the changeset.
//
// The run makes exactly the writes of the log, call by call (docs/adr/0003);
// whether the files are still as they were is checked by the host at each
// write, atomically.
//
//	tool ── Apply ──► guard ──► amend ──► staged ──► log
//	tool ◄─ Read ─── staged ?: snapshot of the base ?: base
package overlay

import (
	"bytes"
	"context"
	"errors"
	"sync"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/vaultpath"
)

// Guard refuses paths; a nil Guard refuses nothing. It fails closed: an error
// is a refusal.
type Guard func(op host.Op) error

// Vault is the overlay. Use For to get the view that one call writes through.
type Vault struct {
	base  *Base
	guard Guard
	// guardOf gives the guard of a call's writes; nil where guard is that of all.
	guardOf func(call string) Guard
	see     func(path string) error
	amend   *Amendments
	count   func(bytes int) error

	mu     sync.Mutex // guards what follows
	staged map[string]*node
	folded map[string]string   // fold key of a staged, existing path -> path
	names  map[string][]string // lower-case last part -> staged, existing files
	// befores are the bytes of base files that the plan writes.
	befores map[string][]byte
	log     []Write
	editor  *host.EditorState
	edited  bool
	putting *savepoint // of the call that writes; nil between writes
}

// node is the staged state of one path. Gone means that nothing is there any
// more. origin is the base path that the entry was before the plan ("" for what
// the plan made); follows is true while only consequences of other changes have
// touched it. A file that only moved has no data: its bytes are its origin's.
type node struct {
	gone    bool
	kind    host.Kind
	data    []byte
	origin  string
	etag    string
	follows bool
}

// lazy says that the bytes are still those of the base.
func (n *node) lazy() bool { return n.data == nil && n.origin != "" }

// Write is one Apply. Refused holds why it was not made (a name was taken,
// say). An Op without a kind is a consequence that the person has left out.
type Write struct {
	Call       string
	Op         host.Op
	BeforeEtag string
	AfterEtag  string
	Refused    *fault.Error
}

// Option changes a new Vault.
type Option func(*Vault)

// WithGuard checks every write's paths.
func WithGuard(g Guard) Option { return func(v *Vault) { v.guard = g } }

// WithGuardOf checks the paths of every write with the guard of the call that it is of.
func WithGuardOf(of func(call string) Guard) Option { return func(v *Vault) { v.guardOf = of } }

// WithSight hides paths: what see refuses cannot be read by name, and is in no
// list. A tool that walks the vault sees no more than one that names a note.
func WithSight(see func(path string) error) Option { return func(v *Vault) { v.see = see } }

// WithAmendments applies what the person changed in review.
func WithAmendments(a *Amendments) Option { return func(v *Vault) { v.amend = a } }

// WithQuota counts what is staged: count is given the bytes of each write before
// they are kept, and its error refuses the write.
func WithQuota(count func(bytes int) error) Option { return func(v *Vault) { v.count = count } }

// New lays an overlay over a base.
func New(base *Base, opts ...Option) *Vault {
	v := &Vault{base: base, staged: map[string]*node{}, folded: map[string]string{}, names: map[string][]string{}, befores: map[string][]byte{}}
	for _, o := range opts {
		o(v)
	}
	return v
}

// ErrDropped is given to a call whose main change the person has left out. The
// pipeline makes it a skipped result.
var ErrDropped = errors.New("left out in review")

// lookup finds the staged state of a path: its own node, or that a folder above
// it has moved or gone.
func (v *Vault) lookup(path string) (*node, bool) {
	n, ok := v.staged[path]
	return n, ok
}

// stat gives what is at a path. It must be called without the lock.
func (v *Vault) stat(ctx context.Context, path string) (host.Info, error) {
	if path == "" {
		return host.Info{Kind: host.Folder}, nil
	}
	v.mu.Lock()
	n, ok := v.lookup(path)
	v.mu.Unlock()
	if ok {
		return v.info(ctx, path, n)
	}
	return v.base.Stat(ctx, path)
}

func (v *Vault) info(ctx context.Context, path string, n *node) (host.Info, error) {
	switch {
	case n.gone:
		return host.Info{}, host.NotFound(path)
	case n.kind == host.Folder:
		return host.Info{Path: path, Kind: host.Folder}, nil
	case n.lazy():
		i, err := v.base.Stat(ctx, n.origin)
		i.Path = path
		return i, err
	}
	return host.Info{Path: path, Kind: host.File, Size: int64(len(n.data)), MTime: v.base.now, CTime: v.base.now}, nil
}

func (v *Vault) read(ctx context.Context, path string) ([]byte, error) {
	v.mu.Lock()
	n, ok := v.lookup(path)
	v.mu.Unlock()
	switch {
	case !ok:
		return v.base.Read(ctx, path)
	case n.gone:
		return nil, host.NotFound(path)
	case n.kind == host.Folder:
		return nil, fault.New(fault.Precondition, "error.vault.isFolder", fault.P{"path": path})
	case n.lazy():
		return v.base.Read(ctx, n.origin)
	}
	return n.data, nil
}

// taken says whether a name collides with something, by the fold key: two names
// that are one on some system count as one on all, since vaults travel.
func (v *Vault) taken(ctx context.Context, path string) (bool, error) {
	v.mu.Lock()
	key := vaultpath.Fold(path)
	if _, there := v.folded[key]; there {
		v.mu.Unlock()
		return true, nil
	}
	parent, parentStaged := v.staged[vaultpath.Parent(path)]
	v.mu.Unlock()
	if parentStaged && !parent.gone && parent.origin == "" {
		return false, nil // a folder made here: only staged children
	}
	there, err := v.base.foldedAt(ctx, path)
	if err != nil || there == "" {
		return false, err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	n, ok := v.staged[there]
	return !ok || !n.gone, nil
}

// commit stages an operation that was made, other than a rename. The lock is
// held.
func (v *Vault) commit(op host.Op, kind host.Kind, etag string) {
	old := v.staged[op.Path]
	switch op.Kind {
	case host.OpCreate:
		v.put(op.Path, &node{kind: host.File, data: nonNil(op.Data), etag: etag, follows: op.Follows})
		v.follow(op)
	case host.OpModify:
		n := &node{kind: host.File, data: nonNil(op.Data), etag: etag, origin: op.Path, follows: op.Follows}
		if old != nil {
			n.origin, n.follows = old.origin, op.Follows && old.follows
		} else {
			v.befores[op.Path] = op.Before
		}
		if old != nil && old.lazy() {
			v.befores[old.origin] = op.Before
		}
		v.put(op.Path, n)
		v.follow(op)
	case host.OpMkdir:
		v.put(op.Path, &node{kind: host.Folder})
	case host.OpTrash, host.OpRemove, host.OpRmdir:
		if old == nil {
			v.befores[op.Path] = op.Before
		} else if old.lazy() {
			v.befores[old.origin] = op.Before
		}
		v.put(op.Path, &node{gone: true, kind: kind})
	}
}

func (v *Vault) put(path string, n *node) {
	if v.putting != nil {
		v.putting.puts = append(v.putting.puts, undone{path, v.staged[path]})
	}
	key := vaultpath.Fold(path)
	if n.gone {
		if v.folded[key] == path {
			delete(v.folded, key)
		}
	} else {
		v.folded[key] = path
	}
	v.staged[path] = n
	v.indexName(path, n)
}

func nonNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

// Log gives the writes so far, in the order in which they were made.
func (v *Vault) Log() []Write {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.log
}

// Base gives what lies beneath, with what has been read of it.
func (v *Vault) Base() *Base { return v.base }

// sameBytes spares comparing a slice with itself.
func sameBytes(a, b []byte) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0] || bytes.Equal(a, b))
}
