//go:build js && wasm

package browserstore

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/hack-pad/safejs"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/jsbridge/promise"
)

// ours gives the plugin's folder in the origin's.
func (s *OPFS) ours(create bool) (safejs.Value, error) {
	storage, err := browser("storage")
	if err != nil {
		return storage, err
	}
	origin, err := promise.Call(storage, "getDirectory")
	if err != nil {
		return origin, err
	}
	return promise.Call(origin, "getDirectoryHandle", top, map[string]any{"create": create})
}

// folder gives the handle of a folder, "" for the vault's own.
func (s *OPFS) folder(path string, create bool) (safejs.Value, error) {
	if in, ok := s.folders[path]; ok {
		return in, nil
	}
	parent, name := split(path)
	var in safejs.Value
	var err error
	if path == "" {
		in, err = s.ours(create)
		name = s.id
	} else {
		in, err = s.folder(parent, create)
	}
	if err == nil {
		in, err = promise.Call(in, "getDirectoryHandle", name, map[string]any{"create": create})
	}
	if err == nil && create {
		s.remember(path, in)
	}
	return in, err
}

// remember keeps a folder's handle. Each is a thing that the engine holds in
// another process as well, so no more are kept than a run and its neighbours need.
func (s *OPFS) remember(path string, handle safejs.Value) {
	if len(s.folders) >= maxFolders {
		clear(s.folders)
	}
	s.folders[path] = handle
}

// List implements host.Store.
func (s *OPFS) List(ctx context.Context, folder string) ([]host.Info, error) {
	if err := allowed(ctx, cmp.Or(folder, "all")); err != nil {
		return nil, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	in, err := s.folder(folder, false)
	var list []host.Info
	if err == nil {
		list, err = s.entries(in, folder)
	}
	if n := promise.Name(err); n == "NotFoundError" || n == "TypeMismatchError" {
		return nil, nil
	}
	if err != nil {
		return nil, failed(folder, err)
	}
	slices.SortFunc(list, func(a, b host.Info) int { return strings.Compare(a.Path, b.Path) })
	return list, nil
}

// entries lists what is in a folder. All files are asked for their size before the
// first answer is waited for.
func (s *OPFS) entries(in safejs.Value, folder string) ([]host.Info, error) {
	var list []host.Info
	asked := map[int]*promise.Begun{}
	each, err := in.Call("values")
	for err == nil {
		var next, value safejs.Value
		if next, err = promise.Call(each, "next"); err != nil {
			break
		}
		if value, err = next.Get("value"); err != nil || value.IsUndefined() {
			break
		}
		i := host.Info{Kind: host.Folder}
		if i.Path, err = text(value, "name"); err != nil {
			break
		}
		if folder != "" {
			i.Path = folder + "/" + i.Path
		}
		var kind string
		if kind, err = text(value, "kind"); kind == "file" {
			i.Kind = host.File
			asked[len(list)] = promise.Begin(value.Call("getFile"))
		}
		list = append(list, i)
	}
	for at, begun := range asked {
		err = errors.Join(err, size(begun, &list[at]))
	}
	return slices.DeleteFunc(list, func(i host.Info) bool { return i.Path == "" }), err
}

// size waits for a file's size and time. One that was removed meanwhile loses its
// path.
func size(asked *promise.Begun, to *host.Info) error {
	f, err := asked.Wait()
	if promise.Name(err) == "NotFoundError" {
		to.Path = ""
		return nil
	}
	if err == nil {
		to.Size, err = number(f, "size")
	}
	if err == nil {
		to.MTime, err = number(f, "lastModified")
	}
	return err
}
