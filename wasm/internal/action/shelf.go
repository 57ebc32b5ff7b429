package action

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
)

// shelf is the folder of actions in the store: one file for each, so that what two
// devices save does not meet in one file. Of several files that speak of the same
// action (the copy that a sync leaves where two devices changed it, the second
// file of a write that a crash cut short) the latest word holds. A deletion is a
// word too.
type shelf struct {
	store host.Store
	now   func() time.Time
	files map[string]shelved // by path, as they were last read
	last  int64              // the latest time that any of them tells
}

// shelved is a file as it was last read.
type shelved struct {
	info host.Info
	word *word // nil where it says nothing that can be understood
}

// word is one statement of a file about one action, or about their order.
type word struct {
	Format  string  `json:"format"`
	Version int     `json:"version"`
	ID      string  `json:"id"`
	At      int64   `json:"at"`             // when it was said, in ms since 1970
	Made    int64   `json:"made,omitempty"` // when the action was first kept
	Deleted bool    `json:"deleted,omitempty"`
	Hidden  bool    `json:"hidden,omitempty"` // of a bundled action
	Action  *Action `json:"action,omitempty"`
	// Order is the person's order; only the word of the id orderID has it.
	Order []string `json:"order,omitempty"`

	raw []byte
}

const (
	shelfFolder = "actions"
	wordFormat  = "embedded-agent/action"
	orderID     = "order"
	// spareEnd is the end of the file that is written before a word is replaced.
	spareEnd = ".new.json"
)

// read gives the latest word on each id. It reads what is new or has changed
// since, also from outside.
func (s *shelf) read(ctx context.Context) (map[string]*word, error) {
	list, err := s.store.List(ctx, shelfFolder)
	if err != nil {
		return nil, err
	}
	next := make(map[string]shelved, len(list))
	latest := map[string]*word{}
	for _, info := range list {
		if info.Kind != host.File || !strings.HasSuffix(info.Path, ".json") {
			continue
		}
		f, ok := s.files[info.Path]
		if !ok || f.info != info || info.MTime == 0 { // 0: the host does not know
			b, err := s.store.Read(ctx, info.Path)
			if fault.Is(err, fault.NotFound) {
				continue
			} else if err != nil {
				return nil, err
			}
			f = shelved{info, parseWord(b)}
		}
		next[info.Path] = f
		if w := f.word; w != nil {
			s.last = max(s.last, w.At)
			if old := latest[w.ID]; old == nil || w.after(old) {
				latest[w.ID] = w
			}
		}
	}
	s.files = next
	return latest, nil
}

// parseWord reads a file; nil where it is torn, or of something else.
func parseWord(b []byte) *word {
	var w word
	if json.Unmarshal(b, &w) != nil || w.Format != wordFormat || w.ID == "" {
		return nil
	}
	if w.Action != nil && w.Action.ID != w.ID {
		return nil
	}
	w.raw = b
	return &w
}

// after says whether a word holds against another one: the later one; of two at
// the same time every device takes the same.
func (w *word) after(o *word) bool {
	if w.At != o.At {
		return w.At > o.At
	}
	return bytes.Compare(w.raw, o.raw) > 0
}

// stamp gives a time for a new word: later than any that was read, whatever the
// clocks of other devices say.
func (s *shelf) stamp() int64 {
	s.last = max(s.now().UnixMilli(), s.last+1)
	return s.last
}

// write says a word. Where there is an older one, a second file comes first, so
// that a crash in the middle of one leaves the other whole.
func (s *shelf) write(ctx context.Context, w, older *word) error {
	w.Format, w.Version = wordFormat, 1
	b, err := indented(w)
	if err != nil {
		return err
	}
	path := shelfFolder + "/" + fileName(w.ID)
	ends := []string{".json"}
	if older != nil {
		ends = []string{spareEnd, ".json"}
	}
	for _, end := range ends {
		if err := s.store.Write(ctx, path+end, b); err != nil {
			return fault.New(fault.Internal, "error.action.store", nil).With(err)
		}
		delete(s.files, path+end)
	}
	if older == nil {
		return nil
	}
	// A second file that stays says the same.
	if err := s.store.Remove(ctx, path+spareEnd); err != nil {
		return fault.New(fault.Internal, "error.action.store", nil).With(err)
	}
	return nil
}

// fileName gives the name of an action's file: its id, where that can be one.
func fileName(id string) string {
	fits := len(id) <= 80 && id[0] != '.' && !strings.ContainsFunc(id, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789-._", r)
	})
	if fits {
		return id
	}
	return "id-" + host.Etag([]byte(id))[:32]
}

// stateOf gives what the words say.
func stateOf(words map[string]*word) state {
	var own []*word
	var s state
	for id, w := range words {
		switch {
		case id == orderID:
			s.order = w.Order
		case w.Hidden:
			s.hidden = append(s.hidden, id)
		case w.Action != nil && !w.Deleted:
			own = append(own, w)
		}
	}
	slices.Sort(s.hidden)
	slices.SortFunc(own, func(a, b *word) int { return cmp.Or(cmp.Compare(a.Made, b.Made), strings.Compare(a.ID, b.ID)) })
	for _, w := range own {
		s.own = append(s.own, w.Action)
	}
	return s
}

// keep writes down what has changed from one state to the next.
func (s *shelf) keep(ctx context.Context, old, next *state, words map[string]*word) error {
	was, is := byID(old.own), byID(next.own)
	for _, a := range next.own {
		if was[a.ID] == a {
			continue
		}
		w := &word{ID: a.ID, At: s.stamp(), Action: a}
		w.Made = w.At
		if known := words[a.ID]; known != nil && !known.Deleted && known.Made != 0 {
			w.Made = known.Made
		}
		if err := s.write(ctx, w, words[a.ID]); err != nil {
			return err
		}
	}
	for _, a := range old.own {
		if is[a.ID] == nil {
			if err := s.write(ctx, &word{ID: a.ID, At: s.stamp(), Deleted: true}, words[a.ID]); err != nil {
				return err
			}
		}
	}
	for _, id := range slices.Concat(old.hidden, next.hidden) {
		hidden := slices.Contains(next.hidden, id)
		if hidden != slices.Contains(old.hidden, id) {
			if err := s.write(ctx, &word{ID: id, At: s.stamp(), Hidden: hidden}, words[id]); err != nil {
				return err
			}
		}
	}
	if slices.Equal(old.order, next.order) {
		return nil
	}
	return s.write(ctx, &word{ID: orderID, At: s.stamp(), Order: next.order}, words[orderID])
}

func byID(list []*Action) map[string]*Action {
	out := make(map[string]*Action, len(list))
	for _, a := range list {
		out[a.ID] = a
	}
	return out
}

// takeOver brings the one file that had all actions into files of their own. It
// says nothing where there is a word already, and the times are the earliest
// there are: two devices that take it over say the same, and whatever was said
// since holds. The file goes when all of it is found again.
func (s *shelf) takeOver(ctx context.Context) error {
	for _, name := range []string{libraryFile, spareFile} {
		b, err := s.store.Read(ctx, name)
		if fault.Is(err, fault.NotFound) {
			continue
		} else if err != nil {
			return err
		}
		var d document
		if json.Unmarshal(b, &d) != nil || d.Format != format {
			continue // torn: the other one is whole
		}
		var all []*word
		for i, a := range d.Actions {
			if a != nil && a.ID != "" {
				all = append(all, &word{ID: a.ID, At: int64(i + 1), Made: int64(i + 1), Action: a})
			}
		}
		for _, id := range d.Hidden {
			all = append(all, &word{ID: id, At: 1, Hidden: true})
		}
		if len(d.Order) > 0 {
			all = append(all, &word{ID: orderID, At: 1, Order: d.Order})
		}
		if err := s.takeAll(ctx, all); err != nil {
			return err
		}
		for _, old := range []string{libraryFile, spareFile} {
			if err := s.store.Remove(ctx, old); err != nil {
				return fault.New(fault.Internal, "error.action.store", nil).With(err)
			}
		}
		return nil
	}
	return nil
}

// takeAll says each word that nothing is said of yet, and looks that all are
// there.
func (s *shelf) takeAll(ctx context.Context, all []*word) error {
	known, err := s.read(ctx)
	if err != nil {
		return err
	}
	for _, w := range all {
		if known[w.ID] == nil {
			if err := s.write(ctx, w, nil); err != nil {
				return err
			}
		}
	}
	s.files = nil
	if known, err = s.read(ctx); err != nil {
		return err
	}
	for _, w := range all {
		if known[w.ID] == nil {
			return fault.New(fault.Internal, "error.action.store", nil)
		}
	}
	return nil
}

func indented(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return b.Bytes(), err
}
