package fileview

import (
	"bytes"

	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/protocol"
)

// Rows are the changes of a review as they are listed. To list one its lines are
// compared and what may run in it is looked for; an amendment leaves nearly all
// of them as they were, and those are not looked at again.
type Rows map[string]Listed

// Listed is a change, and how it is listed.
type Listed struct {
	Change overlay.Change
	Row    protocol.FileChange
}

// Of lists a change: as it was listed in old where it is the same, to the byte.
func (r Rows) Of(c overlay.Change, old Rows) protocol.FileChange {
	is, known := old[c.Path]
	if !known || !same(is.Change, c) {
		is = Listed{c, Row(c)}
	}
	r[c.Path] = is
	return is.Row
}

// same says whether two changes of one path would be listed alike.
func same(a, b overlay.Change) bool {
	return a.From == b.From && a.Status == b.Status && a.Kind == b.Kind && a.Follows == b.Follows &&
		(a.Before == nil) == (b.Before == nil) && (a.After == nil) == (b.After == nil) &&
		bytes.Equal(a.Before, b.Before) && bytes.Equal(a.After, b.After)
}
