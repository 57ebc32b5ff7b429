// Package hosttest is a host in memory for tests, and the conformance test
// that every host passes.
//
// Memory behaves as the app does where that matters (create asks the disk and
// refuses what is there, lookups are case-sensitive even where the disk is
// not, an open note with unsaved text reads as the editor has it), and it can
// do what no disk does on demand: fail at the nth write, die in the middle of
// one, be edited from outside just before one, and be found again as after a
// crash (CrashClone).
package hosttest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/unicode/norm"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/note"
)

// Options say how a Memory begins.
type Options struct {
	// Profile is the system it plays; zero is Linux.
	Profile Profile
	// Files maps paths to text. A path that ends in "/" is an empty folder.
	// Parent folders are made.
	Files map[string]string
	// Active is the note that is open in the editor. "⟦" and "⟧" in its text
	// mark the selection and are taken out; one "⟦" alone is the cursor.
	Active string
	// LinkFormat is "shortest" (also when empty), "relative" or "absolute".
	LinkFormat    string
	MarkdownLinks bool
	// Commands is the palette; nil leaves the host without one.
	Commands []Command
	// Device names the device that it plays: each has a key of its own.
	Device string
	// NoKey says that the device has no place for a key.
	NoKey bool
	// Bare leaves out Editor, Workspace and Commands, like a folder on disk.
	Bare bool
}

// Memory is a host.Host in memory. Its methods may be called from many
// goroutines.
type Memory struct {
	mu      sync.Mutex // guards what follows
	profile Profile
	options Options
	disk    *tree
	store   map[string][]byte
	flushed map[string][]byte // of the store: what a power cut leaves
	trash   []Trashed
	clock   int64
	counts  Counts
	faults  faults
	opened  opened
	follow  follow
	slow    slow
	spin    spin
	closed  []string // windows
}

// Trashed is one file as it went to the trash.
type Trashed struct {
	Path string
	Data []byte
}

// New makes a Memory.
func New(o Options) *Memory {
	if o.Profile.Name == "" {
		o.Profile = Linux
	}
	m := &Memory{profile: o.Profile, options: o, store: map[string][]byte{}, flushed: map[string][]byte{}, clock: 1_750_000_000_000}
	m.disk = newTree(o.Profile.IgnoresCase)
	m.opened.commands = slices.Clone(o.Commands)
	for path, text := range o.Files {
		if folder, ok := strings.CutSuffix(path, "/"); ok {
			m.disk.mkdirs(folder, m.tick())
			continue
		}
		if path == o.Active {
			text = m.opened.selectMarked(text)
		}
		m.disk.put(path, []byte(text), m.tick())
	}
	m.opened.open(o.Active)
	return m
}

// Host gives the ports.
func (m *Memory) Host() host.Host {
	format := m.options.LinkFormat
	if format == "" {
		format = "shortest"
	}
	h := host.Host{
		Vault: (*vault)(m), Changes: (*changes)(m), Store: (*store)(m), Device: (*device)(m), Owners: place{m, firstPlace},
		Platform: host.Platform{
			Name: m.profile.Name, AppVersion: "1.13.7", Language: "en", ConfigDir: ".obsidian",
			LinkFormat: format, MarkdownLinks: m.options.MarkdownLinks,
		},
	}
	if !m.options.Bare {
		h.Editor = (*editor)(m)
		h.Workspace = (*workspace)(m)
		h.Commands = (*commands)(m)
	}
	return h
}

// tick gives the next time stamp: the clock of a Memory moves with its writes
// only, so that two equal runs give equal times.
func (m *Memory) tick() int64 {
	m.clock += 1000
	return m.clock
}

// vault is the Vault port of a Memory.
type vault Memory

func (v *vault) mem() *Memory { return (*Memory)(v) }

func (v *vault) Stat(ctx context.Context, path string) (host.Info, error) {
	m := v.mem()
	if err := m.enterRead(ctx, path); err != nil {
		return host.Info{}, err
	}
	defer m.mu.Unlock()
	e := m.disk.get(path)
	if e == nil {
		return host.Info{}, host.NotFound(path)
	}
	return e.info(path, m.opened.unsaved[path]), nil
}

func (v *vault) Read(ctx context.Context, path string) ([]byte, error) {
	m := v.mem()
	if err := m.spins(ctx); err != nil {
		return nil, err
	}
	if err := m.enterRead(ctx, path); err != nil {
		return nil, err
	}
	defer m.mu.Unlock()
	return m.read(path)
}

// read gives a file as the app has it: the editor's text when it is unsaved.
func (m *Memory) read(path string) ([]byte, error) {
	e := m.disk.get(path)
	switch {
	case e == nil:
		return nil, host.NotFound(path)
	case e.folder():
		return nil, fault.New(fault.NotFound, "error.vault.isFolder", fault.P{"path": path})
	}
	if text, ok := m.opened.unsaved[path]; ok {
		return slices.Clone(text), nil
	}
	return slices.Clone(e.data), nil
}

func (v *vault) List(ctx context.Context, folder string) ([]host.Info, error) {
	return v.entries(ctx, folder, false)
}

func (v *vault) Walk(ctx context.Context, folder string) ([]host.Info, error) {
	return v.entries(ctx, folder, true)
}

func (v *vault) entries(ctx context.Context, folder string, deep bool) ([]host.Info, error) {
	m := v.mem()
	if err := m.enterRead(ctx, folder); err != nil {
		return nil, err
	}
	defer m.mu.Unlock()
	e := m.disk.get(folder)
	switch {
	case e == nil:
		return nil, host.NotFound(folder)
	case !e.folder():
		return nil, fault.New(fault.NotFound, "error.vault.isFile", fault.P{"path": folder})
	}
	var out []host.Info
	var walk func(path string, e *entry)
	walk = func(path string, e *entry) {
		for name, child := range e.children {
			if strings.HasPrefix(name, ".") {
				continue
			}
			p := join(path, name)
			out = append(out, child.info(p, m.opened.unsaved[p]))
			if deep && child.folder() {
				walk(p, child)
			}
		}
	}
	walk(folder, e)
	slices.SortFunc(out, func(a, b host.Info) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}

// Backlinks gives every Markdown or canvas file that holds the target's name
// in any case: more than link to it, as the port allows, and never fewer.
func (v *vault) Backlinks(ctx context.Context, path string) ([]string, error) {
	m := v.mem()
	if err := m.enterRead(ctx, path); err != nil {
		return nil, err
	}
	defer m.mu.Unlock()
	var out []string
	m.disk.each(func(p string, e *entry) {
		if e.folder() || hidden(p) || !note.CarriesLinks(p) {
			return
		}
		text := e.data
		if u, ok := m.opened.unsaved[p]; ok {
			text = u
		}
		if note.MayLink(text, path) {
			out = append(out, p)
		}
	})
	slices.Sort(out)
	return out, nil
}

func (v *vault) Apply(ctx context.Context, op host.Op) (host.Info, error) {
	m := v.mem()
	if err := checkInside(op.To); err != nil {
		return host.Info{}, err
	}
	if err := m.sits(ctx, op); err != nil {
		return host.Info{}, err
	}
	torn, err := m.enterWrite(ctx, op.Path, &m.counts.Writes)
	if err != nil {
		return host.Info{}, err
	}
	defer m.mu.Unlock()
	if torn != nil {
		m.tear(op, torn)
		return host.Info{}, m.deadError(op.Path)
	}
	info, err := m.apply(op)
	if err != nil {
		return host.Info{}, err
	}
	return info, nil
}

// ErrDead is beneath every error of a host that was killed.
var ErrDead = errors.New("the host is dead")

// fold makes names equal that a disk without case takes as one.
func fold(s string) string { return strings.ToLower(norm.NFC.String(s)) }

func join(folder, name string) string {
	if folder == "" {
		return name
	}
	return folder + "/" + name
}

// split gives the parent folder and the name.
func split(path string) (string, string) {
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return "", path
	}
	return path[:i], path[i+1:]
}

// hidden says whether any part of a path starts with a dot.
func hidden(path string) bool {
	return strings.HasPrefix(path, ".") || strings.Contains(path, "/.")
}
