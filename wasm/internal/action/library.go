package action

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/sorting"
)

// Library keeps the actions in the plugin's store, and shows those that come
// with the plugin beside them. What another device or window saves is seen the
// next time that anything is asked.
//
// That an action was seen in a run, and so need not ask, is sealed: its file
// travels with the vault, and what somebody else has put there always asks.
type Library struct {
	mu      sync.Mutex // guards what follows
	shelf   shelf
	words   map[string]*word
	kept    state
	bundled []*Action
	speaks  string // the language of the bundled actions
	took    bool   // what an earlier version has kept is taken over
}

// state holds the actions that are kept.
type state struct {
	own []*Action
	// order is the person's, by id, of own actions and bundled ones; what it
	// leaves out comes after it.
	order []string
	// hidden are bundled actions that the person took off the list.
	hidden []string
}

const (
	// The files that had all actions in one.
	libraryFile = "actions.json"
	spareFile   = "actions.new.json"
	format      = "embedded-agent/actions"
	maxImport   = 4 << 20
)

// document is that file, and the form in which actions are exported. Version 1
// had neither prompts nor groups; what it has is read the same.
type document struct {
	Format  string    `json:"format"`
	Version int       `json:"version"`
	Actions []*Action `json:"actions"`
	// Order and Hidden were only in the library's own file.
	Order  []string `json:"order,omitempty"`
	Hidden []string `json:"hidden,omitempty"`
}

const version = 2

// NewLibrary opens the library in a store.
func NewLibrary(store host.Store) *Library {
	return &Library{shelf: shelf{store: store, now: time.Now}}
}

// Speak gives the bundled actions their names in a language (BCP 47).
func (l *Library) Speak(language string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.bundled, l.speaks = nil, language
}

// List gives the actions in the person's order. Where the person gave none, own
// actions come first, as they were saved, and then the bundled ones.
func (l *Library) List(ctx context.Context) ([]*Action, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.load(ctx); err != nil {
		return nil, err
	}
	return l.listed(), nil
}

// Revision changes whenever other words on the actions are found than before.
func (l *Library) Revision() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []byte
	for _, id := range slices.Sorted(maps.Keys(l.words)) {
		all = append(all, l.words[id].raw...)
	}
	return host.Etag(all)
}

func (l *Library) listed() []*Action {
	hidden := setOf(l.kept.hidden)
	shown := slices.DeleteFunc(slices.Clone(l.bundled), func(a *Action) bool { return hidden[a.ID] })
	all := append(slices.Clone(l.kept.own), shown...)
	place := l.places()
	sorting.StableFunc(all, func(a, b *Action) int { return cmp.Compare(place(a), place(b)) })
	return all
}

// places gives where an action stands; a new one of the person's comes before
// the first bundled one.
func (l *Library) places() func(a *Action) int {
	bundled := make(map[string]bool, len(l.bundled))
	for _, a := range l.bundled {
		bundled[a.ID] = true
	}
	last := len(l.kept.order)
	at, first := make(map[string]int, last), last
	for i, id := range l.kept.order {
		if _, twice := at[id]; !twice {
			at[id] = i
		}
		if bundled[id] && first == last {
			first = i
		}
	}
	return func(a *Action) int {
		i, ordered := at[a.ID]
		switch {
		case ordered:
			return 2 * i
		case a.bundled:
			return 2 * last
		}
		return 2*first - 1
	}
}

func setOf(ids []string) map[string]bool {
	out := make(map[string]bool, len(ids))
	for _, id := range ids {
		out[id] = true
	}
	return out
}

func (l *Library) bundle(id string) *Action { return find(l.bundled, id) }

func find(list []*Action, id string) *Action {
	if i := slices.IndexFunc(list, func(a *Action) bool { return a.ID == id }); i >= 0 {
		return list[i]
	}
	return nil
}

// Hidden gives the bundled actions that the person took off the list.
func (l *Library) Hidden(ctx context.Context) ([]*Action, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.load(ctx); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(l.bundled), func(a *Action) bool { return !slices.Contains(l.kept.hidden, a.ID) }), nil
}

// Get finds an action, a hidden one too: NOT_FOUND.
func (l *Library) Get(ctx context.Context, id string) (*Action, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.load(ctx); err != nil {
		return nil, err
	}
	if a := find(l.kept.own, id); a != nil {
		return a, nil
	}
	if a := l.bundle(id); a != nil {
		return a, nil
	}
	return nil, fault.New(fault.NotFound, "error.action.missing", nil)
}

func (l *Library) load(ctx context.Context) error {
	if l.bundled == nil {
		l.bundled = Bundled(l.speaks)
	}
	if !l.took {
		if err := l.shelf.takeOver(ctx); err != nil {
			return err
		}
		l.took = true
	}
	words, err := l.shelf.read(ctx)
	if err != nil {
		return err
	}
	l.words, l.kept = words, stateOf(words)
	l.distrust(l.kept.own)
	return nil
}

// change applies an edit and keeps the result.
func (l *Library) change(ctx context.Context, edit func(*state) error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.load(ctx); err != nil {
		return err
	}
	next := state{slices.Clone(l.kept.own), slices.Clone(l.kept.order), slices.Clone(l.kept.hidden)}
	if err := edit(&next); err != nil {
		return err
	}
	l.seal(next.own, l.kept.own)
	if err := l.shelf.keep(ctx, &l.kept, &next, l.words); err != nil {
		return err
	}
	return l.load(ctx)
}

func encode(d document) ([]byte, error) {
	d.Format, d.Version = format, version
	if d.Actions == nil {
		d.Actions = []*Action{}
	}
	return indented(d)
}

// Put keeps an action: in place of the one with its id, else as a new one. A
// name that another one has is refused, and so is a change of a bundled one.
func (l *Library) Put(ctx context.Context, a *Action) error {
	a.Name = strings.TrimSpace(a.Name)
	if err := a.check(); err != nil {
		return err
	}
	return l.change(ctx, func(s *state) error {
		switch i := slices.IndexFunc(s.own, func(x *Action) bool { return x.ID == a.ID }); {
		case l.bundle(a.ID) != nil:
			return fault.New(fault.Precondition, "error.action.bundled", nil)
		case l.taken(s, a.Name, a.ID):
			return fault.New(fault.Conflict, "error.action.taken", fault.P{"name": a.Name})
		case i >= 0:
			s.own[i] = a
		default:
			s.own = append(s.own, a)
		}
		return nil
	})
}

// Order keeps the person's order. Ids that are not there are left out.
func (l *Library) Order(ctx context.Context, ids []string) error {
	return l.change(ctx, func(s *state) error {
		s.order = nil
		there := make(map[string]bool, len(s.own)+len(l.bundled))
		for _, a := range s.own {
			there[a.ID] = true
		}
		for _, a := range l.bundled {
			there[a.ID] = true
		}
		for _, id := range ids {
			if there[id] {
				s.order = append(s.order, id)
				there[id] = false // each once
			}
		}
		return nil
	})
}

// Rename gives an action another name.
func (l *Library) Rename(ctx context.Context, id, name string) error {
	name = strings.TrimSpace(name)
	return l.change(ctx, func(s *state) error {
		switch i := slices.IndexFunc(s.own, func(a *Action) bool { return a.ID == id }); {
		case name == "":
			return fault.New(fault.Validation, "error.action.name", nil)
		case l.bundle(id) != nil:
			return fault.New(fault.Precondition, "error.action.bundled", nil)
		case i < 0:
			return fault.New(fault.NotFound, "error.action.missing", nil)
		case l.taken(s, name, id):
			return fault.New(fault.Conflict, "error.action.taken", fault.P{"name": name})
		default:
			renamed := *s.own[i]
			renamed.Name = name
			s.own[i] = &renamed
		}
		return nil
	})
}

// Remove deletes an action, or hides a bundled one; one that is gone is removed
// already.
func (l *Library) Remove(ctx context.Context, id string) error {
	return l.change(ctx, func(s *state) error {
		if l.bundle(id) != nil {
			s.hidden = appendNew(s.hidden, id)
			return nil
		}
		s.own = slices.DeleteFunc(s.own, func(a *Action) bool { return a.ID == id })
		s.order = slices.DeleteFunc(s.order, func(x string) bool { return x == id })
		return nil
	})
}

// Restore shows a bundled action that was hidden.
func (l *Library) Restore(ctx context.Context, id string) error {
	return l.change(ctx, func(s *state) error {
		if l.bundle(id) == nil {
			return fault.New(fault.NotFound, "error.action.missing", nil)
		}
		s.hidden = slices.DeleteFunc(s.hidden, func(x string) bool { return x == id })
		return nil
	})
}

// taken says whether another action than the one with this id has the name.
func (l *Library) taken(s *state, name, except string) bool {
	has := func(a *Action) bool { return a.ID != except && strings.EqualFold(a.Name, name) }
	return slices.ContainsFunc(s.own, has) || slices.ContainsFunc(l.bundled, has)
}

// Free gives the name, with a number behind it where another action has it.
func (l *Library) Free(ctx context.Context, name string) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.load(ctx)
	return l.names(&l.kept).free(strings.TrimSpace(name)), err
}

// names gives the names that are taken.
func (l *Library) names(s *state) *names {
	n := &names{taken: make(map[string]bool, len(s.own)), next: map[string]int{}}
	for _, list := range [][]*Action{s.own, l.bundled} {
		for _, a := range list {
			n.take(a.Name)
		}
	}
	return n
}
