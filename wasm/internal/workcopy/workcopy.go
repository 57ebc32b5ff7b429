//go:build !js

// Package workcopy keeps a private copy of the notes for a command, such as an agent,
// and tells what the command has changed in it. It never writes to the vault: what it
// finds becomes a review (docs/design/staging.md).
//
//	Make     copies the notes that may be seen         fill.go
//	Refresh  brings over what has changed since        refresh.go
//	Run      runs a command in the copy                run.go, confine_*.go
//	Compare  tells what the command left               scan.go, compare.go
//	Left     finds copies that a crash left            left.go
//
// A copy is a folder in the system's folder for temporary files that nobody else may
// open:
//
//	copy.json   the notes and the command that it is for
//	lock        held as long as a process works with the copy
//	index       each file as it was copied; written before the command begins
//	base-N      the bytes of the notes as they were then, end to end
//	notes/      the copy itself
//
// The package is linked by the command alone, never by the plugin.
package workcopy

import (
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// The names in the folder of a copy.
const (
	prefix    = "embedded-agent-stage-"
	aboutFile = "copy.json"
	lockName  = "lock"
	indexFile = "index"
	packName  = "base-"
	notesName = "notes"
)

// maxKept is the size, in bytes, up to which the bytes of a note are kept beside the
// copy, so that two edits can be merged. The bytes of a larger file are those of the
// note, as long as that is as it was.
const maxKept = 1 << 20

// Limit bounds a copy: the bytes of its files, and how many files and folders it has.
type Limit struct {
	Bytes int64
	Files int64
}

// Options say what to copy.
type Options struct {
	// Vault is the folder with the notes: absolute, links resolved.
	Vault string
	// MaySee says whether a path of the vault may be seen; its error is why not. What
	// may not be seen is not copied.
	MaySee func(path string) error
	// Command is the command line, for whoever finds the copy later.
	Command string
	Limit   Limit
	// Temp is the folder in which the copy is made; "" is the system's.
	Temp string
}

// The errors of a copy that has a limit.
var (
	// ErrTooLarge says that the notes, or the copy by now, take more than the limit.
	ErrTooLarge = errors.New("the working copy is larger than its limit")
	// ErrTooMuch says that more was changed than can be shown and kept for an undo.
	ErrTooMuch = errors.New("more was changed than one run can hold")
)

// About describes a copy to whoever finds it.
type About struct {
	Version int       `json:"version"`
	Vault   string    `json:"vault"`
	Command string    `json:"command"`
	Began   time.Time `json:"began"`
	// Done says that its changes were dealt with: the copy is kept for the next command.
	Done bool `json:"done"`
}

const version = 1

// Copy is a working copy. One goroutine uses it.
type Copy struct {
	dir   string
	about About
	opts  Options
	lock  *os.File
	packs []*pack
	index index
	looks int // how often the copy was looked at
}

// index is all that is known of the copy as it was made.
type index struct {
	Files   map[string]*entry
	Folders map[string]*folderEntry
	// Made is when this was noted, by the clock of the disk, in ns: a file that was
	// changed in that moment may have the stamp that it had.
	Made int64
}

// entry describes a file of the copy.
type entry struct {
	Note, Copy stamp // of the note, and of the file in the copy
	Pack       int   // where the bytes are; -1 where they are not kept
	At         int64

	seen int // the look at the copy that last found it with its stamp
}

// folderEntry describes a folder of the copy.
type folderEntry struct {
	Whole bool // nothing in the vault's folder was left out
}

// stamp tells whether a file was changed: whoever writes to it changes at least one of
// these, but for a clock that is set back.
type stamp struct {
	Size, MTime, CTime int64 // times in ns
	Inode              uint64
}

// pack is a file with the bytes of notes, end to end. One goroutine appends to it.
type pack struct {
	file *os.File
	size int64
	held []byte // not written yet
}

// Make copies the notes that may be seen. The copy is removed by Remove, or stays
// where Keep was called or the process dies. ErrTooLarge says that the notes take more
// than the limit.
func Make(o Options) (*Copy, error) {
	temp := o.Temp
	if temp == "" {
		temp = os.TempDir()
	}
	if inside(o.Vault, temp) {
		return nil, fmt.Errorf("the folder for temporary files (%s) is inside the notes: set TMPDIR to another folder", temp)
	}
	dir, err := os.MkdirTemp(temp, prefix) // nobody else may open it
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	c := &Copy{dir: dir, opts: o, about: About{Version: version, Vault: o.Vault, Command: o.Command, Began: time.Now()}}
	if err := c.begin(); err != nil {
		return nil, errors.Join(err, c.Remove())
	}
	return c, nil
}

// begin fills an empty folder.
func (c *Copy) begin() error {
	var err error
	if c.lock, err = takeLock(filepath.Join(c.dir, lockName)); err != nil {
		return err
	}
	if err := c.describe(); err != nil {
		return err
	}
	if err := os.Mkdir(c.Notes(), 0o700); err != nil {
		return err
	}
	if err := c.fill(); err != nil {
		return err
	}
	return c.save()
}

// describe writes whose copy it is.
func (c *Copy) describe() error {
	b, err := json.Marshal(c.about)
	if err != nil {
		return err
	}
	tmp := filepath.Join(c.dir, aboutFile+".tmp")
	if err := os.WriteFile(tmp, b, 0o600); err != nil {
		return err
	}
	return os.Rename(tmp, filepath.Join(c.dir, aboutFile))
}

// Done notes that the changes were dealt with: the next command may use the copy.
func (c *Copy) Done() error {
	c.about.Done = true
	return c.describe()
}

// Notes is the folder with the copy itself.
func (c *Copy) Notes() string { return filepath.Join(c.dir, notesName) }

// About describes the copy.
func (c *Copy) About() About { return c.about }

// Keep ends the work with the copy, and leaves it for another time.
func (c *Copy) Keep() error {
	var err error
	for _, p := range c.packs {
		err = errors.Join(err, p.file.Close())
	}
	c.packs = nil
	if c.lock != nil {
		err = errors.Join(err, c.lock.Close())
		c.lock = nil
	}
	return err
}

// Remove ends the work with the copy, and removes it.
func (c *Copy) Remove() error { return errors.Join(c.Keep(), removeAll(c.dir)) }

// removeAll removes a folder also where a command has taken rights away from folders
// in it. Links are removed, not followed.
func removeAll(dir string) error {
	err := os.RemoveAll(dir)
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := openUp(root); err != nil {
		return err
	}
	return os.RemoveAll(dir)
}

// openUp gives back the rights to every folder below one.
func openUp(root *os.Root) error {
	if err := root.Chmod(".", 0o700); err != nil {
		return err
	}
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		if err := root.Chmod(e.Name(), 0o700); err != nil {
			return err
		}
		below, err := root.OpenRoot(e.Name())
		if err != nil {
			return err
		}
		if err := errors.Join(openUp(below), below.Close()); err != nil {
			return err
		}
	}
	return nil
}

// save writes the index: from here on the copy can be compared by another process.
func (c *Copy) save() error {
	for _, p := range c.packs {
		if err := p.flush(); err != nil {
			return err
		}
	}
	// The time of a file that is written now is the disk's clock.
	if _, err := c.lock.WriteAt([]byte{1}, 0); err != nil {
		return err
	}
	st, err := c.lock.Stat()
	if err != nil {
		return err
	}
	c.index.Made = st.ModTime().UnixNano()
	tmp := filepath.Join(c.dir, indexFile+".tmp")
	file, err := os.OpenFile(tmp, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	err = gob.NewEncoder(file).Encode(c.index)
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	return os.Rename(tmp, filepath.Join(c.dir, indexFile))
}

// newPack begins another file for the bytes of notes.
func (c *Copy) newPack() (int, *pack, error) {
	n := len(c.packs)
	file, err := os.OpenFile(filepath.Join(c.dir, fmt.Sprintf("%s%d", packName, n)), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return 0, nil, err
	}
	p := &pack{file: file}
	c.packs = append(c.packs, p)
	return n, p, nil
}

// packBuffer is how many bytes are written at once.
const packBuffer = 1 << 20

// add appends bytes, and says where they are.
func (p *pack) add(data []byte) (int64, error) {
	at := p.size
	p.size += int64(len(data))
	p.held = append(p.held, data...)
	if len(p.held) < packBuffer {
		return at, nil
	}
	return at, p.flush()
}

func (p *pack) flush() error {
	_, err := p.file.WriteAt(p.held, p.size-int64(len(p.held)))
	p.held = p.held[:0]
	return err
}

// base gives the bytes that a note had when it was copied; false where they are not
// known any more.
func (c *Copy) base(path string, e *entry) ([]byte, bool, error) {
	if e.Pack >= 0 {
		data := make([]byte, e.Note.Size)
		_, err := c.packs[e.Pack].file.ReadAt(data, e.At)
		return data, true, err
	}
	file, st, err := openRegular(filepath.Join(c.opts.Vault, filepath.FromSlash(path)))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNotRegular) {
		return nil, false, nil
	} else if err != nil {
		return nil, false, err
	}
	defer file.Close()
	if stampOf(st) != e.Note {
		return nil, false, nil
	}
	data, err := readWhole(file, st.Size())
	return data, err == nil, err
}

func inside(dir, path string) bool {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return false
	}
	rel, err := filepath.Rel(dir, real)
	return err == nil && (rel == "." || filepath.IsLocal(rel))
}

// each calls f with each number below n, several at once, and gives its first error.
func each(n, width int, f func(worker, i int) error) error {
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		next  int
		first error
	)
	for w := range width {
		wg.Go(func() {
			for {
				mu.Lock()
				i := next
				next++
				done := i >= n || first != nil
				mu.Unlock()
				if done {
					return
				}
				if err := f(w, i); err != nil {
					mu.Lock()
					if first == nil {
						first = err
					}
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	return first
}

// Root gives a folder as a copy names it: absolute, links resolved.
func Root(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}
