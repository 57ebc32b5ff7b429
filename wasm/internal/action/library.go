package action

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"sync"

	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
)

// Library keeps the actions in the plugin's store. A write goes to a second
// file first, so that a crash in the middle of one leaves the other whole.
type Library struct {
	store host.Store
	mu    sync.Mutex
	list  []*Action
	read  bool
}

const (
	libraryFile = "actions.json"
	spareFile   = "actions.new.json"
	format      = "embedded-agent/actions"
	maxImport   = 4 << 20
)

// document is the file, and the form in which actions are exported.
type document struct {
	Format  string    `json:"format"`
	Version int       `json:"version"`
	Actions []*Action `json:"actions"`
}

// NewLibrary opens the library in a store.
func NewLibrary(store host.Store) *Library { return &Library{store: store} }

// List gives the actions in the person's order.
func (l *Library) List(ctx context.Context) ([]*Action, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.load(ctx); err != nil {
		return nil, err
	}
	return slices.Clone(l.list), nil
}

// Get finds an action: NOT_FOUND.
func (l *Library) Get(ctx context.Context, id string) (*Action, error) {
	list, err := l.List(ctx)
	if err != nil {
		return nil, err
	}
	for _, a := range list {
		if a.ID == id {
			return a, nil
		}
	}
	return nil, fault.New(fault.NotFound, "error.action.missing", nil)
}

func (l *Library) load(ctx context.Context) error {
	if l.read {
		return nil
	}
	for _, name := range []string{libraryFile, spareFile} {
		b, err := l.store.Read(ctx, name)
		if fault.Is(err, fault.NotFound) {
			continue
		} else if err != nil {
			return err
		}
		var d document
		if json.Unmarshal(b, &d) == nil && d.Format == format {
			l.list, l.read = d.Actions, true
			return nil
		}
	}
	l.read = true
	return nil
}

// change applies an edit and keeps the result.
func (l *Library) change(ctx context.Context, edit func([]*Action) ([]*Action, error)) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.load(ctx); err != nil {
		return err
	}
	list, err := edit(slices.Clone(l.list))
	if err != nil {
		return err
	}
	b, err := encode(list)
	if err != nil {
		return err
	}
	for _, name := range []string{spareFile, libraryFile} {
		if err := l.store.Write(ctx, name, b); err != nil {
			return fault.New(fault.Internal, "error.action.store", nil).With(err)
		}
	}
	l.list = list
	return nil
}

func encode(list []*Action) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	err := e.Encode(document{format, 1, list})
	return b.Bytes(), err
}

// Add keeps an action; one of the same name is refused.
func (l *Library) Add(ctx context.Context, a *Action) error {
	return l.change(ctx, func(list []*Action) ([]*Action, error) {
		if taken(list, a.Name, "") {
			return nil, fault.New(fault.Conflict, "error.action.taken", fault.P{"name": a.Name})
		}
		return append(list, a), nil
	})
}

// Rename gives an action another name.
func (l *Library) Rename(ctx context.Context, id, name string) error {
	name = strings.TrimSpace(name)
	return l.change(ctx, func(list []*Action) ([]*Action, error) {
		switch i := slices.IndexFunc(list, func(a *Action) bool { return a.ID == id }); {
		case name == "":
			return nil, fault.New(fault.Validation, "error.action.name", nil)
		case i < 0:
			return nil, fault.New(fault.NotFound, "error.action.missing", nil)
		case taken(list, name, id):
			return nil, fault.New(fault.Conflict, "error.action.taken", fault.P{"name": name})
		default:
			renamed := *list[i]
			renamed.Name = name
			list[i] = &renamed
		}
		return list, nil
	})
}

// Remove deletes an action; one that is gone is removed already.
func (l *Library) Remove(ctx context.Context, id string) error {
	return l.change(ctx, func(list []*Action) ([]*Action, error) {
		return slices.DeleteFunc(list, func(a *Action) bool { return a.ID == id }), nil
	})
}

func taken(list []*Action, name, except string) bool {
	return slices.ContainsFunc(list, func(a *Action) bool { return a.ID != except && strings.EqualFold(a.Name, name) })
}

// Export gives the named actions (all, when none is named) as a document.
func (l *Library) Export(ctx context.Context, ids []string) ([]byte, error) {
	list, err := l.List(ctx)
	if err != nil {
		return nil, err
	}
	var out []*Action
	for _, a := range list {
		if len(ids) == 0 || slices.Contains(ids, a.ID) {
			plain := *a
			plain.Trusted = false
			out = append(out, &plain)
		}
	}
	return encode(out)
}

// Parse reads an exported document. Nothing in it is trusted; a plan that does
// not decode is VALIDATION_ERROR.
func Parse(raw []byte) ([]*Action, error) {
	if len(raw) > maxImport {
		return nil, fault.New(fault.Validation, "error.action.tooLarge", nil)
	}
	if err := canon.CheckDepth(raw); err != nil {
		return nil, err
	}
	var d document
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&d); err != nil || d.Format != format {
		return nil, fault.New(fault.Validation, "error.action.notAnExport", nil).With(err)
	}
	for _, a := range d.Actions {
		if a == nil || strings.TrimSpace(a.Name) == "" {
			return nil, fault.New(fault.Validation, "error.action.name", nil)
		}
		a.Trusted = false
		if _, err := a.Template(); err != nil {
			return nil, err
		}
	}
	return d.Actions, nil
}

// Import keeps parsed actions under new ids; a taken name gets a number.
func (l *Library) Import(ctx context.Context, actions []*Action, newID func() string) error {
	return l.change(ctx, func(list []*Action) ([]*Action, error) {
		for _, a := range actions {
			a.ID = newID()
			a.Name = free(list, a.Name)
			list = append(list, a)
		}
		return list, nil
	})
}

func free(list []*Action, name string) string {
	if !taken(list, name, "") {
		return name
	}
	for n := 2; ; n++ {
		if try := name + " (" + strconv.Itoa(n) + ")"; !taken(list, try, "") {
			return try
		}
	}
}
