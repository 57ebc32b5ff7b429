package staged

import (
	"context"
	"reflect"

	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/policy"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/quota"
	"embedded-agent/wasm/internal/transaction"
)

// kept is the staged calls as they were staged again, for the calls that come after.
// It holds while the log goes on from where it was, the policy is the same, and the disk
// says that nothing of what the calls were staged on has changed. Calls are made over a
// copy: what they write comes in by the log, as what other programs write does.
type kept struct {
	deps  *Deps
	at    place // of the log: the calls before it are staged
	vault *overlay.Vault
	on    *witness
	quota *quota.Plan
	pol   *policy.Policy
	mb    int // the limit of the quota, by the settings
}

// keepNothing gives the notes as they are, with no call staged.
func (d *Deps) keepNothing() *kept {
	k := &kept{
		deps: d, on: newWitness(d.Host.Vault, d.Mark), quota: d.Transactions.NewQuota(),
		pol: d.Guard.Policy(), mb: d.Guard.Settings().MaxPlanMB,
	}
	k.vault = transaction.Over(overlay.NewBase(k.on, nil, d.Now()), k.pol, overlay.WithQuota(k.quota.Write))
	return k
}

// holds says whether the notes and the settings are as they were.
func (k *kept) holds() bool {
	return k != nil && k.mb == k.deps.Guard.Settings().MaxPlanMB && reflect.DeepEqual(k.pol, k.deps.Guard.Policy()) && k.on.same()
}

// take stages the calls of a log that begins where this one ended.
func (k *kept) take(ctx context.Context, l *callLog) error {
	for _, n := range l.lines {
		for i := range n.Writes {
			for _, path := range []string{n.Writes[i].Path, n.Writes[i].To} {
				k.on.note(path, false)
			}
		}
	}
	p := &planning{
		view: k.vault.For(call), vault: k.vault, left: map[string][]protocol.LeftOutItem{},
		check: k.deps.check(ctx, k.on, k.pol), edited: since,
	}
	if err := p.again(ctx, l.lines); err != nil {
		return err
	}
	k.at = l.end()
	return nil
}

// current gives the staged calls, staged on the notes as they are now. The log is the
// rest of what was kept, or all of it.
func (c *Calls) current(ctx context.Context) (*kept, *callLog, error) {
	k := c.kept
	c.kept = nil // until all went well
	if !k.holds() {
		k = c.deps.keepNothing()
	}
	l, err := readLog(ctx, c.deps.Host.Store, c.deps.History, k.at)
	if err != nil {
		return nil, nil, err
	}
	if l.from != k.at { // somebody has removed the calls, or a run has them
		k = c.deps.keepNothing()
	}
	if err := k.take(ctx, l); err != nil {
		return nil, nil, err
	}
	if !l.handed && !l.torn { // a torn line says something else once it is whole
		c.kept = k
	}
	return k, l, nil
}
