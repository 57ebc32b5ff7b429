package undo

import (
	"context"
	"errors"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/guard"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/journal"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/policy"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/transaction"
	"embedded-agent/wasm/internal/vaultpath"
)

// rules say what an undo may write.
type rules struct{ deps *Deps }

// Undo goes the way of every write (docs/adr/0019-seals-of-this-device.md).
// What a past run's journal says is planned on an overlay, held against the
// policy, and made through a guard that asks the policy again. A run of this
// device is reverted at once, since what it did was approved here; of any
// other the changes are a review, and nothing is done before a yes to it.

// undoing reverts a run, or finishes it, as it was planned.
type undoing struct {
	log     *journal.Log
	ours    bool
	vault   *overlay.Vault
	report  *journal.Report
	refused []journal.Refused
	dropped []string // by the person, in review
}

// undoOf are the wishes: which run, and how.
type undoOf struct {
	run     string
	kind    protocol.RunKind // revert or finish
	path    string
	choices map[string]journal.Choice
	settled bool // what became of its writes is known, and written down
}

// checkUndo is the policy of one write of an undo. What was not made here is
// judged as what a stranger asks for.
func (r *rules) checkUndo(ctx context.Context, ours bool, op host.Op) error {
	if err := vaultpath.CheckStored(op.Path); err != nil {
		return err
	}
	if op.To != "" {
		if err := vaultpath.CheckStored(op.To); err != nil {
			return err
		}
	}
	pol := r.deps.Guard.InForce(ctx)
	check := pol.CheckOp
	if ours {
		check = pol.CheckUndo
	}
	if err := check(op); err != nil {
		return err
	}
	return guard.Below(ctx, r.deps.Host.Vault, op, pol.MaySee)
}

// undoable is the vault as an undo writes to it.
func (r *rules) undoable(ours bool) host.Vault {
	return guard.Over(r.deps.Host.Vault, func(ctx context.Context, op host.Op) error { return r.checkUndo(ctx, ours, op) })
}

// leaveOut takes the paths out of a journal that may not be looked at.
func leaveOutRefused(l *journal.Log, pol *policy.Policy) []journal.Refused {
	return l.LeaveOut(func(path string) error {
		if err := vaultpath.CheckStored(path); err != nil {
			return err
		}
		if pol.Closed != nil {
			return pol.Closed
		}
		return pol.CheckPath(path)
	})
}

// planUndo plans an undo on an overlay over a base. It writes nothing. A run
// that did not end is settled there too.
func (r *reverts) planUndo(ctx context.Context, l *journal.Log, of undoOf, base *overlay.Base, amend *overlay.Amendments, o journal.RevertOptions) (*undoing, error) {
	u := &undoing{log: l, ours: l.Ours(), vault: overlay.New(base, overlay.WithAmendments(amend)), report: &journal.Report{}}
	u.refused = leaveOutRefused(l, r.deps.Guard.InForce(ctx))
	v := &careful{Vault: u.vault.For(string(of.kind)), u: u, check: func(op host.Op) error { return r.rules.checkUndo(ctx, u.ours, op) }, tolerant: of.kind == KindFinish}
	if l.Hot() && !of.settled {
		if err := l.Settle(ctx, v); err != nil {
			return nil, err
		}
	}
	if of.kind == KindFinish {
		return u, r.planRest(ctx, l, v)
	}
	o.Path, o.Choices, o.Reviewed = of.path, of.choices, !u.ours
	var err error
	if u.ours {
		if o.Undone, err = r.settler.undone(ctx, of.run, l); err != nil {
			return nil, err
		}
	}
	o.Each = func(entries []int) host.Vault {
		of := *v
		of.Vault = u.vault.For(undoCallOf(entries))
		return &of
	}
	if u.report, err = journal.Revert(ctx, l, v, o); err != nil {
		return nil, err
	}
	left := append([]string{}, u.dropped...)
	for _, r := range u.refused {
		left = append(left, r.Path)
	}
	without := func(list []string) []string {
		return slices.DeleteFunc(list, func(p string) bool { return slices.Contains(left, p) })
	}
	u.report.Restored, u.report.Merged = without(u.report.Restored), without(u.report.Merged)
	u.report.Gone, u.report.Kept = without(u.report.Gone), without(u.report.Kept)
	return u, nil
}

// planRest plans the recorded writes that were not made.
func (r *reverts) planRest(ctx context.Context, l *journal.Log, v host.Vault) error {
	rest, err := l.Rest(ctx)
	if err != nil {
		return err
	}
	for _, p := range rest {
		if _, err := v.Apply(ctx, p.Op); err != nil {
			return err
		}
	}
	return nil
}

// writes lists what the undo is going to write, in order.
func (u *undoing) writes(call string) []journal.Planned {
	out := transaction.PlannedWrites(u.vault)
	for i := range out {
		if !strings.HasPrefix(out[i].Call, call+" ") { // else it says which write it reverts
			out[i].Call = call
		}
	}
	return out
}

// careful is the view that an undo is planned through: what is refused is noted,
// and the rest is planned all the same.
type careful struct {
	host.Vault
	u        *undoing
	check    func(op host.Op) error
	tolerant bool // what does not fit the vault is noted too
}

// Apply implements host.Vault.
func (c *careful) Apply(ctx context.Context, op host.Op) (host.Info, error) {
	if op.Kind == host.OpRemove && !c.u.ours {
		// Nobody can tell that the bytes are kept anywhere: to the trash.
		op.Kind = host.OpTrash
	}
	// Whoever wrote the journal may call anything the follower of a rename.
	op.Follows = op.Follows && c.u.ours
	err := c.check(op)
	if err == nil {
		var info host.Info
		if info, err = c.Vault.Apply(ctx, op); err == nil {
			return info, nil
		}
	}
	path := op.Path
	if op.Kind == host.OpRename {
		path = op.To
	}
	switch {
	case errors.Is(err, overlay.ErrDropped):
		c.u.dropped = append(c.u.dropped, path)
	case fault.Is(err, fault.Denied), fault.Is(err, fault.Validation),
		(c.tolerant || len(c.u.refused)+len(c.u.dropped) > 0) && (fault.Is(err, fault.Conflict) || fault.Is(err, fault.NotFound) || fault.Is(err, fault.Precondition)):
		c.u.refused = append(c.u.refused, journal.Refused{Path: path, Err: err})
	default:
		return host.Info{}, err
	}
	return host.Info{Path: path}, nil
}
