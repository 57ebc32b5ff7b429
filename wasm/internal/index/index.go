// Package index knows a vault's files without asking each time, and which of
// them are worth reading.
//
// A Vault lies over a host.Vault and is one. It keeps
//
//   - the list of files, brought up to date by what the host says has changed
//     (files.go); so a walk costs one question, not a message of megabytes;
//   - a signature of each note's text (sign.go), made when notes are read in
//     bulk, that says which searches the note is worth reading for;
//   - a row of each note's metadata (rows.go), from the host's own cache where
//     it has one, otherwise from the text: numbers into a table of words
//     (table.go), so that what is asked of a word is asked once.
//
// It can leave something out by mistake in no case: a file that it does not
// know, or that has changed, or is open in an editor, is among what is to be
// read, and whoever searches reads what it is given and looks. What the host
// has not noticed itself (an edit from outside whose event has not come) is
// not known here either.
//
// Signatures are kept in the plugin's store (store.go), by path, size and time;
// rows are not.
//
//	host.Changes ──► files ──► Select ──► what to read ──► ReadMany ──► signatures
//	host.Metadata ──► rows ──────┘                                        │
//	store ◄────────────────────── segments ◄──────────────────────────────┘
package index

import (
	"context"
	"strings"
	"sync"
	"time"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/text"
)

// Vault is a host.Vault that knows its files.
type Vault struct {
	host.Vault
	changes  host.Changes
	metadata host.Metadata
	store    *segments
	now      func() int64 // ms
	editors  bool         // the host has editors, and does not say which reads come from one

	syncing chan struct{} // held while the host is asked

	// mu guards what is known of the files. Neither the host nor the store is
	// asked under it: what they tell is taken over afterwards.
	mu struct {
		sync.Mutex
		files map[string]*file
		order []*file // by path; replaced, never changed
		open  []string
		// generation is the host's, tick our own count of what has changed.
		generation, tick int64
		table            *table // the words of rows
		sigs             signatures
	}
}

// signatures is the account of the signatures in memory, and of those on disk.
type signatures struct {
	signer       signer
	held         int64   // bytes of all in memory
	unsaved      []*file // with signatures that are not on disk
	unsavedBytes int64
	keptAt       int64 // ms; when something was last saved
	savedBytes   int64 // about: of the segments, what is alive
}

// maxHeld bounds the signatures in memory, and so on disk: what is beyond is
// read at each search.
const maxHeld = 96 << 20

// Over lays an index over a host's vault.
func Over(h host.Host) *Vault {
	v := &Vault{
		Vault: h.Vault, changes: h.Changes, metadata: h.Metadata,
		now:     func() int64 { return time.Now().UnixMilli() },
		syncing: make(chan struct{}, 1),
	}
	v.mu.files, v.mu.table = map[string]*file{}, newTable()
	if _, tells := h.Vault.(host.Reads); !tells {
		v.editors = h.Editor != nil
	}
	if v.changes == nil {
		v.changes = &walked{vault: h.Vault, now: v.now}
	}
	v.store = newSegments(h.Store)
	return v
}

// Follows says whether the host follows its changes, and so knows the links of its
// notes; one that does not reads each note when it is asked for them.
func (v *Vault) Follows() bool {
	_, walks := v.changes.(*walked)
	return !walks
}

// Walk implements host.Vault.
func (v *Vault) Walk(ctx context.Context, folder string) ([]host.Info, error) {
	if err := v.sync(ctx); err != nil {
		return nil, err
	}
	v.mu.Lock()
	top := v.mu.files[folder]
	below := v.below(folder)
	v.mu.Unlock()
	if folder != "" && (top == nil || top.Kind != host.Folder) {
		return v.Vault.Walk(ctx, folder) // knows what is wrong with it
	}
	out := make([]host.Info, len(below))
	for i, f := range below {
		out[i] = f.Info
	}
	return out, nil
}

// Tick gives the present state: what changes from here on is later.
func (v *Vault) Tick() int64 {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.mu.tick
}

// ReadMany implements host.Reads, and learns from the notes that it reads.
func (v *Vault) ReadMany(ctx context.Context, paths []string) ([]host.FileBytes, error) {
	files := make([]*file, len(paths))
	v.mu.Lock()
	for i, p := range paths {
		if f := v.mu.files[p]; f != nil && f.file && !f.open {
			files[i] = f
		}
	}
	v.mu.Unlock()
	at := v.now()
	read, err := v.readMany(ctx, paths)
	if err != nil {
		return nil, err
	}
	for i := range read {
		if files[i] != nil {
			v.learn(files[i], &read[i], at)
		}
	}
	return read, v.saveIfMany(ctx)
}

// width is how many reads are under way together where the host reads one at a
// time.
const width = 16

func (v *Vault) readMany(ctx context.Context, paths []string) ([]host.FileBytes, error) {
	if many, ok := v.Vault.(host.Reads); ok {
		return many.ReadMany(ctx, paths)
	}
	return ReadEach(ctx, v.Vault, paths)
}

// ReadEach reads several files of a vault that reads one at a time.
func ReadEach(ctx context.Context, vault host.Vault, paths []string) ([]host.FileBytes, error) {
	out := make([]host.FileBytes, len(paths))
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(width, len(paths)) {
		wg.Go(func() {
			for i := range next {
				data, err := vault.Read(ctx, paths[i])
				out[i] = host.FileBytes{Data: data, Missing: err != nil}
			}
		})
	}
	for i := range paths {
		next <- i
	}
	close(next)
	wg.Wait()
	return out, ended(ctx)
}

// learn makes the signature of a note that was read. Bytes of another length
// than the file's are of another file, or of an editor.
func (v *Vault) learn(f *file, read *host.FileBytes, at int64) {
	if read.Missing || read.Unsaved || v.editors || !f.note || int64(len(read.Data)) != f.Size {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if f.sig != nil || v.mu.sigs.held > maxHeld || v.mu.files[f.Path] != f {
		return
	}
	sig, isText := v.mu.sigs.signer.sign(read.Data)
	if !isText {
		return
	}
	f.sig, f.readAt = sig, at
	v.mu.sigs.held += int64(len(f.sig))
	v.mu.sigs.unsaved = append(v.mu.sigs.unsaved, f)
	v.mu.sigs.unsavedBytes += recordSize(f)
}

// readable says whether tools read a file as text.
func readable(data []byte) bool { return text.Is(data) }

func isNote(path string) bool {
	return len(path) > 3 && strings.EqualFold(path[len(path)-3:], ".md")
}
