package hosttest

import (
	"slices"
	"strings"

	"embedded-agent/wasm/internal/host"
)

// entry is a file (children is nil) or a folder.
type entry struct {
	data         []byte
	children     map[string]*entry
	folded       map[string]string // folded name to name, where the disk ignores case
	ctime, mtime int64
}

func (e *entry) folder() bool { return e.children != nil }

func (e *entry) info(path string, unsaved []byte) host.Info {
	i := host.Info{Path: path, Kind: host.File, Size: int64(len(e.data)), CTime: e.ctime, MTime: e.mtime}
	if e.folder() {
		i.Kind, i.Size, i.CTime, i.MTime = host.Folder, 0, 0, 0
	} else if unsaved != nil {
		i.Size = int64(len(unsaved))
	}
	return i
}

// tree is the disk: folders and files. Every change costs the depth of the
// path, whatever the size of the vault.
type tree struct {
	root        *entry
	ignoresCase bool
}

func newTree(ignoresCase bool) *tree {
	t := &tree{ignoresCase: ignoresCase}
	t.root = t.newFolder(0)
	return t
}

func (t *tree) newFolder(now int64) *entry {
	e := &entry{children: map[string]*entry{}, ctime: now, mtime: now}
	if t.ignoresCase {
		e.folded = map[string]string{}
	}
	return e
}

// get finds an entry by its exact path, as the app's index does.
func (t *tree) get(path string) *entry {
	e := t.root
	if path == "" {
		return e
	}
	for name := range strings.SplitSeq(path, "/") {
		if e = e.children[name]; e == nil {
			return nil
		}
	}
	return e
}

// taken says whether the disk has the name already, and under which name.
func (t *tree) taken(path string) (string, bool) {
	parent, name := split(path)
	e := t.get(parent)
	if e == nil {
		return "", false
	}
	if t.ignoresCase {
		real, ok := e.folded[fold(name)]
		return join(parent, real), ok
	}
	_, ok := e.children[name]
	return path, ok
}

// set puts an entry at a path whose parent exists.
func (t *tree) set(path string, e *entry) {
	parent, name := split(path)
	p := t.get(parent)
	p.children[name] = e
	if t.ignoresCase {
		p.folded[fold(name)] = name
	}
}

// drop takes an entry out.
func (t *tree) drop(path string) {
	parent, name := split(path)
	p := t.get(parent)
	delete(p.children, name)
	if t.ignoresCase {
		delete(p.folded, fold(name))
	}
}

// mkdirs makes a folder and its parents where they are missing.
func (t *tree) mkdirs(path string, now int64) {
	if path == "" || t.get(path) != nil {
		return
	}
	parent, _ := split(path)
	t.mkdirs(parent, now)
	t.set(path, t.newFolder(now))
}

// put writes a file from outside, with its parent folders.
func (t *tree) put(path string, data []byte, now int64) {
	parent, _ := split(path)
	t.mkdirs(parent, now)
	e := t.get(path)
	if e == nil {
		e = &entry{ctime: now}
		t.set(path, e)
	}
	e.data, e.mtime = data, now
}

// each visits every entry below the root, in no order.
func (t *tree) each(visit func(path string, e *entry)) {
	var walk func(path string, e *entry)
	walk = func(path string, e *entry) {
		for name, c := range e.children {
			p := join(path, name)
			visit(p, c)
			if c.folder() {
				walk(p, c)
			}
		}
	}
	walk("", t.root)
}

// files lists the files at or below a path, sorted.
func (t *tree) files(path string) []string {
	e := t.get(path)
	if e == nil {
		return nil
	}
	if !e.folder() {
		return []string{path}
	}
	var out []string
	for name := range e.children {
		out = append(out, t.files(join(path, name))...)
	}
	slices.Sort(out)
	return out
}

// clone copies the tree, bytes shared: they are never changed in place.
func (t *tree) clone() *tree {
	c := newTree(t.ignoresCase)
	var walk func(from, to *entry)
	walk = func(from, to *entry) {
		for name, e := range from.children {
			n := &entry{data: e.data, ctime: e.ctime, mtime: e.mtime}
			if e.folder() {
				n = t.newFolder(e.mtime)
				n.ctime = e.ctime
				walk(e, n)
			}
			to.children[name] = n
			if t.ignoresCase {
				to.folded[fold(name)] = name
			}
		}
	}
	walk(t.root, c.root)
	return c
}
