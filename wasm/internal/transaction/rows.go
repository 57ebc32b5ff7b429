package transaction

import (
	"bytes"

	"embedded-agent/wasm/internal/fileview"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/protocol"
)

// rows are the changes of a review as they are listed. To list one its lines are
// compared and what may run in it is looked for; an amendment leaves nearly all
// of them as they were, and those are not looked at again.
type rows map[string]listedRow

// listedRow is a change, and how it is listed.
type listedRow struct {
	change overlay.Change
	row    protocol.FileChange
}

// of lists a change: as it was listed in old where it is the same, to the byte.
func (r rows) of(c overlay.Change, old rows) protocol.FileChange {
	is, known := old[c.Path]
	if !known || !same(is.change, c) {
		is = listedRow{c, fileview.Row(c)}
	}
	r[c.Path] = is
	return is.row
}

// same says whether two changes of one path would be listed alike.
func same(a, b overlay.Change) bool {
	return a.From == b.From && a.Status == b.Status && a.Kind == b.Kind && a.Follows == b.Follows &&
		(a.Before == nil) == (b.Before == nil) && (a.After == nil) == (b.After == nil) &&
		bytes.Equal(a.Before, b.Before) && bytes.Equal(a.After, b.After)
}
