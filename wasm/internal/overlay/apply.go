package overlay

import (
	"context"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/vaultpath"
)

// Apply stages one write. It refuses what the host would refuse, and what the
// guard refuses.
func (w *View) Apply(ctx context.Context, op host.Op) (host.Info, error) {
	if err := ctx.Err(); err != nil {
		return host.Info{}, fault.From(err)
	}
	op, refused, err := w.v.admit(ctx, w.call, op)
	if err != nil {
		return host.Info{}, err
	}
	if refused != nil {
		w.v.note(Write{Call: w.call, Op: op, Refused: refused})
		return host.Info{}, refused
	}
	return w.make(ctx, op)
}

// admit checks a write and applies the person's amendments. refused is an
// answer of the vault (a name is taken), err is anything else.
func (v *Vault) admit(ctx context.Context, call string, op host.Op) (_ host.Op, refused *fault.Error, err error) {
	guard := v.guard
	if v.guardOf != nil {
		guard = v.guardOf(call)
	}
	if guard != nil {
		if err := guard(op); err != nil {
			return op, nil, err
		}
	}
	if err := v.refuseHidden(ctx, op); err != nil {
		return op, nil, err
	}
	refused, err = v.refuse(ctx, op)
	if err != nil || refused != nil {
		return op, refused, err
	}
	op, keep := v.amend.apply(op)
	if keep && v.count != nil {
		if err := v.count(len(op.Data)); err != nil {
			return op, nil, err
		}
	}
	if !keep && !op.Follows {
		return op, nil, dropped(op)
	}
	if !keep {
		op.Kind = opNothing
	}
	return op, nil, nil
}

// refuseHidden refuses to move or remove a folder with something in it that may
// not be seen, since that would be moved or removed too. It is not named.
func (v *Vault) refuseHidden(ctx context.Context, op host.Op) error {
	if v.see == nil || op.Kind != host.OpRename && op.Kind != host.OpTrash && op.Kind != host.OpRmdir {
		return nil
	}
	info, err := v.stat(ctx, op.Path)
	if err != nil || info.Kind != host.Folder {
		return nil // refuse says what there is to say
	}
	below, err := v.base.walk(ctx, op.Path)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return err
	}
	for _, e := range below {
		if v.see(e.Path) != nil {
			return fault.New(fault.Denied, "error.path.unseenBelow", fault.P{"path": op.Path})
		}
	}
	return nil
}

func dropped(op host.Op) error {
	return fault.New(fault.Cancelled, "review.dropped", fault.P{"path": op.Path}).With(ErrDropped)
}

// opNothing is a consequence that the person has left out: the call goes on as
// if it were done.
const opNothing host.OpKind = ""

// refuse says what the vault would say against a write.
func (v *Vault) refuse(ctx context.Context, op host.Op) (*fault.Error, error) {
	switch op.Kind {
	case host.OpCreate, host.OpMkdir:
		return v.refuseNew(ctx, op.Path)
	case host.OpModify, host.OpTrash, host.OpRemove, host.OpRmdir:
		return v.refuseOld(ctx, op)
	case host.OpRename:
		if _, err := v.stat(ctx, op.Path); err != nil {
			return asFault(err)
		}
		if vaultpath.Fold(op.Path) == vaultpath.Fold(op.To) && op.Path != op.To {
			return nil, nil // only the case changes
		}
		return v.refuseNew(ctx, op.To)
	}
	return nil, fault.New(fault.Internal, "error.internal", nil)
}

func (v *Vault) refuseNew(ctx context.Context, path string) (*fault.Error, error) {
	taken, err := v.taken(ctx, path)
	if err != nil {
		return nil, err
	}
	if taken {
		return host.Exists(path), nil
	}
	parent, err := v.stat(ctx, vaultpath.Parent(path))
	if err != nil {
		return asFault(err)
	}
	if parent.Kind != host.Folder {
		return fault.New(fault.Precondition, "error.vault.isFile", fault.P{"path": parent.Path}), nil
	}
	return nil, nil
}

func (v *Vault) refuseOld(ctx context.Context, op host.Op) (*fault.Error, error) {
	info, err := v.stat(ctx, op.Path)
	if err != nil {
		return asFault(err)
	}
	if info.Kind == host.Folder {
		if op.Kind == host.OpModify {
			return fault.New(fault.Precondition, "error.vault.isFolder", fault.P{"path": op.Path}), nil
		}
		return nil, nil
	}
	now, err := v.read(ctx, op.Path)
	if err != nil {
		return asFault(err)
	}
	if !sameBytes(now, op.Before) {
		return host.NotAsExpected(op.Path), nil
	}
	return nil, nil
}

// asFault splits an error: answers of the vault are refusals, all else is a
// failure.
func asFault(err error) (*fault.Error, error) {
	if fault.Is(err, fault.NotFound) {
		return fault.From(err), nil
	}
	return nil, err
}

// make does a write that was admitted.
func (w *View) make(ctx context.Context, op host.Op) (host.Info, error) {
	v := w.v
	if op.Kind == opNothing {
		v.note(Write{Call: w.call, Op: op})
		return v.stat(ctx, op.Path)
	}
	info, err := v.stat(ctx, op.Path)
	if err != nil && op.Kind != host.OpCreate && op.Kind != host.OpMkdir {
		return host.Info{}, err
	}
	var below []host.Info
	if op.Kind == host.OpRename && info.Kind == host.Folder {
		if below, err = w.Walk(ctx, op.Path); err != nil {
			return host.Info{}, err
		}
	}
	rec := v.record(w.call, op)
	w.observed = append(w.observed, rec)
	v.mu.Lock()
	w.saved.save(v)
	v.putting = &w.saved
	if op.Kind == host.OpRename {
		v.rename(op, info.Kind, below)
	} else {
		v.commit(op, info.Kind, rec.AfterEtag)
	}
	v.putting = nil
	v.log = append(v.log, rec)
	v.mu.Unlock()
	return v.after(ctx, op)
}

// record names the bytes before and after.
func (v *Vault) record(call string, op host.Op) Write {
	rec := Write{Call: call, Op: op}
	switch op.Kind {
	case host.OpCreate:
		rec.AfterEtag = host.Etag(op.Data)
	case host.OpModify:
		rec.BeforeEtag, rec.AfterEtag = v.etagOf(op.Path, op.Before), host.Etag(op.Data)
	case host.OpTrash, host.OpRemove:
		if op.Before != nil {
			rec.BeforeEtag = v.etagOf(op.Path, op.Before)
		}
	}
	return rec
}

// etagOf spares hashing what was staged here and is hashed already.
func (v *Vault) etagOf(path string, data []byte) string {
	v.mu.Lock()
	n, ok := v.staged[path]
	v.mu.Unlock()
	if ok && n.etag != "" && sameBytes(n.data, data) {
		return n.etag
	}
	return host.Etag(data)
}

func (v *Vault) after(ctx context.Context, op host.Op) (host.Info, error) {
	switch op.Kind {
	case host.OpTrash, host.OpRemove, host.OpRmdir:
		return host.Info{}, nil
	case host.OpRename:
		return v.stat(ctx, op.To)
	}
	return v.stat(ctx, op.Path)
}

func (v *Vault) note(w Write) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.log = append(v.log, w)
}

// rename moves a staged entry, and with a folder all that is below it. The
// lock is held.
func (v *Vault) rename(op host.Op, kind host.Kind, below []host.Info) {
	move := func(from, to string, kind host.Kind) {
		n := &node{kind: kind, origin: from}
		if old, ok := v.staged[from]; ok {
			moved := *old
			n = &moved
		}
		n.follows = false
		v.put(from, &node{gone: true, kind: kind})
		v.put(to, n)
		v.followRename(from, to)
	}
	for _, e := range below {
		move(e.Path, op.To+strings.TrimPrefix(e.Path, op.Path), e.Kind)
	}
	move(op.Path, op.To, kind)
}

func sortStrings(s []string) { slices.Sort(s) }
