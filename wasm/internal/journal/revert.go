package journal

import (
	"bytes"
	"context"
	"slices"
	"unicode/utf8"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/vaultpath"
)

// Report is what a revert does, or would do.
type Report struct {
	Restored  []string
	Merged    []string
	Kept      []string // left as they are: already gone, or chosen
	Conflicts []Conflict
}

// RevertOptions narrow and settle a revert.
type RevertOptions struct {
	Path    string // only this path; "" for all
	Choices map[string]Choice
	// Ahead, where set, is told the writes that are going to be taken back
	// before they are looked at, so that what they need can be read together.
	Ahead func(ctx context.Context, ops []Planned) error
}

// Revert makes the writes that take a run back, last first, on v: an overlay,
// so that a revert too is seen, journaled and can be reverted. A file that
// still has its bytes from after the run gets those from before; one that was
// edited since is merged three ways; where that fails it is a Conflict. It is
// idempotent: what is as it was before is left alone.
func Revert(ctx context.Context, l *Log, v host.Vault, o RevertOptions) (*Report, error) {
	if l.Broken {
		return nil, corrupt(l.Run)
	}
	ops, err := l.net(ctx, o.Path)
	if err != nil {
		return nil, err
	}
	if o.Ahead != nil {
		if err := o.Ahead(ctx, ops); err != nil {
			return nil, err
		}
	}
	r := &reverter{v: v, o: o, rep: &Report{}}
	for _, p := range slices.Backward(ops) {
		if err := ctx.Err(); err != nil {
			return nil, fault.From(err)
		}
		if err := r.undo(ctx, p); err != nil {
			return nil, err
		}
	}
	return r.rep, nil
}

// net gives the writes that were made, runs of changes to one file folded into
// one.
func (l *Log) net(ctx context.Context, only string) ([]Planned, error) {
	var ops []Planned
	open := map[string]int{} // path -> index in ops of a create or modify that a modify can fold into
	for i := range l.Entries {
		e := &l.Entries[i]
		if e.Outcome == Failed || e.Outcome == NotReached {
			continue
		}
		if only != "" && e.Path != only && e.To != only {
			continue
		}
		p, err := l.Write(ctx, i)
		if err != nil {
			return nil, err
		}
		if at, ok := open[e.Path]; ok && e.Kind == host.OpModify {
			ops[at].Op.Data, ops[at].AfterEtag, ops[at].MTime = p.Op.Data, p.AfterEtag, p.MTime
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
		ops = append(ops, p)
	}
	return ops, nil
}

type reverter struct {
	v   host.Vault
	o   RevertOptions
	rep *Report
}

func (r *reverter) undo(ctx context.Context, p Planned) error {
	switch p.Op.Kind {
	case host.OpCreate, host.OpModify:
		return r.undoWrite(ctx, p)
	case host.OpTrash, host.OpRemove:
		if p.BeforeEtag == "" {
			return r.makeFolder(ctx, p.Op.Path)
		}
		return r.undoTrash(ctx, p)
	case host.OpRename:
		return r.undoRename(ctx, p.Op)
	case host.OpMkdir:
		return r.dropFolder(ctx, p.Op.Path)
	case host.OpRmdir:
		return r.makeFolder(ctx, p.Op.Path)
	}
	return nil
}

// undoWrite takes back a create (before is nothing) or a modify.
func (r *reverter) undoWrite(ctx context.Context, p Planned) error {
	path := p.Op.Path
	now, there, err := readIf(ctx, r.v, path)
	if err != nil {
		return err
	}
	made := p.Op.Kind == host.OpCreate
	switch {
	case !there:
		r.rep.Kept = append(r.rep.Kept, path) // deleted or moved away since
		return nil
	case !made && bytes.Equal(now, p.Op.Before):
		return nil
	case bytes.Equal(now, p.Op.Data):
		return r.put(ctx, path, now, p.Op.Before, made, &r.rep.Restored)
	case !made:
		if merged, ok := Merge(string(p.Op.Data), string(p.Op.Before), string(now)); ok {
			return r.put(ctx, path, now, []byte(merged), false, &r.rep.Merged)
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

func (r *reverter) undoTrash(ctx context.Context, p Planned) error {
	path := p.Op.Path
	now, there, err := readIf(ctx, r.v, path)
	switch {
	case err != nil:
		return err
	case there && bytes.Equal(now, p.Op.Before):
		return nil
	case there:
		return r.conflict(ctx, p, now, false) // its name is taken by another file now
	}
	if err := r.parents(ctx, path); err != nil {
		return err
	}
	if _, err := r.v.Apply(ctx, host.Op{Kind: host.OpCreate, Path: path, Data: p.Op.Before}); err != nil {
		return err
	}
	r.rep.Restored = append(r.rep.Restored, path)
	return nil
}

func (r *reverter) undoRename(ctx context.Context, op host.Op) error {
	to, err := has(ctx, r.v, op.To)
	if err != nil {
		return err
	}
	from, err := has(ctx, r.v, op.Path)
	if err != nil {
		return err
	}
	caseOnly := vaultpath.Fold(op.Path) == vaultpath.Fold(op.To)
	switch {
	case !to:
		if !from {
			r.rep.Kept = append(r.rep.Kept, op.To)
		}
		return nil
	case from && !caseOnly:
		if again, err := r.makeWay(ctx, op); err != nil || !again {
			return err
		}
	}
	if err := r.parents(ctx, op.Path); err != nil {
		return err
	}
	if _, err := r.v.Apply(ctx, host.Op{Kind: host.OpRename, Path: op.To, To: op.Path}); err != nil {
		return err
	}
	r.rep.Restored = append(r.rep.Restored, op.Path)
	return nil
}

// dropFolder removes a folder that the run made, when it is empty.
func (r *reverter) dropFolder(ctx context.Context, path string) error {
	there, err := has(ctx, r.v, path)
	if err != nil || !there {
		return err
	}
	in, err := r.v.List(ctx, path)
	if err != nil {
		return err
	}
	if len(in) > 0 {
		r.rep.Kept = append(r.rep.Kept, path)
		return nil
	}
	if _, err := r.v.Apply(ctx, host.Op{Kind: host.OpRmdir, Path: path}); err != nil {
		return err
	}
	r.rep.Restored = append(r.rep.Restored, path)
	return nil
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

// IsText says whether bytes can be shown and merged as text.
func IsText(b []byte) bool { return utf8.Valid(b) && bytes.IndexByte(b, 0) < 0 }
