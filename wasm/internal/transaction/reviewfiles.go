package transaction

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"embedded-agent/wasm/internal/alike"
	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/fileview"
	"embedded-agent/wasm/internal/host"
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
		Files: []protocol.FileChange{}, Steps: []protocol.StepPreview{}, Amended: !rv.amend.Empty(), Approval: approvalOf(rv),
	}
	listed := make(fileview.Rows, len(changes)+len(left))
	for _, c := range changes {
		f := listed.Of(c, old)
		_, f.Edited = rv.amend.Edits[c.Path]
		view.Files = append(view.Files, f)
	}
	view.Summary = append(changeLines(view.Files), runLines(view.Files, changes)...)
	for _, c := range left {
		f := listed.Of(c, old)
		f.Dropped = true
		view.Files = append(view.Files, f)
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

// runLines says how many files would get what may run or load by itself. Each
// file is the row of the change at its place.
func runLines(files []protocol.FileChange, changes []overlay.Change) []protocol.SummaryLine {
	var runs, loads, hosts []string
	for i, f := range files {
		if f.Runs > 0 {
			runs = append(runs, f.Path)
		}
		if f.Loads > 0 {
			loads = append(loads, f.Path)
			if len(hosts) <= maxHosts {
				hosts = append(hosts, fileview.Hosts(changes[i])...)
			}
		}
	}
	var out []protocol.SummaryLine
	if len(runs) > 0 {
		out = append(out, protocol.SummaryLine{Tone: "runs", Paths: runs, Text: protocol.Message{
			Key: "review.runs", Params: map[string]string{"n": strconv.Itoa(len(runs)), "path": runs[0]},
		}})
	}
	if len(loads) > 0 {
		slices.Sort(hosts)
		if hosts = slices.Compact(hosts); len(hosts) > maxHosts {
			hosts = append(hosts[:maxHosts], "…")
		}
		out = append(out, protocol.SummaryLine{Tone: "runs", Paths: loads, Text: protocol.Message{
			Key: "review.loads", Params: map[string]string{"n": strconv.Itoa(len(loads)), "path": loads[0], "hosts": strings.Join(hosts, ", ")},
		}})
	}
	return out
}

// maxHosts is how many hosts a line of the summary names; the files name all.
const maxHosts = 5

// changeLines says changes in words.
func changeLines(files []protocol.FileChange) []protocol.SummaryLine {
	lines := []protocol.SummaryLine{}
	for _, g := range []struct {
		status string
		tone   protocol.Tone
	}{
		{"mkdir", "folder"},
		{"create", "create"},
		{"modify", "modify"},
		{"links", "modify"},
		{"rename", "rename"},
		{"trash", "delete"},
		{"rmdir", "delete"},
	} {
		var paths []string
		for _, f := range files {
			status := string(f.Status)
			if f.LinksOnly {
				status = "links"
			}
			if status == g.status && !f.Dropped {
				paths = append(paths, f.Path)
			}
		}
		if len(paths) > 0 {
			lines = append(lines, summaryLine(g.status, g.tone, paths))
		}
	}
	return lines
}

func summaryLine(status string, tone protocol.Tone, paths []string) protocol.SummaryLine {
	p := map[string]string{"n": strconv.Itoa(len(paths)), "path": paths[0]}
	key := "review." + status
	if folder, one := commonFolder(paths); one && status == "create" {
		p["folder"] = folder
		key = "review.createUnder"
		if folder == "" {
			key = "review.create"
		}
	}
	return protocol.SummaryLine{Tone: tone, Paths: paths, Text: protocol.Message{Key: key, Params: p}}
}

func commonFolder(paths []string) (string, bool) {
	folder := vaultpath.Parent(paths[0])
	for _, p := range paths[1:] {
		if vaultpath.Parent(p) != folder {
			return "", false
		}
	}
	return folder, true
}
