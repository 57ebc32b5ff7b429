package action

import (
	"encoding/json"
	"path"
	"slices"
	"strconv"
	"strings"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/regex"
	"embedded-agent/wasm/internal/tool"
)

// Origin has what was before the person when a plan was made: it tells which of
// the plan's texts were theirs.
type Origin = Context

// The parameters that FromPlan makes of what it finds. A second of a kind has a
// number behind it.
const (
	folderName = "folderName" // a folder that is written to
	fromFolder = "fromFolder" // a folder that is only read
	noteName   = "noteName"   // another note than the open one
	otherDate  = "otherDate"  // another day than that of the run
)

// Found says whether FromPlan gave a parameter its name, so that the name alone
// tells a person little.
func Found(name string) bool {
	switch strings.TrimRight(name, "0123456789") {
	case folderName, fromFolder, noteName, otherDate:
		return true
	}
	return false
}

// FromPlan makes an action of a plan that ran, with parameters for what the
// next time may be other: the selection's text, the open note, the day of the
// run, folders, other notes and other dates that are written out in arguments.
// Filled with the origin and the values kept, the action's plan is the plan
// that ran, to the byte; what would change anything else is left as it is.
func FromPlan(id, name string, p *plan.Plan, reg *tool.Registry, from Origin) (*Action, error) {
	name = strings.TrimSpace(name)
	if name == "" {
		return nil, fault.New(fault.Validation, "error.action.name", nil)
	}
	ran := *p
	ran.Taken = nil // of how it was written, an action knows nothing
	f := &finder{ran: &ran, t: plan.AsTemplate(p), reg: reg, from: from}
	f.selection()
	f.openNote()
	f.folders()
	f.notes()
	f.dates()
	raw, err := json.Marshal(f.t)
	if err != nil {
		return nil, err
	}
	return &Action{ID: id, Name: name, Trusted: true, Plan: raw, Params: f.params}, nil
}

// finder looks for parameters: t is the template so far.
type finder struct {
	ran, t *plan.Plan
	reg    *tool.Registry
	from   Origin
	params []Param
}

// arg is one text in the arguments: of the argument called name, whose schema
// says that it is a path of this kind ("" for none).
type arg struct {
	name, path string
	writes     bool
}

// try puts parameters into the template and keeps that only where it is the
// same plan when it is filled.
func (f *finder) try(p Param, change func(text string, a arg) string) {
	f.keep(p, f.rewrite(change))
}

// keep takes a template with one more parameter, if it stands the test.
func (f *finder) keep(p Param, t *plan.Plan) {
	if !slices.Contains(plan.Parameters(t), p.Name) {
		return
	}
	raw, err := json.Marshal(t)
	if err != nil {
		return
	}
	a := &Action{Plan: raw, Params: slices.Clone(f.params)}
	if !slices.ContainsFunc(f.params, func(has Param) bool { return has.Name == p.Name }) {
		a.Params = append(a.Params, p)
	}
	if filled, err := a.Bind(nil, f.from); err == nil && equalPlans(filled, f.ran) {
		f.t, f.params = t, a.Params
	}
}

// rewrite copies the template with every text of its arguments changed.
func (f *finder) rewrite(change func(string, arg) string) *plan.Plan {
	out := *f.t
	out.Steps = slices.Clone(f.t.Steps)
	for i := range out.Steps {
		s := &out.Steps[i]
		a := arg{}
		var paths map[string]string
		if e, err := f.reg.Get(toolName(s), s.Version); err == nil {
			paths, a.writes = e.PathArgs(), e.SideEffects.Risk() != tool.ReadOnly
		}
		args := make(map[string]any, len(s.Args))
		for k, v := range s.Args {
			a.name, a.path = k, paths[k]
			args[k] = rewriteValue(v, a, change)
		}
		s.Args = args
		if s.Foreach != nil {
			loop := *s.Foreach
			loop.From = rewriteValue(loop.From, arg{name: "from"}, change)
			s.Foreach = &loop
		}
	}
	return &out
}

func rewriteValue(v any, a arg, change func(string, arg) string) any {
	switch v := v.(type) {
	case string:
		return change(v, a)
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = rewriteValue(e, a, change)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[k] = rewriteValue(e, arg{name: k, writes: a.writes}, change)
		}
		return out
	}
	return v
}

func toolName(s *plan.Step) string {
	name, _, _ := strings.Cut(s.Tool, "@")
	return name
}

func parameter(name string) string { return "${" + name + "}" }

// longSelection is how long a selection must be to be looked for inside a text:
// a short one may stand there by chance.
const longSelection = 12

// selection finds the selection's text, and a list of its items' titles.
func (f *finder) selection() {
	text := f.from.Selection
	if strings.TrimSpace(text) == "" {
		return
	}
	for _, part := range []string{text, strings.TrimSpace(text)} {
		f.try(Param{Name: Selection, Kind: Longtext}, func(s string, _ arg) string {
			switch {
			case s == part:
				return parameter(Selection)
			case len(part) >= longSelection && part == text:
				return strings.ReplaceAll(s, part, parameter(Selection))
			}
			return s
		})
	}
	f.bulletLists()
}

// bulletLists finds loops over the titles of the selected list.
func (f *finder) bulletLists() {
	titles, err := json.Marshal(bullets(f.from.Selection))
	if err != nil {
		return
	}
	t := *f.t
	t.Steps = slices.Clone(f.t.Steps)
	for i := range t.Steps {
		s := &t.Steps[i]
		if s.Foreach == nil {
			continue
		}
		if list, err := json.Marshal(s.Foreach.From); err == nil && string(list) == string(titles) {
			loop := *s.Foreach
			loop.From = parameter(SelectionBullets)
			s.Foreach = &loop
		}
	}
	f.keep(Param{Name: SelectionBullets, Kind: Longtext}, &t)
}

// openNote finds the path of the note that was open.
func (f *finder) openNote() {
	if f.from.Note == "" {
		return
	}
	f.try(Param{Name: ActiveNote, Kind: Note}, func(s string, _ arg) string {
		if s == f.from.Note {
			return parameter(ActiveNote)
		}
		return s
	})
}

// folders makes a parameter of each folder that is written out. What lies in
// one moves along with it.
func (f *finder) folders() {
	written, read := f.literals("folder", true), f.literals("folder", false)
	for _, folder := range f.moveTargets() {
		written = appendNew(written, folder)
	}
	n := 0
	for _, folder := range written {
		n++
		f.folder(Param{Name: numbered(folderName, n), Kind: Folder, Value: folder})
	}
	n = 0
	for _, folder := range read {
		if f.valued(folder) {
			continue
		}
		n++
		f.folder(Param{Name: numbered(fromFolder, n), Kind: Folder, Value: folder})
	}
}

func (f *finder) folder(p Param) {
	f.try(p, func(s string, a arg) string {
		switch {
		case s == p.Value && (a.path == "folder" || a.name == "exclude"):
			return parameter(p.Name)
		case s == p.Value+"/" && a.path != "", a.path != "" && a.path != "folder" && strings.HasPrefix(s, p.Value+"/"):
			return parameter(p.Name) + s[len(p.Value):]
		}
		return s
	})
}

// moveTargets lists the folders that notes are moved into: paths that end in a
// slash.
func (f *finder) moveTargets() []string {
	var out []string
	f.rewrite(func(s string, a arg) string {
		if folder, ok := strings.CutSuffix(s, "/"); ok && a.path == "new" && plain(folder) {
			out = appendNew(out, folder)
		}
		return s
	})
	return out
}

// notes makes a parameter of each other note that is written out.
func (f *finder) notes() {
	n := 0
	for _, name := range f.literals("existing", true, false) {
		if f.valued(name) {
			continue
		}
		n++
		p := Param{Name: numbered(noteName, n), Kind: Note, Value: name}
		f.try(p, func(s string, a arg) string {
			if s == name && a.path != "folder" {
				return parameter(p.Name)
			}
			return s
		})
	}
}

var isoDate = regex.Lazy(`(^|[^0-9A-Za-z\\-])([12][0-9]{3}-[01][0-9]-[0-3][0-9])($|[^0-9A-Za-z-])`)

// dates makes the day of the run ${date} wherever it stands, and a parameter of
// every other day that stands for itself.
func (f *finder) dates() {
	if f.from.Date != "" {
		f.try(Param{Name: Today, Kind: Date}, func(s string, _ arg) string {
			return isoDate().ReplaceAllStringFunc(s, func(m string) string {
				return strings.Replace(m, f.from.Date, parameter(Today), 1)
			})
		})
	}
	var found []string
	f.rewrite(func(s string, _ arg) string {
		if m := isoDate().FindStringSubmatch(s); m != nil && m[0] == s {
			found = appendNew(found, s)
		}
		return s
	})
	for i, day := range found {
		p := Param{Name: numbered(otherDate, i+1), Kind: Date, Value: day}
		f.try(p, func(s string, _ arg) string {
			if s == day {
				return parameter(p.Name)
			}
			return s
		})
	}
}

// literals lists what is written out in path arguments of a kind, of tools that
// write or do not.
func (f *finder) literals(kind string, writes ...bool) []string {
	var out []string
	for i := range f.t.Steps {
		s := &f.t.Steps[i]
		e, err := f.reg.Get(toolName(s), s.Version)
		if err != nil {
			continue
		}
		for _, want := range writes {
			if (e.SideEffects.Risk() != tool.ReadOnly) != want {
				continue
			}
			for _, name := range sortedKeys(s.Args) {
				v, ok := s.Args[name].(string)
				if ok && e.PathArgs()[name] == kind && plain(v) {
					out = appendNew(out, v)
				}
			}
		}
	}
	return out
}

// plain says whether a path is written out, without references.
func plain(p string) bool { return p != "" && p != "/" && !strings.ContainsAny(p, "{$\\") }

// valued says whether a parameter has the value already.
func (f *finder) valued(value string) bool {
	for _, p := range f.params {
		if p.Value == value {
			return true
		}
	}
	return false
}

func numbered(name string, n int) string {
	if n == 1 {
		return name
	}
	return name + strconv.Itoa(n)
}

// Was is the name of what a parameter had at first, for its field: the last
// part of a path without ".md".
func (p Param) Was() string { return strings.TrimSuffix(path.Base(p.Value), ".md") }
