package transaction

import (
	"context"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/alike"
	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/fileview"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/inwords"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/sorting"
	"embedded-agent/wasm/internal/vaultpath"
)

// filesOf begins what is shown of a review with its changes: the files, what becomes
// of each, and the same in words. Rows of files that are as they were are taken from
// old, those of the review before; all are given.
func filesOf(ctx context.Context, rv *Review, old fileview.Rows) (*protocol.Review, fileview.Rows, error) {
	changes, err := ShownChanges(ctx, rv.Base, rv.Changes)
	if err != nil {
		return nil, nil, err
	}
	var left []overlay.Change
	for path, c := range rv.dropped {
		if rv.amend.Dropped[path] {
			left = append(left, c)
		}
	}
	if left, err = ShownChanges(ctx, rv.Base, left); err != nil {
		return nil, nil, err
	}
	view := &protocol.Review{
		Run: rv.ID, Goal: rv.plan.Goal, Assumptions: canon.List(rv.plan.Assumptions), Risk: protocol.Risk(rv.graph.Risk),
		Files: []protocol.FileChange{}, Steps: []protocol.StepPreview{}, Touched: protocol.Touched{Amended: !rv.amend.Empty()}, Approval: approvalOf(rv),
	}
	listed := make(fileview.Rows, len(changes)+len(left))
	for _, c := range changes {
		f := listed.Of(c, old)
		_, f.Edited = rv.amend.Edits[c.Path]
		along, err := rv.Base.MovesAlong(ctx, c)
		if err != nil {
			return nil, nil, err
		}
		if along != nil {
			n := len(along)
			f.Moves = &n
		}
		view.Files = append(view.Files, f)
	}
	view.Summary = append(inwords.Changes(view.Files), inwords.Running(view.Files, changes)...)
	for _, c := range left {
		f := listed.Of(c, old)
		f.Dropped = true
		view.Files = append(view.Files, f)
	}
	followed := rv.Vault.Followed()
	for i := range view.Files {
		if f := &view.Files[i]; f.LinksOnly {
			f.Follows = followed[f.Path]
		}
	}
	sorting.Func(view.Files, func(a, b protocol.FileChange) int { return strings.Compare(a.Path, b.Path) })
	view.Warnings, err = alike.Mark(ctx, rv.Vault, view.Files)
	return view, listed, err
}

// ShownChanges gives the changes with all the bytes that the list of files is
// made of: those of a file that gets another kind of name are what it was.
func ShownChanges(ctx context.Context, base *overlay.Base, changes []overlay.Change) ([]overlay.Change, error) {
	out := slices.Clone(changes)
	for i, c := range out {
		if c.Status != overlay.Rename || vaultpath.Ext(c.From) == vaultpath.Ext(c.Path) {
			continue
		}
		var err error
		if out[i], err = wholeRename(ctx, base, c); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// wholeRename gives a file that is only renamed its bytes: what is shown of it,
// and what its new name makes of it, depends on them.
func wholeRename(ctx context.Context, base *overlay.Base, c overlay.Change) (overlay.Change, error) {
	if c.Status != overlay.Rename || c.Kind == host.Folder || c.Before != nil || c.After != nil {
		return c, nil
	}
	data, err := base.Read(ctx, c.From)
	if err != nil {
		return c, err
	}
	c.Before, c.After = data, data
	return c, nil
}
