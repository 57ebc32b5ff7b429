//go:build !js

package hostfs

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/note"
	"embedded-agent/wasm/internal/vaultpath"
)

// vault is the Vault port of a Folder.
type vault Folder

func (v *vault) f() *Folder { return (*Folder)(v) }

func (v *vault) Stat(ctx context.Context, path string) (host.Info, error) {
	if err := alive(ctx); err != nil {
		return host.Info{}, err
	}
	return v.f().stat(path)
}

func (f *Folder) stat(path string) (host.Info, error) {
	file, err := f.locate("", path, true)
	if err != nil {
		return host.Info{}, err
	}
	st, err := os.Stat(file)
	if err != nil {
		return host.Info{}, io(path, notDir(err))
	}
	return describe(path, st), nil
}

// notDir makes of "a part of the path is a file" what it means: nothing there.
func notDir(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) && p.Err.Error() == "not a directory" {
		return fs.ErrNotExist
	}
	return err
}

func (v *vault) Read(ctx context.Context, path string) ([]byte, error) {
	if err := alive(ctx); err != nil {
		return nil, err
	}
	return v.f().read("", path)
}

func (f *Folder) read(base, path string) ([]byte, error) {
	file, err := f.locate(base, path, true)
	if err != nil {
		return nil, err
	}
	st, err := os.Stat(file)
	switch {
	case err != nil:
		return nil, io(path, notDir(err))
	case st.IsDir():
		return nil, isFolder(path)
	case !st.Mode().IsRegular():
		return nil, fault.New(fault.NotFound, "error.vault.io", fault.P{"path": path}).With(errors.New("not a regular file"))
	}
	data, err := os.ReadFile(file)
	return data, io(path, err)
}

func (v *vault) List(ctx context.Context, folder string) ([]host.Info, error) {
	if err := alive(ctx); err != nil {
		return nil, err
	}
	return v.f().list("", folder, false)
}

// list gives the entries of a folder, sorted; hidden ones only when asked.
func (f *Folder) list(base, folder string, withHidden bool) ([]host.Info, error) {
	dir, err := f.locate(base, folder, true)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		if st, statErr := os.Stat(dir); statErr == nil && !st.IsDir() {
			return nil, fault.New(fault.NotFound, "error.vault.isFile", fault.P{"path": folder})
		}
		return nil, io(folder, err)
	}
	out := make([]host.Info, 0, len(entries))
	for _, e := range entries {
		if !withHidden && strings.HasPrefix(e.Name(), ".") {
			continue
		}
		path := join(folder, e.Name())
		info, ok, err := f.entry(base, path, e)
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, info)
		}
	}
	slices.SortFunc(out, func(a, b host.Info) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}

// entry describes what a folder lists; false for links that lead outside or
// nowhere, for devices, and for what is gone meanwhile.
func (f *Folder) entry(base, path string, e fs.DirEntry) (host.Info, bool, error) {
	st, err := e.Info()
	if e.Type()&fs.ModeSymlink != 0 && err == nil {
		var file string
		if file, err = f.locate(base, path, true); fault.Is(err, fault.Denied) {
			return host.Info{}, false, nil
		} else if err == nil {
			st, err = os.Stat(file)
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist), fault.Is(err, fault.NotFound):
		return host.Info{}, false, nil
	case err != nil:
		return host.Info{}, false, io(path, err)
	}
	return describe(path, st), st.IsDir() || st.Mode().IsRegular(), nil
}

func (v *vault) Walk(ctx context.Context, folder string) ([]host.Info, error) {
	var out []host.Info
	seen := map[string]bool{}
	var walk func(folder string) error
	walk = func(folder string) error {
		if err := alive(ctx); err != nil {
			return err
		}
		dir, err := v.f().locate("", folder, true)
		if err != nil {
			return err
		}
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			if seen[real] {
				return nil // a link that leads back up
			}
			seen[real] = true
		}
		entries, err := v.f().list("", folder, false)
		if err != nil {
			return err
		}
		for _, e := range entries {
			out = append(out, e)
			if e.Kind == host.Folder {
				if err := walk(e.Path); err != nil {
					return err
				}
			}
		}
		return nil
	}
	if err := walk(folder); err != nil {
		return nil, err
	}
	slices.SortFunc(out, func(a, b host.Info) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}

// Backlinks reads every note and canvas and gives those that may link.
func (v *vault) Backlinks(ctx context.Context, path string) ([]string, error) {
	all, err := v.Walk(ctx, "")
	if err != nil {
		return nil, err
	}
	var out []string
	for _, i := range all {
		if i.Kind != host.File || !note.CarriesLinks(i.Path) {
			continue
		}
		data, err := v.Read(ctx, i.Path)
		if fault.Is(err, fault.NotFound) {
			continue
		} else if err != nil {
			return nil, err
		}
		if note.MayLink(data, path) {
			out = append(out, i.Path)
		}
	}
	return out, nil
}

func (v *vault) Apply(ctx context.Context, op host.Op) (host.Info, error) {
	if err := alive(ctx); err != nil {
		return host.Info{}, err
	}
	f := v.f()
	for _, p := range []string{op.Path, op.To} {
		if err := visible(p); err != nil {
			return host.Info{}, err
		}
	}
	defer f.lock(op.Path)()
	path, err := op.Path, error(nil)
	switch op.Kind {
	case host.OpCreate:
		err = f.create(op)
	case host.OpModify:
		err = f.modify(op)
	case host.OpMkdir:
		err = f.mkdir(op.Path)
	case host.OpRename:
		path, err = op.To, f.rename(op.Path, op.To)
	case host.OpTrash:
		return host.Info{}, f.trash(op)
	case host.OpRemove:
		return host.Info{}, f.remove(op)
	case host.OpRmdir:
		return host.Info{}, f.rmdir(op.Path)
	default:
		err = fault.New(fault.Internal, "error.internal", nil)
	}
	if err != nil {
		return host.Info{}, err
	}
	return f.stat(path)
}

// visible refuses writes to hidden files and folders (the store, the trash, a
// repository, the app's settings), however they are spelled. The core checks
// every path; this is the second lock, as in the app.
func visible(path string) error {
	if path == "" {
		return nil
	}
	if err := vaultpath.Check(path); err != nil && fault.From(err).Key == "error.path.hidden" {
		return fault.New(fault.Denied, "error.path.hidden", fault.P{"path": path})
	}
	return nil
}

// checkBefore refuses a write to a file whose bytes are other than expected.
func (f *Folder) checkBefore(path string, before []byte) error {
	now, err := f.read("", path)
	if err == nil && !bytes.Equal(now, before) {
		return host.NotAsExpected(path)
	}
	return err
}

func join(folder, name string) string {
	if folder == "" {
		return name
	}
	return folder + "/" + name
}
