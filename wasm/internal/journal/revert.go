package journal

import (
	"bytes"
	"context"
	"slices"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/vaultpath"
)

// Report says what a revert does, or would do.
type Report struct {
	Restored  []string
	Merged    []string
	Kept      []string // left as they are, as chosen; folders that are in use
	Gone      []string // not there any more: deleted or moved away since
	Conflicts []Conflict
	Fates     []Fate // of each write of the run, by its place in the journal
}

// RevertOptions narrow and settle a revert.
type RevertOptions struct {
	Path    string // only this path; "" for all
	Choices map[string]Choice
	// Reviewed says that nothing is written before a person has seen it: also a
	// journal that was changed is read.
	Reviewed bool
	// Ahead, where set, is told the writes that are going to be taken back
	// before they are looked at, so that what they need can be read together.
	Ahead func(ctx context.Context, ops []Planned) error
	// Each, where set, gives the vault through which some writes of the run are
	// taken back as one, by their places in the journal; nil is v for all.
	Each func(entries []int) host.Vault
	// Undone are writes that earlier reverts have taken back: their journals say
	// so, whatever is there now.
	Undone map[int]bool
}

// Revert makes the writes that take a run back, last first, on v: an overlay,
// so that a revert too is seen, journaled and can be reverted. A file that
// still has its bytes from after the run gets those from before; one that was
// edited since is merged three ways; where that fails it is a Conflict. It is
// idempotent: what is as it was before is left alone.
func Revert(ctx context.Context, l *Log, v host.Vault, o RevertOptions) (*Report, error) {
	if l.Origin == Changed && !o.Reviewed {
		return nil, corrupt(l.Run)
	}
	ops, err := l.net(ctx, o)
	if err != nil {
		return nil, err
	}
	if o.Ahead != nil {
		planned := make([]Planned, len(ops))
		for i := range ops {
			planned[i] = ops[i].Planned
		}
		if err := o.Ahead(ctx, planned); err != nil {
			return nil, err
		}
	}
	r := &reverter{v: v, o: o, rep: &Report{}}
	fates := make([]Fate, len(ops))
	for i := range slices.Backward(ops) {
		if err := ctx.Err(); err != nil {
			return nil, fault.From(err)
		}
		if o.Each != nil {
			r.v = o.Each(ops[i].entries)
		}
		if fates[i], err = r.undo(ctx, &ops[i]); err != nil {
			return nil, err
		}
	}
	return r.rep, r.rep.account(l, ops, fates, o)
}

// asked says whether a write is one that a revert is of.
func (o *RevertOptions) asked(e *Entry) bool {
	return e.Made() && (o.Path == "" || e.Path == o.Path || e.To == o.Path)
}

// net gives the writes that are there of a run, those to one file that follow on
// each other folded into one.
func (l *Log) net(ctx context.Context, o RevertOptions) ([]undo, error) {
	var ops []undo
	open := map[string]int{} // path -> index in ops of a create or modify that a modify can fold into
	files := past{map[string][]held{}}
	for i := range l.Entries {
		e := &l.Entries[i]
		if !o.asked(e) {
			continue
		}
		p, err := l.Write(ctx, i)
		if err != nil {
			return nil, err
		}
		was := files.note(&p)
		at, ok := open[e.Path]
		if ok && e.Kind == host.OpModify && !o.Undone[i] {
			u := &ops[at]
			u.passed = append(u.passed, u.AfterEtag)
			u.Op.Data, u.AfterEtag, u.MTime = p.Op.Data, p.AfterEtag, p.MTime
			u.entries, u.unknown = append(u.entries, i), u.unknown && e.Outcome == Unknown
			u.reach(&p, e.Outcome == Unknown)
			continue
		}
		switch e.Kind {
		case host.OpCreate, host.OpModify:
			open[e.Path] = len(ops)
		case host.OpRename:
			clear(open) // a folder may carry any of them along
		default:
			delete(open, e.Path)
		}
		if o.Undone[i] {
			delete(open, e.Path)
			continue
		}
		u := undo{Planned: p, entries: []int{i}, unknown: e.Outcome == Unknown, earlier: was}
		u.reach(&p, u.unknown)
		ops = append(ops, u)
	}
	return ops, nil
}

type reverter struct {
	v   host.Vault
	o   RevertOptions
	rep *Report
}

func (r *reverter) undo(ctx context.Context, u *undo) (Fate, error) {
	switch u.Op.Kind {
	case host.OpCreate, host.OpModify:
		return r.undoWrite(ctx, u)
	case host.OpTrash, host.OpRemove:
		if u.BeforeEtag == "" {
			return Restored, r.makeFolder(ctx, u.Op.Path)
		}
		return r.undoTrash(ctx, u)
	case host.OpRename:
		return r.undoRename(ctx, u.Op)
	case host.OpMkdir:
		return r.dropFolder(ctx, u.Op.Path)
	case host.OpRmdir:
		return Restored, r.makeFolder(ctx, u.Op.Path)
	}
	return NotMade, fault.New(fault.Internal, "error.internal", nil)
}

// undoWrite takes back a create (before is nothing) or a modify.
func (r *reverter) undoWrite(ctx context.Context, u *undo) (Fate, error) {
	p, path := u.Planned, u.Op.Path
	now, there, err := readIf(ctx, r.v, path)
	if err != nil {
		return NotMade, err
	}
	made := p.Op.Kind == host.OpCreate
	switch {
	case there && !made && bytes.Equal(now, p.Op.Before), !there && made && u.unknown:
		return Restored, nil
	case there && (bytes.Equal(now, p.Op.Data) || len(u.passed) > 0 && slices.Contains(u.passed, host.Etag(now))):
		return Restored, r.put(ctx, path, now, p.Op.Before, made, &r.rep.Restored)
	}
	if done, err := r.already(ctx, u, now, there); err != nil || done {
		return Restored, err
	}
	switch {
	case !there:
		r.rep.Gone = append(r.rep.Gone, path)
		return Gone, nil
	case !made:
		merged, ok := Merge(string(u.base(now)), string(p.Op.Before), string(now))
		if ok && merged == string(now) {
			return Merged, nil // nothing of the write is in it
		} else if ok {
			return Merged, r.put(ctx, path, now, []byte(merged), false, &r.rep.Merged)
		}
	}
	return r.conflict(ctx, p, now, made)
}

func (r *reverter) put(ctx context.Context, path string, now, data []byte, remove bool, list *[]string) error {
	op := host.Op{Kind: host.OpModify, Path: path, Before: now, Data: data}
	if remove {
		op = host.Op{Kind: host.OpRemove, Path: path, Before: now}
	}
	if _, err := r.v.Apply(ctx, op); err != nil {
		return err
	}
	*list = append(*list, path)
	return nil
}

func (r *reverter) undoTrash(ctx context.Context, u *undo) (Fate, error) {
	p, path := u.Planned, u.Op.Path
	now, there, err := readIf(ctx, r.v, path)
	switch {
	case err != nil:
		return NotMade, err
	case there && bytes.Equal(now, p.Op.Before):
		return Restored, nil
	}
	if done, err := r.already(ctx, u, now, there); err != nil || done {
		return Restored, err
	}
	if there {
		return r.conflict(ctx, p, now, false) // its name is taken by another file now
	}
	if err := r.parents(ctx, path); err != nil {
		return NotMade, err
	}
	if _, err := r.v.Apply(ctx, host.Op{Kind: host.OpCreate, Path: path, Data: p.Op.Before}); err != nil {
		return NotMade, err
	}
	r.rep.Restored = append(r.rep.Restored, path)
	return Restored, nil
}

func (r *reverter) undoRename(ctx context.Context, op host.Op) (Fate, error) {
	to, err := has(ctx, r.v, op.To)
	if err != nil {
		return NotMade, err
	}
	from, err := has(ctx, r.v, op.Path)
	if err != nil {
		return NotMade, err
	}
	caseOnly := vaultpath.Fold(op.Path) == vaultpath.Fold(op.To)
	switch {
	case !to && from:
		return Restored, nil
	case !to:
		r.rep.Gone = append(r.rep.Gone, op.To)
		return Gone, nil
	case from && !caseOnly:
		if fate, err := r.makeWay(ctx, op); err != nil || fate != Restored {
			return fate, err
		}
	}
	if err := r.parents(ctx, op.Path); err != nil {
		return NotMade, err
	}
	if _, err := r.v.Apply(ctx, host.Op{Kind: host.OpRename, Path: op.To, To: op.Path}); err != nil {
		return NotMade, err
	}
	r.rep.Restored = append(r.rep.Restored, op.Path)
	return Restored, nil
}

// dropFolder removes a folder that the run made, when it is empty.
func (r *reverter) dropFolder(ctx context.Context, path string) (Fate, error) {
	there, err := has(ctx, r.v, path)
	if err != nil || !there {
		return Restored, err
	}
	in, err := r.v.List(ctx, path)
	if err != nil {
		return NotMade, err
	}
	if len(in) > 0 {
		r.rep.Kept = append(r.rep.Kept, path)
		return Kept, nil
	}
	if _, err := r.v.Apply(ctx, host.Op{Kind: host.OpRmdir, Path: path}); err != nil {
		return NotMade, err
	}
	r.rep.Restored = append(r.rep.Restored, path)
	return Restored, nil
}

func (r *reverter) makeFolder(ctx context.Context, path string) error {
	there, err := has(ctx, r.v, path)
	if err != nil || there {
		return err
	}
	if err := r.parents(ctx, path); err != nil {
		return err
	}
	if _, err := r.v.Apply(ctx, host.Op{Kind: host.OpMkdir, Path: path}); err != nil {
		return err
	}
	r.rep.Restored = append(r.rep.Restored, path)
	return nil
}

// parents makes the folders above a path that somebody has removed since.
func (r *reverter) parents(ctx context.Context, path string) error {
	parent := vaultpath.Parent(path)
	if parent == "" {
		return nil
	}
	return r.makeFolder(ctx, parent)
}
