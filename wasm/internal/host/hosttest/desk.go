package hosttest

import (
	"context"
	"slices"
	"strings"
	"unicode/utf16"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
)

// desk has the things that the person has before them: open notes, unsaved text, the
// selection, the palette.
type desk struct {
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
func (d *desk) selectMarked(text string) string {
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

func (d *desk) open(path string) {
	if path == "" {
		return
	}
	d.active = path
	if !slices.Contains(d.openNotes, path) {
		d.openNotes = append(d.openNotes, path)
	}
}

func (d *desk) closed(path string) {
	delete(d.unsaved, path)
	d.openNotes = slices.DeleteFunc(d.openNotes, func(p string) bool { return p == path })
	if d.active == path {
		d.active, d.selection = "", host.Range{}
	}
}

// renamed lets open notes follow a rename of themselves or of a folder.
func (d *desk) renamed(from, to string) {
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
func (d *desk) setCaret(path string, caret *host.Range) {
	if path == d.active && caret != nil {
		d.selection = *caret
	}
}

// OpenNote makes a note the active one.
func (m *Memory) OpenNote(path string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.desk.open(path)
	m.desk.selection = host.Range{}
}

// CloseNotes leaves no note open; unsaved text is saved first, as the app
// does.
func (m *Memory) CloseNotes() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for path, text := range m.desk.unsaved {
		m.disk.put(path, text, m.tick())
	}
	m.desk = desk{commands: m.desk.commands, ran: m.desk.ran}
}

// Select sets the selection of the active note.
func (m *Memory) Select(r host.Range) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.desk.selection = r
}

// Type sets the editor's text of an open note without saving it.
func (m *Memory) Type(path, text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.desk.unsaved == nil {
		m.desk.unsaved = map[string][]byte{}
	}
	m.desk.unsaved[path] = []byte(text)
}

// Ran lists the commands that were run, in order.
func (m *Memory) Ran() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.desk.ran)
}

// editor is the Editor port of a Memory.
type editor Memory

func (e *editor) State(ctx context.Context) (host.EditorState, error) {
	m := (*Memory)(e)
	if err := m.enterRead(ctx, ""); err != nil {
		return host.EditorState{}, err
	}
	defer m.mu.Unlock()
	if m.desk.active == "" {
		return host.EditorState{}, nil
	}
	text, err := m.read(m.desk.active)
	if err != nil {
		return host.EditorState{}, err
	}
	r := m.desk.selection
	return host.EditorState{Path: m.desk.active, Selection: r, Text: between(string(text), r)}, nil
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
	s := host.WorkspaceState{ActivePath: m.desk.active, OpenPaths: slices.Clone(m.desk.openNotes), ViewType: "empty"}
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
	m.desk.open(path)
	m.desk.selection = host.Range{}
	return nil
}

func (w *workspace) Focus(ctx context.Context, pane string) error {
	m := (*Memory)(w)
	if err := m.enterRead(ctx, pane); err != nil {
		return err
	}
	defer m.mu.Unlock()
	m.desk.focus = pane
	return nil
}

// Focused gives the pane that was focused last.
func (m *Memory) Focused() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.desk.focus
}

// commands is the Commands port of a Memory.
type commands Memory

func (c *commands) List(ctx context.Context) ([]host.Command, error) {
	m := (*Memory)(c)
	if err := m.enterRead(ctx, ""); err != nil {
		return nil, err
	}
	defer m.mu.Unlock()
	out := make([]host.Command, 0, len(m.desk.commands))
	for _, k := range m.desk.commands {
		out = append(out, host.Command{ID: k.ID, Name: k.Name})
	}
	return out, nil
}

func (c *commands) Run(ctx context.Context, id string) (bool, error) {
	m := (*Memory)(c)
	if err := m.enterRead(ctx, id); err != nil {
		return false, err
	}
	i := slices.IndexFunc(m.desk.commands, func(k Command) bool { return k.ID == id })
	if i < 0 {
		m.mu.Unlock()
		return false, nil
	}
	run := m.desk.commands[i].Run
	m.desk.ran = append(m.desk.ran, id)
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
