package journal

import (
	"context"

	"embedded-agent/wasm/internal/host"
)

// Settle finds out what became of each write that has no outcome after a crash,
// and undoes half-made ones. It says that a write was not made only where that
// is certain: a revert looks at the others again, and takes back what is there
// of them.
//
// Writes wait for a move, and for whatever concerns a whole folder, and these
// wait for the writes before them. So the journal is a row of stretches, and the
// crash came in one of them: all before it had ended, none after it had begun.
// Which one it was, the names and bytes that are there now say (world.go).
//
// It looks once. After what it found was written down, a taking back or the rest of
// the run may have begun, and what these have put there is no sign of the run
// (see Late for what lands after that).
func (l *Log) Settle(ctx context.Context, v host.Vault) error {
	s := &settler{l: l, v: v, sights: map[string]sight{}}
	s.split()
	if len(s.rows) == 0 || l.settled > 0 {
		return nil
	}
	at, w, err := s.find(ctx)
	if err != nil {
		return err
	}
	for _, r := range s.rows[:at] {
		if err := s.ended(ctx, r, w); err != nil {
			return err
		}
	}
	if at == len(s.rows) {
		return nil
	}
	return s.broken(ctx, s.rows[at])
}

// row is a stretch of the journal: one write that can concern more than one
// path, or those between two such.
type row struct{ from, to int }

type settler struct {
	l      *Log
	v      host.Vault
	rows   []row // from the first one with a write that has no outcome
	sights map[string]sight
}

// split finds the stretches.
func (s *settler) split() {
	all := s.l.Entries
	for from := 0; from < len(all); {
		to := from + 1
		if !all[from].far() {
			for to < len(all) && !all[to].far() {
				to++
			}
		}
		if len(s.rows) > 0 || s.open(row{from, to}) {
			s.rows = append(s.rows, row{from, to})
		}
		from = to
	}
}

// open says whether a stretch has a write without an outcome.
func (s *settler) open(r row) bool {
	for _, e := range s.l.Entries[r.from:r.to] {
		if e.Outcome == NotReached {
			return true
		}
	}
	return false
}

// far says whether a write can concern more than one path.
func (e *Entry) far() bool {
	op := host.Op{Kind: e.Kind}
	if e.Before != "" {
		op.Before = []byte{}
	}
	return far(&op)
}

func fileWrite(e *Entry) bool {
	switch e.Kind {
	case host.OpCreate, host.OpModify:
		return true
	case host.OpTrash, host.OpRemove:
		return e.Before != ""
	}
	return false
}

// ended settles a stretch that had ended before the crash. Where what it left is
// not there any more, somebody has changed it since, or the disk had refused it.
func (s *settler) ended(ctx context.Context, r row, w *world) error {
	for i := r.from; i < r.to; i++ {
		e := &s.l.Entries[i]
		if e.Outcome != NotReached {
			continue
		}
		name := e.Path
		if e.Kind == host.OpRename {
			name = e.To
		}
		ok, err := s.holds(ctx, w, w.now(name, i))
		if err != nil {
			return err
		}
		e.Outcome = Unknown
		if ok {
			e.Outcome = Done
		}
	}
	return nil
}

// broken settles the stretch that the crash came in.
func (s *settler) broken(ctx context.Context, r row) error {
	for i := r.from; i < r.to; i++ {
		e := &s.l.Entries[i]
		if e.Outcome != NotReached || fileWrite(e) {
			continue
		}
		if err := s.whole(ctx, e); err != nil {
			return err
		}
	}
	for _, g := range s.groups(r) {
		if err := s.file(ctx, g); err != nil {
			return err
		}
	}
	return nil
}

// whole judges a move, and a folder's making or going: a disk does these as a
// whole or not at all.
func (s *settler) whole(ctx context.Context, e *Entry) error {
	here, err := s.see(ctx, e.Path)
	if err != nil {
		return err
	}
	if e.Kind != host.OpRename {
		if here.there == (e.Kind == host.OpMkdir) {
			e.Outcome = Done
		}
		return nil
	}
	to, err := s.see(ctx, e.To)
	switch {
	case err != nil:
		return err
	case to.there && !here.there:
		e.Outcome = Done
	case to.there == here.there:
		e.Outcome = Unknown
	}
	return nil
}

// groups gives the writes without an outcome of each file of a stretch, in
// order.
func (s *settler) groups(r row) [][]int {
	var out [][]int
	place := map[string]int{}
	for i := r.from; i < r.to; i++ {
		e := &s.l.Entries[i]
		if e.Outcome != NotReached || !fileWrite(e) {
			continue
		}
		k, ok := place[e.Path]
		if !ok {
			k = len(out)
			place[e.Path] = k
			out = append(out, nil)
		}
		out[k] = append(out[k], i)
	}
	return out
}

// file finds the state that a file is in, among those that its writes passed it
// through. A state that is none of them but begins one of them is a write that
// was cut short: the file gets back the bytes it had before the first of these
// writes.
func (s *settler) file(ctx context.Context, group []int) error {
	states, err := s.l.states(ctx, group)
	if err != nil {
		return err
	}
	path := s.l.Entries[group[0]].Path
	here, err := s.see(ctx, path)
	if err != nil {
		return err
	}
	now := state{here.there, here.data}
	for k := len(states) - 1; k >= 0; k-- {
		if !here.folder && now.is(states[k]) {
			s.l.outcome(group[:k], Done)
			return nil
		}
	}
	// The first state counts too: putting it back may have been cut short, by
	// another crash.
	if here.there && !here.folder && begins(now.data, states) {
		return restore(ctx, s.v, path, now.data, states[0])
	}
	// Written and edited since, or edited without being written: a revert merges,
	// and shows what cannot be merged.
	s.l.outcome(group, Unknown)
	return nil
}

// late finds the writes that were not made when they were looked for, and are
// there now, to the byte. That something is not there says nothing: its folder
// may have been moved, or be still to be moved back.
func (s *settler) late(ctx context.Context) error {
	for _, r := range s.rows {
		for _, g := range s.groups(r) {
			here, err := s.see(ctx, s.l.Entries[g[0]].Path)
			if err != nil {
				return err
			}
			for k := len(g) - 1; k >= 0; k-- {
				if e := &s.l.Entries[g[k]]; here.there && !here.folder && e.After == here.etag {
					s.l.outcome(g[:k+1], Done)
					break
				}
			}
		}
	}
	return nil
}
