package undo

import (
	"context"
	"slices"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/journal"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/transaction"
)

// maxAttempts is how often a revert is begun anew by itself.
const maxAttempts = 5

// revert reverts a run. A file that was not what its size and time said is
// found when the host compares, and nothing is written to it: the rest is then
// reverted in another attempt that reads every file. So it is where a write of
// the run lands that nobody waited for.
func (r *reverts) revert(ctx context.Context, p protocol.Revert) (protocol.Reverted, error) {
	ctx, end := r.stopping.begin(ctx, p.Run)
	defer end()
	var did deeds
	out, again, err := r.takeBack(ctx, p, true, &did)
	for n := 1; err == nil && again && n < maxAttempts; n++ {
		var next protocol.Reverted
		next, again, err = r.takeBack(ctx, p, false, &did)
		out = joined(out, next)
	}
	if ctx.Err() == nil {
		return out, err
	}
	r.deps.Tell(context.WithoutCancel(ctx))
	return cancelled(out, err)
}

// joined gives the work of two attempts, the first until it was stopped.
func joined(first, second protocol.Reverted) protocol.Reverted {
	open := map[string]bool{}
	for _, path := range slices.Concat(second.Restored, second.Merged) {
		open[path] = true
	}
	for _, c := range second.Conflicts {
		open[c.Path] = true
	}
	restored := slices.DeleteFunc(first.Restored, func(path string) bool { return open[path] })
	made := map[string]bool{}
	for _, path := range restored {
		made[path] = true
	}
	second.Kept = slices.DeleteFunc(second.Kept, func(path string) bool { return made[path] })
	second.Gone = slices.DeleteFunc(second.Gone, func(path string) bool { return made[path] })
	second.Restored = append(restored, second.Restored...)
	if second.Run == "" {
		second.Run = first.Run
	}
	return second
}

// ahead has the facts about files that a revert needs before it looks at each.
type ahead struct {
	deps    *Deps
	base    *overlay.Base
	trust   bool
	trusted int // files that were taken to be as the run left them
}

// look reads the files that a run wrote, together. With trust, those that have
// the size and the time that they had when the run had written them, and that no
// editor holds, are not read here: the host reads them when it compares
// (docs/adr/0015-revert-trust.md).
func (a *ahead) look(ctx context.Context, ops []journal.Planned) error {
	written := slices.DeleteFunc(slices.Clone(ops), func(p journal.Planned) bool { return p.AfterEtag == "" })
	paths := make([]string, len(written))
	for i, p := range written {
		paths[i] = p.Op.Path
	}
	if a.trust && !slices.ContainsFunc(ops, func(p journal.Planned) bool { return p.Op.Kind == host.OpRename }) {
		open, err := a.deps.Transactions.OpenNotes(ctx)
		if err != nil {
			return err
		}
		a.base.Look(ctx, paths)
		for _, p := range written {
			if !slices.Contains(open, p.Op.Path) && a.base.Trust(p.Op.Path, p.MTime, p.Op.Data) {
				a.trusted++
			}
		}
	}
	return a.base.Prefetch(ctx, paths, transaction.ReadWidth)
}
