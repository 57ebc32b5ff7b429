//go:build !js

// Package hostfs is a host over a folder on disk, for the native command and
// for tests of the real thing.
//
// Hidden files (a name that starts with a dot) are no part of the vault. The
// store is the folder ".embedded-agent", the trash ".trash", as in the app.
// Links in the file system are followed only as long as they stay inside the
// folder; each path is resolved and checked before it is used. (A link that is
// made between the check and the use is another program's doing, on the
// person's own machine, and not defended against.)
//
// A file that changes is written whole to a temporary file in the store,
// synced, and renamed over it, so a crash leaves the old bytes or the new ones. A file
// that is new is linked into place, which fails when the name is taken
// meanwhile; so does a rename. Appends to the store are synced before they
// return. Checks and writes of one host are under one lock per path; against
// other programs a modify compares just before it renames.
package hostfs

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/vaultpath"
)

// StoreFolder is where the store lies in the vault's folder, TrashFolder where
// deleted notes go.
const (
	StoreFolder = ".embedded-agent"
	// tempFolder is where files are written before they take their place.
	tempFolder  = "tmp"
	TrashFolder = ".trash"
)

// Folder is the host.Host over one folder.
type Folder struct {
	root string // absolute, links resolved

	mu    sync.Mutex // guards what follows
	locks map[string]*pathLock
	self  *os.File // this process's lock file, held to its end; nil before it is asked for
	left  bool     // this process has given up its place, and takes none again
}

type pathLock struct {
	sync.Mutex     // held while the path is written
	users      int // guarded by Folder.mu
}

// Open gives the host over an existing folder.
func Open(dir string) (*Folder, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, io(dir, err)
	}
	root, err := filepath.EvalSymlinks(abs)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, host.NotFound(dir)
	} else if err != nil {
		return nil, io(dir, err)
	}
	if st, err := os.Stat(root); err != nil {
		return nil, io(dir, err)
	} else if !st.IsDir() {
		return nil, fault.New(fault.NotFound, "error.vault.isFile", fault.P{"path": dir})
	}
	return &Folder{root: root, locks: map[string]*pathLock{}}, nil
}

// Host gives the ports: no editor, workspace or commands. The person's link
// settings are those that the app has left in the folder.
func (f *Folder) Host() host.Host {
	h := host.Host{
		Vault: (*vault)(f), Store: (*store)(f), Device: (*keyHolder)(f), Owners: (*owners)(f),
		Platform: host.Platform{Name: "folder", Language: "en", ConfigDir: ".obsidian", LinkFormat: "shortest"},
	}
	var app struct {
		NewLinkFormat    string `json:"newLinkFormat"`
		UseMarkdownLinks bool   `json:"useMarkdownLinks"`
	}
	data, err := f.read(h.Platform.ConfigDir, "app.json")
	if err != nil || json.Unmarshal(data, &app) != nil {
		return h // no settings, or none that can be read: the app's defaults
	}
	h.Platform.MarkdownLinks = app.UseMarkdownLinks
	if app.NewLinkFormat == "relative" || app.NewLinkFormat == "absolute" {
		h.Platform.LinkFormat = app.NewLinkFormat
	}
	return h
}

// Root gives the folder, with links resolved.
func (f *Folder) Root() string { return f.root }

// lock holds a path for one operation.
func (f *Folder) lock(path string) func() {
	f.mu.Lock()
	l := f.locks[path]
	if l == nil {
		l = &pathLock{}
		f.locks[path] = l
	}
	l.users++
	f.mu.Unlock()
	l.Lock()
	return func() {
		l.Unlock()
		f.mu.Lock()
		defer f.mu.Unlock()
		if l.users--; l.users == 0 {
			delete(f.locks, path)
		}
	}
}

// locate gives the file for a path of the vault, or of the store (base). The
// folder it stands in is resolved; what leads outside is refused. follow also
// resolves the last part.
func (f *Folder) locate(base, path string, follow bool) (string, error) {
	if path == "" {
		return filepath.Join(f.root, base), nil
	}
	if err := checkPath(path); err != nil {
		return "", err
	}
	file := filepath.Join(f.root, base, filepath.FromSlash(path))
	check := file
	if !follow {
		check = filepath.Dir(file)
	}
	if base == StoreFolder {
		if err := f.plain(path); err != nil {
			return "", err
		}
	}
	real, err := filepath.EvalSymlinks(check)
	if loops(err) { // a link that leads to itself leads nowhere
		return "", fault.New(fault.Denied, "error.path.outside", fault.P{"path": path})
	}
	if errors.Is(err, fs.ErrNotExist) {
		return file, f.insideAsFarAsItGoes(check, path)
	}
	if err != nil {
		return "", io(path, err)
	}
	if !f.inside(real) {
		return "", fault.New(fault.Denied, "error.path.outside", fault.P{"path": path})
	}
	return file, nil
}

// plain says whether the store, and every part of a path in it, is what it seems:
// a link there came with the folder, and would lead the records, or a note on
// its way to its place, elsewhere. error.store.link.
func (f *Folder) plain(path string) error {
	file := filepath.Join(f.root, StoreFolder)
	for part := range strings.SplitSeq("/"+path, "/") {
		file = filepath.Join(file, part)
		st, err := os.Lstat(file)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		} else if err != nil {
			return io(path, err)
		}
		if st.Mode()&fs.ModeSymlink != 0 {
			return fault.New(fault.Denied, "error.store.link", fault.P{"path": file})
		}
	}
	return nil
}

// loops says whether a link was followed without end.
func loops(err error) bool {
	return err != nil && (errors.Is(err, syscall.ELOOP) || strings.Contains(err.Error(), "too many links"))
}

// insideAsFarAsItGoes checks the nearest folder above that is there.
func (f *Folder) insideAsFarAsItGoes(file, path string) error {
	for file != f.root && len(file) > len(f.root) {
		file = filepath.Dir(file)
		real, err := filepath.EvalSymlinks(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return io(path, err)
		}
		if f.inside(real) {
			return nil
		}
		break
	}
	if file == f.root {
		return nil
	}
	return fault.New(fault.Denied, "error.path.outside", fault.P{"path": path})
}

func (f *Folder) inside(real string) bool {
	return real == f.root || strings.HasPrefix(real, f.root+string(filepath.Separator))
}

// checkPath refuses what is no path inside a folder on any system.
func checkPath(path string) error {
	if runtime.GOOS == "windows" {
		if err := vaultpath.CheckShort(path); err != nil {
			return err
		}
	}
	switch {
	case strings.HasPrefix(path, "/"), filepath.IsAbs(path), filepath.VolumeName(path) != "":
		return fault.New(fault.Denied, "error.path.absolute", fault.P{"path": path})
	case !filepath.IsLocal(filepath.FromSlash(path)),
		slices.ContainsFunc(strings.Split(path, "/"), func(p string) bool { return p == "" || p == "." || p == ".." }),
		strings.ContainsRune(path, 0),
		runtime.GOOS == "windows" && strings.Contains(path, `\`):
		return fault.New(fault.Denied, "error.path.outside", fault.P{"path": path})
	}
	return nil
}

func isFolder(path string) error {
	return fault.New(fault.NotFound, "error.vault.isFolder", fault.P{"path": path})
}

// io turns an error of the disk into the program's.
func io(path string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return host.NotFound(path)
	case errors.Is(err, fs.ErrExist):
		return host.Exists(path)
	}
	var f *fault.Error
	if errors.As(err, &f) {
		return f
	}
	return fault.New(fault.Internal, "error.vault.io", fault.P{"path": path}).With(err)
}

// describe gives the entry of a file.
func describe(path string, st fs.FileInfo) host.Info {
	if st.IsDir() {
		return host.Info{Path: path, Kind: host.Folder}
	}
	// The file systems here do not tell when a file was made in one way; its
	// last change stands for it.
	ms := st.ModTime().UnixNano() / int64(time.Millisecond)
	return host.Info{Path: path, Kind: host.File, Size: st.Size(), CTime: ms, MTime: ms}
}

func alive(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return fault.From(err)
	}
	return nil
}
