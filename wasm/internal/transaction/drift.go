package transaction

import (
	"context"
	"strconv"
	"strings"

	"embedded-agent/wasm/internal/drift"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/protocol"
)

// checkDrift holds the vault against what was simulated, before a run begins:
// where it has changed, nothing is written, the review is made anew on the
// vault as it is, and the answer is CONFLICT with the paths. The host compares
// again at each write (docs/adr/0008); this is so that a run does not stop in
// its middle for what could be known at its start.
func (r *reviews) checkDrift(ctx context.Context, rv *Review) error {
	paths, err := r.drifted(ctx, rv)
	if err != nil || len(paths) == 0 {
		return err
	}
	told := map[string]string{"n": strconv.Itoa(len(paths)), "paths": Named(paths)}
	d := rv.again()
	d.readAnew(protocol.Message{Key: "review.drifted", Params: told})
	if _, err := r.again(ctx, rv, d); err != nil {
		return err
	}
	return fault.New(fault.Conflict, "error.review.drifted", told)
}

// maxNamed bounds the paths in a sentence.
const maxNamed = 5

// Named lists paths in a sentence: a few of them.
func Named(paths []string) string {
	if len(paths) > maxNamed {
		return strings.Join(paths[:maxNamed], ", ") + ", …"
	}
	return strings.Join(paths, ", ")
}

// drifted gives the paths of a changeset where the vault is not as the
// simulation found it, sorted.
func (r *reviews) drifted(ctx context.Context, rv *Review) ([]string, error) {
	open, err := r.OpenNotes(ctx)
	if err != nil {
		return nil, err
	}
	look := drift.Look{Was: rv.Base, Now: overlay.NewBase(r.deps.Host.Vault, nil, rv.Now), Open: open, Width: ReadWidth}
	return look.Find(ctx, rv.Changes)
}

// OpenNotes lists the notes whose text may not be in their files.
func (r *reviews) OpenNotes(ctx context.Context) ([]string, error) {
	if r.deps.Host.Workspace == nil {
		return nil, nil
	}
	w, err := r.deps.Host.Workspace.Context(ctx)
	return w.OpenPaths, err
}
