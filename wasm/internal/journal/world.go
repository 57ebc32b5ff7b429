package journal

import (
	"context"
	"maps"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
)

// What can be expected at a path, beside an etag.
const (
	absent  = ""
	present = "?" // something: its bytes are not known
	folder  = "/"
)

// world has the expected state of the paths that some writes name: as it was before
// them, and then as they leave it, one after the other.
type world struct {
	at    map[string]string
	moves []made // in order
	// free are the paths that were being written when the crash came: true where a
	// path is as one of those writes, or half of one, leaves it.
	free map[string]bool
}

// made is a move, by its place in the journal.
type made struct {
	i        int
	from, to string
}

// now gives where what was at a path when write i was made is left.
func (w *world) now(path string, i int) string {
	for _, m := range w.moves {
		if m.i <= i {
			continue
		}
		if rest, ok := below(path, m.from); ok {
			path = m.to + rest
		}
	}
	return path
}

// was gives where what is at a path came from.
func (w *world) was(path string) string {
	for _, m := range slices.Backward(w.moves) {
		if rest, ok := below(path, m.to); ok {
			path = m.from + rest
		}
	}
	return path
}

// make makes a write.
func (w *world) make(i int, e *Entry) {
	switch e.Kind {
	case host.OpCreate, host.OpModify:
		w.at[e.Path] = e.After
	case host.OpMkdir:
		w.at[e.Path] = folder
	case host.OpTrash, host.OpRemove, host.OpRmdir:
		for _, name := range slices.Sorted(maps.Keys(w.at)) {
			if _, ok := below(name, e.Path); ok {
				w.at[name] = absent
			}
		}
	case host.OpRename:
		for _, name := range slices.Sorted(maps.Keys(w.at)) {
			if _, ok := below(name, e.To); ok {
				delete(w.at, name) // what comes there, only a later write may say
			}
		}
		for _, name := range slices.Sorted(maps.Keys(w.at)) {
			if rest, ok := below(name, e.Path); ok {
				w.at[e.To+rest] = w.at[name]
				w.at[name] = absent
			}
		}
		w.moves = append(w.moves, made{i, e.Path, e.To})
	}
}

// below gives what comes after folder in a path that is it or lies in it.
func below(path, folder string) (string, bool) {
	rest, ok := strings.CutPrefix(path, folder)
	return rest, ok && (rest == "" || rest[0] == '/')
}

// before gives the world before the first of the stretches, as far as the writes
// in them say what they found.
func (s *settler) before() map[string]string {
	first := map[string]string{}
	w := &world{at: map[string]string{}}
	for i := s.rows[0].from; i < len(s.l.Entries); i++ {
		e := &s.l.Entries[i]
		if e.Outcome == Failed {
			continue
		}
		mention(first, w, e.Path, e.found())
		if e.Kind == host.OpRename {
			mention(first, w, e.To, absent)
		}
		w.make(i, e)
	}
	return first
}

// mention notes what was at a path before all writes, where it is named for the
// first time.
func mention(first map[string]string, w *world, path, found string) {
	if _, ok := w.at[path]; ok {
		return
	}
	w.at[path] = found
	was := w.was(path)
	if _, ok := first[was]; !ok {
		first[was] = found
	}
}

// found gives the etag of the bytes that a write found at its path.
func (e *Entry) found() string {
	switch {
	case e.Kind == host.OpRename:
		return present
	case e.Kind == host.OpRmdir || (e.Kind == host.OpTrash || e.Kind == host.OpRemove) && e.Before == "":
		return folder
	}
	return e.Before
}

// sight is a look at a path as it is now.
type sight struct {
	there, folder bool
	data          []byte
	etag          string
}

// see looks at a path, once.
func (s *settler) see(ctx context.Context, path string) (sight, error) {
	if it, ok := s.sights[path]; ok {
		return it, nil
	}
	var it sight
	info, err := s.v.Stat(ctx, path)
	switch {
	case fault.Is(err, fault.NotFound):
	case err != nil:
		return it, err
	case info.Kind == host.Folder:
		it = sight{there: true, folder: true}
	default:
		data, there, err := readIf(ctx, s.v, path)
		if err != nil {
			return it, err
		}
		it = sight{there: there, data: data}
		if there {
			it.etag = host.Etag(data)
		}
	}
	s.sights[path] = it
	return it, nil
}

// holds says whether a path is as it is expected to be.
func (s *settler) holds(ctx context.Context, w *world, path string) (bool, error) {
	if fits, ok := w.free[path]; ok {
		return fits, nil
	}
	expected, named := w.at[path]
	if !named {
		return true, nil
	}
	it, err := s.see(ctx, path)
	if err != nil {
		return false, err
	}
	switch expected {
	case absent:
		return !it.there, nil
	case present:
		return it.there, nil
	case folder:
		return it.folder, nil
	}
	return it.there && !it.folder && it.etag == expected, nil
}

// find gives the stretch that the crash came in (their number, where all had
// ended), and the world before it: the one that what is there contradicts least.
// Where two are as good, the later: a revert takes back what is there of a write
// that was not made, which is nothing.
func (s *settler) find(ctx context.Context) (int, *world, error) {
	first, least := s.before(), -1
	var at int
	var found *world
	for k := s.known(); k <= len(s.rows); k++ {
		w := &world{at: maps.Clone(first)}
		for i := s.rows[0].from; i < len(s.l.Entries); i++ {
			e := &s.l.Entries[i]
			ended := k == len(s.rows) || i < s.rows[k].from
			if e.Outcome != Failed && (ended || e.Made()) {
				w.make(i, e)
			}
		}
		n, err := s.contradictions(ctx, k, w)
		if err != nil {
			return 0, nil, err
		}
		if least < 0 || n <= least {
			at, found, least = k, w, n
		}
	}
	return at, found, nil
}

// known gives the last stretch that a recorded outcome is of: the crash did not
// come before it.
func (s *settler) known() int {
	for k, r := range slices.Backward(s.rows) {
		for _, e := range s.l.Entries[r.from:r.to] {
			if e.Outcome != NotReached {
				return k
			}
		}
	}
	return 0
}

// contradictions counts the paths that are not as they would be, had the crash
// come in a stretch. What that one writes may be before it, after it, or cut
// short.
func (s *settler) contradictions(ctx context.Context, k int, w *world) (int, error) {
	n := 0
	w.free = map[string]bool{}
	if k < len(s.rows) && !s.l.Entries[s.rows[k].from].far() {
		for _, g := range s.groups(s.rows[k]) {
			ok, err := s.fits(ctx, g)
			if err != nil {
				return 0, err
			}
			w.free[s.l.Entries[g[0]].Path] = ok
			if !ok {
				n++
			}
		}
		for _, e := range s.l.Entries[s.rows[k].from:s.rows[k].to] {
			if e.Kind == host.OpMkdir && e.Outcome == NotReached {
				w.free[e.Path] = true
			}
		}
	}
	for _, path := range slices.Sorted(maps.Keys(w.at)) {
		if _, ok := w.free[path]; ok {
			continue
		}
		ok, err := s.holds(ctx, w, path)
		if err != nil {
			return 0, err
		}
		if !ok {
			n++
		}
	}
	return n, nil
}

// fits says whether a file is in one of the states that some writes pass it
// through, or begins one: the first of them too, since putting it back may have been
// cut short by another crash.
func (s *settler) fits(ctx context.Context, group []int) (bool, error) {
	it, err := s.see(ctx, s.l.Entries[group[0]].Path)
	if err != nil || it.folder {
		return false, err
	}
	for k, i := range group {
		e := &s.l.Entries[i]
		if k == 0 && isOf(it, e.Before) || isOf(it, e.After) {
			return true, nil
		}
	}
	if !it.there {
		return false, nil
	}
	states, err := s.l.states(ctx, group)
	return err == nil && begins(it.data, states), err
}

// isOf says whether the file with an etag is there; no file where it is empty.
func isOf(it sight, etag string) bool {
	return it.there == (etag != "") && it.etag == etag
}
