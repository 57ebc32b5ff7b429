package undo

import (
	"context"
	"strconv"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/vaultpath"
)

// records shows, copies and deletes the undo records as a whole.
type records struct{ deps *Deps }

// RecordsGet tells of the undo records that this device has of this vault.
func (r *records) RecordsGet(ctx context.Context, _ protocol.Empty) (protocol.Records, error) {
	facts := host.StoreFacts{Kind: host.StoreFolder, Persisted: true}
	if placed, ok := host.PlacedOf(r.deps.Host.Store); ok {
		var err error
		if facts, err = placed.Facts(ctx); err != nil {
			return protocol.Records{}, err
		}
	}
	runs, bytes, err := r.deps.History.Size(ctx)
	if err != nil {
		return protocol.Records{}, err
	}
	_, goals, err := r.unfinished(ctx)
	return protocol.Records{
		Kind: protocol.RecordsKind(facts.Kind), Where: facts.Where, Runs: runs, Bytes: bytes,
		Persisted: facts.Persisted, Flushes: facts.Flushes, ReadOnly: facts.ReadOnly, Unfinished: goals,
	}, err
}

// unfinished lists the runs of this device that are under way, or were cut short and
// not decided about, and what each was to do.
func (r *records) unfinished(ctx context.Context) (ids, goals []string, err error) {
	hot, err := r.deps.Runs.IDs(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, id := range hot {
		there, err := r.deps.History.Elsewhere(ctx, id)
		if err != nil {
			return nil, nil, err
		}
		if there {
			continue
		}
		goal := id
		if sum, err := r.deps.History.Summary(ctx, id); err == nil && sum.Goal != "" {
			goal = sum.Goal
		}
		ids, goals = append(ids, id), append(goals, goal)
	}
	return ids, goals, nil
}

// RecordsDelete deletes the undo records of this device. A run that is under way, or
// that nobody has decided about, is named and stops it.
func (r *records) RecordsDelete(ctx context.Context, _ protocol.Empty) (protocol.Records, error) {
	free, err := r.deps.Transactions.Alone()
	if err != nil {
		return protocol.Records{}, err
	}
	defer free()
	_, goals, err := r.unfinished(ctx)
	if err != nil {
		return protocol.Records{}, err
	}
	if len(goals) > 0 {
		return protocol.Records{}, fault.New(fault.Precondition, "error.records.unfinished", fault.P{"goal": r.deps.Out.Redact(goals[0])})
	}
	if _, err := r.deps.History.Clear(ctx, protocol.Clear{}); err != nil {
		return protocol.Records{}, err
	}
	// In a folder that other devices share, nobody can say whose a trace is.
	if _, apart := host.PlacedOf(r.deps.Host.Store); apart {
		if err := r.deps.Host.Store.Remove(ctx, history.TracesFolder); err != nil {
			return protocol.Records{}, err
		}
	}
	r.deps.Tell(ctx)
	return r.RecordsGet(ctx, protocol.Empty{})
}

// RecordsCopy copies the undo records into a new folder of the vault.
func (r *records) RecordsCopy(ctx context.Context, p protocol.RecordsCopy) (protocol.RecordsCopied, error) {
	if err := vaultpath.CheckStored(p.Folder); err != nil {
		return protocol.RecordsCopied{}, err
	}
	vault := r.deps.Guard.Writable(nil)
	folder, err := unusedName(ctx, vault, p.Folder)
	if err != nil {
		return protocol.RecordsCopied{}, err
	}
	hot, goals, err := r.unfinished(ctx)
	if err != nil {
		return protocol.RecordsCopied{}, err
	}
	runs, bytes, err := r.deps.History.CopyTo(ctx, vault, folder, hot)
	return protocol.RecordsCopied{Folder: folder, Runs: runs, Bytes: bytes, Left: goals}, err
}

// unusedName gives a name in a vault that nothing has: this one, or with a number.
func unusedName(ctx context.Context, v host.Vault, name string) (string, error) {
	for n := 1; ; n++ {
		free := name
		if n > 1 {
			free += " " + strconv.Itoa(n)
		}
		_, err := v.Stat(ctx, free)
		if fault.Is(err, fault.NotFound) {
			return free, nil
		} else if err != nil {
			return "", err
		}
	}
}
