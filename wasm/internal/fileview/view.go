// Package fileview makes what a person is shown of one file of a changeset: the
// difference of its text, which accounts for every byte before and after, or,
// for bytes that are no text, their number, their kind and their hash; and
// what in it may run or load by itself. Nothing that can be approved
// is left without the one or the other.
package fileview

import (
	"bytes"
	"slices"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/text"
)

// Of shows a change. Of a file that is only renamed the caller gives the bytes
// both before and after.
func Of(c overlay.Change) protocol.FileView {
	v := protocol.FileView{Path: c.Path, From: c.From, Status: protocol.FileStatus(c.Status), Hunks: []protocol.Hunk{}, Alerts: Alerts(c)}
	if c.Kind == host.Folder {
		return v
	}
	if !text.Is(c.Before) {
		v.BeforeFacts = Facts(c.Before)
	} else {
		v.Before = string(c.Before)
	}
	if !text.Is(c.After) {
		v.AfterFacts = Facts(c.After)
	} else {
		v.After = string(c.After)
	}
	v.Binary = v.BeforeFacts != nil || v.AfterFacts != nil
	// What is there on one side only is all gone or all new beside bytes.
	v.Hunks = Hunks(v.Before, v.After)
	return v
}

// IsText says whether all of several contents are text, so that they can be
// edited and merged as such.
func IsText(contents ...[]byte) bool {
	return !slices.ContainsFunc(contents, func(b []byte) bool { return !text.Is(b) })
}

// Row is a change as the list of files has it, with its changed lines and what
// may run in it counted.
func Row(c overlay.Change) protocol.FileChange {
	f := protocol.FileChange{
		Path: c.Path, From: c.From, Status: protocol.FileStatus(c.Status), Linked: protocol.Linked{LinksOnly: c.Follows && c.Status == overlay.Modify},
		Undoable: true, Bytes: int64(len(c.After)),
	}
	if c.Kind == host.Folder {
		return f
	}
	if c.Status == overlay.Trash {
		f.Bytes = int64(len(c.Before))
	}
	f.Runs, f.Loads = count(c)
	if !text.Is(c.Before) || !text.Is(c.After) {
		f.Binary = true
		return f
	}
	switch c.Status {
	case overlay.Create:
		f.Added = countLines(c.After)
	case overlay.Trash:
		f.Removed = countLines(c.Before)
	case overlay.Modify, overlay.Rename:
		for _, h := range Hunks(string(c.Before), string(c.After)) {
			f.Added += len(h.Added)
			f.Removed += len(h.Removed)
		}
	}
	return f
}

func countLines(b []byte) int {
	n := bytes.Count(b, []byte{'\n'})
	if len(b) > 0 && b[len(b)-1] != '\n' {
		n++
	}
	return n
}
