package overlay

import (
	"maps"

	"embedded-agent/wasm/internal/host"
)

// Amendments are the person's changes in review, as the overlay applies them:
// files left out, and files whose shown text was edited. They hold for the
// simulation that follows and for the run, in the same way.
type Amendments struct {
	// Dropped are paths that are not written.
	Dropped map[string]bool
	// Edits replace a file's bytes when they are exactly the ones that were
	// shown (by etag); a plan that gives others has outrun the edit.
	Edits map[string]Edit
}

// Edit is the person's own text for a path: Data instead of Shown. Rejected
// are the hunks, by index, that it puts back; nil when the text was typed.
type Edit struct {
	ShownEtag string
	Shown     []byte `json:"-"`
	Data      []byte
	Rejected  []int `json:"-"`
}

// Clone copies the amendments, so that a review can be changed beside the one
// that is shown.
func (a *Amendments) Clone() *Amendments {
	return &Amendments{Dropped: maps.Clone(a.Dropped), Edits: maps.Clone(a.Edits)}
}

// apply gives the write as amended, and whether it is made at all.
func (a *Amendments) apply(op host.Op) (host.Op, bool) {
	if a == nil {
		return op, true
	}
	path := op.Path
	if op.Kind == host.OpRename {
		path = op.To
	}
	if a.Dropped[path] {
		return op, false
	}
	if e, ok := a.Edits[op.Path]; ok && (op.Kind == host.OpCreate || op.Kind == host.OpModify) {
		if host.Etag(op.Data) == e.ShownEtag {
			op.Data = e.Data
			op.Caret = nil
		}
	}
	return op, true
}

// Empty says whether nothing was changed.
func (a *Amendments) Empty() bool { return a == nil || len(a.Dropped)+len(a.Edits) == 0 }
