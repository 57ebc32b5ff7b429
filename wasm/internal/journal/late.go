package journal

import (
	"context"
	"fmt"
	"strings"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/vaultpath"
)

// Sights says in one text how far the journal goes, and what is at the paths of the
// writes that have no outcome: where two are the same, nothing was written
// meanwhile.
func (l *Log) Sights(ctx context.Context, v host.Vault) (string, error) {
	s := &settler{l: l, v: v, sights: map[string]sight{}}
	var b strings.Builder
	fmt.Fprintf(&b, "%d writes, hot %t\n", len(l.Entries), l.Hot())
	for i := range l.Entries {
		e := &l.Entries[i]
		if e.Outcome != NotReached {
			continue
		}
		for _, path := range []string{e.Path, e.To} {
			if path == "" {
				continue
			}
			it, err := s.see(ctx, path)
			if err != nil {
				return "", err
			}
			b.WriteString(path + "\x00" + it.etag)
			if it.there {
				b.WriteString(" there")
			}
			b.WriteByte('\n')
		}
	}
	return b.String(), nil
}

// Late finds writes that were not made when Settle looked, and have landed since,
// after the run was taken back whole: then its paths are as they were before it,
// and what is there of a write came late. It says whether it has found any, which
// are to be taken back as well.
//
// Only a write that is the first of its path, and of the folders above it, is
// judged by what is not there: of the others nobody can say what the ones before
// them had left.
func (l *Log) Late(ctx context.Context, v host.Vault) (bool, error) {
	s := &settler{l: l, v: v, sights: map[string]sight{}}
	s.split()
	before := l.made()
	if err := s.late(ctx); err != nil {
		return false, err
	}
	touched := map[string]bool{}
	for i := range l.Entries {
		e := &l.Entries[i]
		first := !above(touched, e.Path) && !above(touched, e.To)
		touched[e.Path], touched[e.To] = true, true
		if e.Outcome != NotReached || !first {
			continue
		}
		came, err := s.came(ctx, e)
		if err != nil {
			return false, err
		}
		if came {
			e.Outcome = Done
		}
	}
	return l.made() > before, nil
}

// above says whether a path, or a folder above it, is among some.
func above(some map[string]bool, path string) bool {
	for ; path != ""; path = vaultpath.Parent(path) {
		if some[path] {
			return true
		}
	}
	return false
}

// came says whether the first write of its path has been made.
func (s *settler) came(ctx context.Context, e *Entry) (bool, error) {
	here, err := s.see(ctx, e.Path)
	if err != nil {
		return false, err
	}
	switch e.Kind {
	case host.OpMkdir:
		return here.folder, nil
	case host.OpTrash, host.OpRemove, host.OpRmdir:
		return !here.there, nil
	case host.OpRename:
		to, err := s.see(ctx, e.To)
		return to.there && !here.there, err
	}
	return false, nil
}

// made counts the writes that were made.
func (l *Log) made() int {
	n := 0
	for i := range l.Entries {
		if l.Entries[i].Made() {
			n++
		}
	}
	return n
}
