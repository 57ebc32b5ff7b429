package undo

import (
	"slices"
	"strconv"

	"embedded-agent/wasm/internal/journal"
	"embedded-agent/wasm/internal/protocol"
)

// deeds are the files that the attempts of one revert have written. The zero
// value is empty.
type deeds struct {
	status map[string]protocol.FileStatus // by path; the last attempt counts
}

// deedWords is how each kind of change of a revert is told, in this order.
var deedWords = []struct {
	key      string
	statuses []protocol.FileStatus
}{
	{"reverted.removed", []protocol.FileStatus{protocol.FileTrash}},
	{"reverted.removedFolders", []protocol.FileStatus{protocol.FileRmdir}},
	{"reverted.restored", []protocol.FileStatus{protocol.FileCreate, protocol.FileModify}},
	{"reverted.restoredFolders", []protocol.FileStatus{protocol.FileMkdir}},
	{"reverted.movedBack", []protocol.FileStatus{protocol.FileRename}},
}

// add takes in what an attempt has written, and says what all of them did. What
// was merged is told by itself.
func (d *deeds) add(wrote []protocol.FileChange, merged []string) []protocol.Message {
	if d.status == nil {
		d.status = make(map[string]protocol.FileStatus, len(wrote))
	}
	for _, f := range wrote {
		d.status[f.Path] = f.Status
	}
	for _, path := range merged {
		delete(d.status, path)
	}
	count := map[protocol.FileStatus]int{}
	for _, s := range d.status {
		count[s]++
	}
	said := []protocol.Message{}
	for _, w := range deedWords {
		n := 0
		for _, s := range w.statuses {
			n += count[s]
		}
		if n > 0 {
			said = append(said, protocol.Message{Key: w.key, Params: map[string]string{"n": strconv.Itoa(n)}})
		}
	}
	return said
}

// among gives the paths of a list that are among the files that were written.
func among(paths []string, wrote []protocol.FileChange) []string {
	there := map[string]bool{}
	for _, f := range wrote {
		there[f.Path] = true
	}
	return slices.DeleteFunc(paths, func(path string) bool { return !there[path] })
}

// writtenOf gives the files of a run that one of its writes has changed.
func writtenOf(files []protocol.FileChange, jw *journal.Writer) []protocol.FileChange {
	made := jw.Made()
	return slices.DeleteFunc(slices.Clone(files), func(f protocol.FileChange) bool { return f.Dropped || !made[f.Path] })
}
