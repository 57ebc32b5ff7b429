package journal

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/text"
)

// Fate says how a revert treats one write of the run.
type Fate int

// The fates. Each write of a run has one of them, and each that was made, or
// may have been, one of the last five: a revert has no other way to end.
const (
	NotMade    Fate = iota
	NotAsked        // of a path that the revert is not of
	Restored        // its path is as it was before the write, now or already
	Merged          // taken out of a note that was edited since
	Conflicted      // the person must choose
	Kept            // left as it is, since the person chose so or a folder is in use
	Gone            // what it wrote is not there any more: deleted or moved away since
)

// Made reports whether a write was made, or may have been.
func (e *Entry) Made() bool { return e.Outcome != Failed && e.Outcome != NotReached }

// undo is one write to take back: those of the journal that it stands for, and
// what the file was before it, under which names.
type undo struct {
	Planned
	entries []int
	unknown bool // it may not have been made
	earlier []held
	passed  []string // the etags between its writes: the last ones may be taken back already
	// bases are the states that the run may have left the file in, the last one at the
	// end: more than one where nobody knows which of its last writes were made.
	bases [][]byte
}

// reach notes that the file may be, or is, as a write leaves it.
func (u *undo) reach(p *Planned, unknown bool) {
	switch {
	case !unknown:
		u.bases = nil
	case len(u.bases) == 0 && p.Op.Kind == host.OpModify:
		u.bases = append(u.bases, p.Op.Before)
	}
	u.bases = append(u.bases, p.Op.Data)
}

// base gives the state of the run's that is nearest to a text, by the lines that
// differ: the text was edited there. Between two that are as near it is the later:
// then more is taken back.
func (u *undo) base(now []byte) []byte {
	best, least := u.Op.Data, -1
	if len(u.bases) < 2 || !text.Is(now) {
		return best
	}
	for _, b := range slices.Backward(u.bases) {
		if !text.Is(b) {
			return u.Op.Data
		}
		if n := apart(string(b), string(now)); least < 0 || n < least {
			best, least = b, n
		}
	}
	return best
}

// apart counts the lines that two texts do not have in common.
func apart(a, b string) int {
	n := 0
	for _, e := range udiff.Lines(a, b) {
		n += lineCount(a[e.Start:e.End]) + lineCount(e.New)
	}
	return n
}

func lineCount(s string) int {
	n := strings.Count(s, "\n")
	if s != "" && !strings.HasSuffix(s, "\n") {
		n++
	}
	return n
}

// held is a state that a file was in.
type held struct{ path, etag string }

// past follows the files of a run through its writes and moves.
type past struct {
	states map[string][]held // by the name that a file has at that point
}

// note gives what a file was before a write, and adds that write's own state
// before.
func (h *past) note(p *Planned) []held {
	path := p.Op.Path
	if p.Op.Kind == host.OpRename {
		for _, name := range slices.Sorted(maps.Keys(h.states)) {
			if rest, ok := below(name, path); ok {
				h.states[p.Op.To+rest] = append(h.states[p.Op.To+rest], h.states[name]...)
				delete(h.states, name)
			}
		}
		return nil
	}
	was := slices.Clone(h.states[path])
	h.states[path] = append(h.states[path], held{path, p.BeforeEtag})
	return was
}

// already says whether a file is in a state from before its write: an earlier
// revert that went further back than this one write has left it so. Now are the
// file's bytes. Where the file has moved, nothing may be left at the
// name that the write was made to.
func (r *reverter) already(ctx context.Context, u *undo, now []byte, there bool) (bool, error) {
	for _, was := range u.earlier {
		data, has := now, there
		if was.path != u.Op.Path {
			if there {
				continue
			}
			var err error
			data, has, err = readIf(ctx, r.v, was.path)
			if err != nil && !fault.Is(err, fault.Precondition) { // a folder has the name
				return false, err
			}
		}
		if has == (was.etag != "") && (!has || host.Etag(data) == was.etag) {
			return true, nil
		}
	}
	return false, nil
}

// account holds that every write of the run has been dealt with.
func (r *Report) account(l *Log, ops []undo, fates []Fate, o RevertOptions) error {
	r.Fates = make([]Fate, len(l.Entries))
	for k, u := range ops {
		for _, i := range u.entries {
			r.Fates[i] = fates[k]
		}
	}
	for i := range l.Entries {
		e := &l.Entries[i]
		switch {
		case !e.Made() || r.Fates[i] != NotMade:
		case !o.asked(e):
			r.Fates[i] = NotAsked
		case o.Undone[i]:
			r.Fates[i] = Restored
		default:
			return fault.New(fault.Internal, "error.internal", nil)
		}
	}
	return nil
}
