package journal

import (
	"bytes"
	"context"

	"embedded-agent/wasm/internal/host"
)

// Settle observes every write that has no outcome after a crash, and undoes
// half-made ones. The writes of one file are judged together: the file is in
// one of the states that they pass through, or in the middle of one.
func (l *Log) Settle(ctx context.Context, v host.Vault) error {
	groups := map[string][]int{} // file -> its writes without an outcome, in order
	moved := map[string]bool{}   // paths that a later rename, which was made, took away
	for i := len(l.Entries) - 1; i >= 0; i-- {
		e := &l.Entries[i]
		switch {
		case e.Outcome != NotReached:
		case moved[e.Path]:
			e.Outcome = Done
		case fileWrite(e):
			groups[e.Path] = append([]int{i}, groups[e.Path]...)
			continue
		default:
			if err := l.settleEntry(ctx, v, i); err != nil {
				return err
			}
		}
		if e.Kind == host.OpRename && e.Outcome == Done {
			moved[e.Path] = true
		}
	}
	for i := range l.Entries { // in the order of the run, not of the map
		if g := groups[l.Entries[i].Path]; len(g) > 0 && g[0] == i {
			if err := l.settleFile(ctx, v, g); err != nil {
				return err
			}
		}
	}
	return nil
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

// settleEntry judges a folder's making or going, and renames.
func (l *Log) settleEntry(ctx context.Context, v host.Vault, i int) error {
	e := &l.Entries[i]
	op := host.Op{Kind: e.Kind, Path: e.Path, To: e.To}
	if e.Kind == host.OpTrash {
		op.Kind = host.OpRmdir // a folder in the trash is gone
	}
	found, err := Observe(ctx, v, Planned{Op: op})
	if err != nil {
		return err
	}
	switch found {
	case After:
		e.Outcome = Done
	case Other:
		e.Outcome = Unknown
	}
	return nil
}

// state is what a file can be between writes.
type state struct {
	there bool
	data  []byte
}

func (s state) is(o state) bool { return s.there == o.there && bytes.Equal(s.data, o.data) }

// settleFile finds the state that a file is in. A state that is none of them
// but begins one of them is a write that was cut short: the file gets back the
// bytes it had before the first of these writes.
func (l *Log) settleFile(ctx context.Context, v host.Vault, group []int) error {
	states := make([]state, 0, len(group)+1)
	for k, i := range group {
		p, err := l.Write(ctx, i)
		if err != nil {
			return err
		}
		if k == 0 {
			states = append(states, state{p.Op.Kind != host.OpCreate, p.Op.Before})
		}
		after := state{}
		if p.Op.Kind == host.OpCreate || p.Op.Kind == host.OpModify {
			after = state{true, p.Op.Data}
		}
		states = append(states, after)
	}
	path := l.Entries[group[0]].Path
	data, there, err := readIf(ctx, v, path)
	if err != nil {
		return err
	}
	now := state{there, data}
	for k := len(states) - 1; k >= 0; k-- {
		if now.is(states[k]) {
			l.outcome(group[:k], Done)
			return nil
		}
	}
	// The first state counts too: putting it back may have been cut short, by
	// another crash.
	if now.there && begins(now.data, states) {
		return restore(ctx, v, path, now.data, states[0])
	}
	// Written and edited since, or edited without being written: a revert
	// merges, and shows what cannot be merged.
	l.outcome(group, Unknown)
	return nil
}

func (l *Log) outcome(group []int, o Outcome) {
	for _, i := range group {
		l.Entries[i].Outcome = o
	}
}

func begins(data []byte, states []state) bool {
	for _, s := range states {
		if s.there && bytes.HasPrefix(s.data, data) {
			return true
		}
	}
	return false
}

// restore replaces a half-written file.
func restore(ctx context.Context, v host.Vault, path string, now []byte, to state) error {
	op := host.Op{Kind: host.OpModify, Path: path, Before: now, Data: to.data}
	if !to.there {
		op = host.Op{Kind: host.OpRemove, Path: path, Before: now}
	}
	_, err := v.Apply(ctx, op)
	return err
}
