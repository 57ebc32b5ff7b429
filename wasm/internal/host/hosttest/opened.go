package hosttest

import (
	"context"
	"slices"
	"strings"
	"unicode/utf16"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
)

// opened has the things that the person has before them: open notes, unsaved text, the
// selection, the palette.
type opened struct {
	active    string
	openNotes []string
	selection host.Range
	unsaved   map[string][]byte
	focus     string
	commands  []Command
	ran       []string
}

// Command is a scripted entry of the palette. Run may be nil; it gives what
// executing the command gives.
type Command struct {
	ID, Name string
	Run      func(m *Memory) (bool, error)
}

// selectMarked takes the selection marks out of a text and selects what is
// between them.
func (d *opened) selectMarked(text string) string {
	before, rest, ok := strings.Cut(text, "⟦")
	if !ok {
		return text
	}
	inside, after, closed := strings.Cut(rest, "⟧")
	if !closed {
		inside, after = "", rest
	}
	d.selection = host.Range{From: endOf(before), To: endOf(before + inside)}
	return before + inside + after
}

// endOf gives the position after a text.
func endOf(text string) host.Position {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	line := strings.Count(text, "\n")
	last := text[strings.LastIndexByte(text, '\n')+1:]
	return host.Position{Line: line, Ch: len(utf16.Encode([]rune(last)))}
}

func (d *opened) open(path string) {
	if path == "" {
		return
	}
	d.active = path
	if !slices.Contains(d.openNotes, path) {
		d.openNotes = append(d.openNotes, path)
	}
}

func (d *opened) closed(path string) {
	delete(d.unsaved, path)
	d.openNotes = slices.DeleteFunc(d.openNotes, func(p string) bool { return p == path })
	if d.active == path {
		d.active, d.selection = "", host.Range{}
	}
}

// renamed lets open notes follow a rename of themselves or of a folder.
func (d *opened) renamed(from, to string) {
	follow := func(p string) string {
		if p == from || strings.HasPrefix(p, from+"/") {
			return to + p[len(from):]
		}
		return p
	}
	d.active = follow(d.active)
	for i, p := range d.openNotes {
		d.openNotes[i] = follow(p)
	}
	for p, text := range d.unsaved {
		if q := follow(p); q != p {
			delete(d.unsaved, p)
			d.unsaved[q] = text
		}
	}
}

// setCaret puts the cursor where a write to the active note says.
func (d *opened) setCaret(path string, caret *host.Range) {
	if path == d.active && caret != nil {
		d.selection = *caret
	}
}

// OpenNote makes a note the active one.
func (m *Memory) OpenNote(path string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.opened.open(path)
	m.opened.selection = host.Range{}
}

// CloseNotes leaves no note open; unsaved text is saved first, as the app
// does.
func (m *Memory) CloseNotes() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for path, text := range m.opened.unsaved {
		m.disk.put(path, text, m.tick())
	}
	m.opened = opened{commands: m.opened.commands, ran: m.opened.ran}
}

// Select sets the selection of the active note.
func (m *Memory) Select(r host.Range) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.opened.selection = r
}

// Type sets the editor's text of an open note without saving it.
func (m *Memory) Type(path, text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.opened.unsaved == nil {
		m.opened.unsaved = map[string][]byte{}
	}
	m.opened.unsaved[path] = []byte(text)
}

// Ran lists the commands that were run, in order.
func (m *Memory) Ran() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.opened.ran)
}

// editor is the Editor port of a Memory.
type editor Memory

func (e *editor) State(ctx context.Context) (host.EditorState, error) {
	m := (*Memory)(e)
	if err := m.enterRead(ctx, ""); err != nil {
		return host.EditorState{}, err
	}
	defer m.mu.Unlock()
	if m.opened.active == "" {
		return host.EditorState{}, nil
	}
	text, err := m.read(m.opened.active)
	if err != nil {
		return host.EditorState{}, err
	}
	r := m.opened.selection
	return host.EditorState{Path: m.opened.active, Selection: r, Text: between(string(text), r)}, nil
}

// between gives the text of a range, with "\n" between lines, as editors do.
func between(text string, r host.Range) string {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	offset := func(p host.Position) int {
		n := 0
		for i := 0; i < p.Line && i < len(lines); i++ {
			n += len(lines[i]) + 1
		}
		if p.Line >= len(lines) {
			return n - 1
		}
		units := utf16.Encode([]rune(lines[p.Line]))
		return n + len(string(utf16.Decode(units[:min(p.Ch, len(units))])))
	}
	all := strings.Join(lines, "\n")
	from, to := offset(r.From), offset(r.To)
	if from >= to {
		return ""
	}
	return all[from:to]
}

// workspace is the Workspace port of a Memory.
type workspace Memory

func (w *workspace) Context(ctx context.Context) (host.WorkspaceState, error) {
	m := (*Memory)(w)
	if err := m.enterRead(ctx, ""); err != nil {
		return host.WorkspaceState{}, err
	}
	defer m.mu.Unlock()
	s := host.WorkspaceState{ActivePath: m.opened.active, OpenPaths: slices.Clone(m.opened.openNotes), ViewType: "empty"}
	if s.ActivePath != "" {
		s.ViewType = "markdown"
	}
	return s, nil
}

func (w *workspace) Open(ctx context.Context, path string, _ bool) error {
	m := (*Memory)(w)
	if err := m.enterRead(ctx, path); err != nil {
		return err
	}
	defer m.mu.Unlock()
	if e := m.disk.get(path); e == nil || e.folder() {
		return host.NotFound(path)
	}
	m.opened.open(path)
	m.opened.selection = host.Range{}
	return nil
}

func (w *workspace) Focus(ctx context.Context, pane string) error {
	m := (*Memory)(w)
	if err := m.enterRead(ctx, pane); err != nil {
		return err
	}
	defer m.mu.Unlock()
	m.opened.focus = pane
	return nil
}

// Focused gives the pane that was focused last.
func (m *Memory) Focused() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.opened.focus
}

// commands is the Commands port of a Memory.
type commands Memory

func (c *commands) List(ctx context.Context) ([]host.Command, error) {
	m := (*Memory)(c)
	if err := m.enterRead(ctx, ""); err != nil {
		return nil, err
	}
	defer m.mu.Unlock()
	out := make([]host.Command, 0, len(m.opened.commands))
	for _, k := range m.opened.commands {
		out = append(out, host.Command{ID: k.ID, Name: k.Name})
	}
	return out, nil
}

func (c *commands) Run(ctx context.Context, id string) (bool, error) {
	m := (*Memory)(c)
	if err := m.enterRead(ctx, id); err != nil {
		return false, err
	}
	i := slices.IndexFunc(m.opened.commands, func(k Command) bool { return k.ID == id })
	if i < 0 {
		m.mu.Unlock()
		return false, nil
	}
	run := m.opened.commands[i].Run
	m.opened.ran = append(m.opened.ran, id)
	m.mu.Unlock()
	if run == nil {
		return true, nil
	}
	ok, err := run(m)
	if err != nil {
		return false, fault.From(err)
	}
	return ok, nil
}
