package overlay

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/vaultpath"
)

// Change is the net difference of one path: what it is after the plan against
// what it was before.
type Change struct {
	Path   string
	From   string // its path before, for a rename
	Status Status
	Kind   host.Kind
	// Before and After are a file's bytes; nil where there is no file, and both
	// nil for a rename that leaves the bytes alone.
	Before, After []byte
	// Follows marks a note that changes only because a link in it follows a
	// rename.
	Follows bool
}

// Status says what happens to a path.
type Status string

// The statuses.
const (
	Create Status = "create"
	Modify Status = "modify"
	Rename Status = "rename"
	Trash  Status = "trash"
	Mkdir  Status = "mkdir"
	Rmdir  Status = "rmdir"
)

// Changes gives the changeset, sorted by path. Paths that end as they began
// are not in it, nor are the contents of a folder that only moved. What is in it
// by itself did not move along with its folder: where a folder has moved away and
// a path in it is there again, the path is in the changeset, however it ends.
func (v *Vault) Changes(ctx context.Context) ([]Change, error) {
	v.mu.Lock()
	paths := make([]string, 0, len(v.staged))
	movedTo := map[string]string{} // origin -> present path
	for p, n := range v.staged {
		paths = append(paths, p)
		if !n.gone && n.origin != "" {
			movedTo[n.origin] = p
		}
	}
	v.mu.Unlock()
	slices.Sort(paths)
	var out []Change
	for _, p := range paths {
		c, ok, err := v.change(ctx, p, movedTo)
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, c)
		}
	}
	return dropImplied(out), nil
}

func (v *Vault) change(ctx context.Context, path string, movedTo map[string]string) (Change, bool, error) {
	v.mu.Lock()
	n := v.staged[path]
	v.mu.Unlock()
	old, was, err := v.inBase(ctx, path)
	if err != nil {
		return Change{}, false, err
	}
	if n.gone {
		if _, moved := movedTo[path]; !was || moved {
			return Change{}, false, nil
		}
		c := Change{Path: path, Status: Trash, Kind: old.Kind}
		if old.Kind == host.Folder {
			c.Status = Rmdir
			return c, true, nil
		}
		c.Before, err = v.before(ctx, path)
		return c, true, err
	}
	// What was here may have moved away, and this be another of the same name.
	to, moved := movedTo[path]
	stayed := !moved || to == path
	c := Change{Path: path, Kind: n.kind, Follows: n.follows}
	switch {
	case n.origin != "" && n.origin != path:
		c.Status, c.From = Rename, n.origin
	case n.kind == host.Folder:
		c.Status = Mkdir
	case was && stayed && old.Kind == host.File:
		c.Status = Modify
	default:
		c.Status = Create
	}
	same := was && stayed && old.Kind == n.kind
	if same && !left(path, movedTo) && (n.kind == host.Folder || n.lazy()) && c.Status != Rename {
		return c, false, nil
	}
	return v.withBytes(ctx, c, n, left(path, movedTo))
}

// left says whether a folder above a path has moved away.
func left(path string, movedTo map[string]string) bool {
	for above := vaultpath.Parent(path); above != ""; above = vaultpath.Parent(above) {
		if to, moved := movedTo[above]; moved && to != above {
			return true
		}
	}
	return false
}

// withBytes adds the bytes. Alone says that the path is there without the folder
// that it was in: it is a change though its bytes are the same.
func (v *Vault) withBytes(ctx context.Context, c Change, n *node, alone bool) (Change, bool, error) {
	if n.kind == host.Folder || n.lazy() && c.Status != Modify {
		return c, true, nil
	}
	c.After = n.data
	from := c.Path
	if c.From != "" {
		from = c.From
	}
	if c.Status != Create {
		var err error
		if c.Before, err = v.before(ctx, from); err != nil {
			return c, false, err
		}
	}
	if n.lazy() { // it was moved, and moved back
		c.After = c.Before
	}
	if c.Status == Modify && !alone && bytes.Equal(c.Before, c.After) {
		return c, false, nil
	}
	return c, true, nil
}

// inBase says what the base has at a path.
func (v *Vault) inBase(ctx context.Context, path string) (host.Info, bool, error) {
	i, err := v.base.Stat(ctx, path)
	if fault.Is(err, fault.NotFound) {
		return i, false, nil
	}
	return i, err == nil, err
}

// before gives the bytes that a base file had when the plan first wrote it.
func (v *Vault) before(ctx context.Context, path string) ([]byte, error) {
	v.mu.Lock()
	d, ok := v.befores[path]
	v.mu.Unlock()
	if ok {
		return nonNil(d), nil
	}
	return v.base.Read(ctx, path)
}

// dropImplied leaves out what moved only because the folder above it did, unless
// its old path is told of as well.
func dropImplied(cs []Change) []Change {
	folders := map[string]string{} // new path -> old path
	told := map[string]bool{}
	for _, c := range cs {
		told[c.Path] = true
		if c.Status == Rename && c.Kind == host.Folder {
			folders[c.Path] = c.From
		}
	}
	if len(folders) == 0 {
		return cs
	}
	return slices.DeleteFunc(cs, func(c Change) bool {
		if c.Status != Rename || c.After != nil || told[c.From] {
			return false
		}
		for to, from := range folders {
			if strings.HasPrefix(c.Path, to+"/") && c.From == from+c.Path[len(to):] {
				return true
			}
		}
		return false
	})
}

// Followed gives, for each note in which links follow a rename, the new path of what
// is renamed: of several renames, the first. A call that renames several things does
// not say which of them a link follows.
func (v *Vault) Followed() map[string]string {
	v.mu.Lock()
	defer v.mu.Unlock()
	to := map[string]string{} // by call; "" for several
	for _, w := range v.log {
		if w.Op.Kind != host.OpRename || w.Refused != nil {
			continue
		}
		if _, more := to[w.Call]; more {
			to[w.Call] = ""
			continue
		}
		to[w.Call] = w.Op.To
	}
	out := map[string]string{}
	for _, w := range v.log {
		if new := to[w.Call]; w.Op.Follows && new != "" && out[w.Op.Path] == "" {
			out[w.Op.Path] = new
		}
	}
	return out
}
