// Package copychange says how the files in a working copy differ from the notes
// that it was made of: one Change for each file or folder, with moves found
// (Moves), in an order in which they can be made (Order). It is pure: package
// workcopy looks at the disk, and the room staged makes a review of the changes
// (docs/design/staging.md#compare).
package copychange

import (
	"cmp"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/vaultpath"
)

// Kind says what became of a file or folder.
type Kind int

// The kinds of changes.
const (
	Create Kind = iota // a file that the notes do not have
	Modify             // a file with other bytes
	Move               // a file at another path, perhaps with other bytes
	Delete             // a file that is not in the copy any more
	Mkdir              // a folder that the notes do not have
	Rmdir              // a folder that is not in the copy any more
)

// Change is one difference between a working copy and the notes that it was made of.
type Change struct {
	Kind Kind
	Path string // in the vault, with "/" between the parts
	From string // the path before, of a move
	// Base has the bytes of the file when the copy was made; nil for a new file.
	Base []byte
	// Data has the bytes that the command left; nil for what it deleted.
	Data []byte
	// Lost says that the bytes before are not known any more: the file was too large
	// to be kept, and the note has changed since.
	Lost bool
}

// Order sorts changes so that each can be made after those before it: texts first,
// then new folders, moves, deletions, removed folders, and new files. A folder that
// takes the place of a file comes after the deletion of the file, and the reverse.
// A move that such a change is in the way of becomes a deletion and a new file.
func Order(all []Change) []Change {
	removed, gone := map[string]bool{}, map[string]bool{} // folders, and files
	for _, c := range all {
		switch c.Kind {
		case Rmdir:
			removed[c.Path] = true
		case Delete:
			gone[c.Path] = true
		case Move:
			gone[c.From] = true
		}
	}
	blocked := map[string]bool{} // new folders where a file has to go first
	for _, c := range all {
		if c.Kind == Mkdir && gone[c.Path] {
			blocked[c.Path] = true
		}
	}
	late := func(path string) bool {
		for at := path; at != ""; at = vaultpath.Parent(at) {
			if blocked[at] {
				return true
			}
		}
		return false
	}
	var out []Change
	for _, c := range all {
		if c.Kind == Move && (removed[c.Path] || late(vaultpath.Parent(c.Path))) {
			out = append(out, Change{Kind: Delete, Path: c.From, Base: c.Base, Lost: c.Lost}, Change{Kind: Create, Path: c.Path, Data: c.Data})
			continue
		}
		out = append(out, c)
	}
	slices.SortStableFunc(out, func(a, b Change) int {
		ra, rb := rank(a, late), rank(b, late)
		if ra != rb {
			return cmp.Compare(ra, rb)
		}
		if a.Kind == Rmdir { // what is deeper first
			return strings.Compare(b.Path, a.Path)
		}
		return strings.Compare(a.Path, b.Path)
	})
	return out
}

func rank(c Change, late func(string) bool) int {
	switch c.Kind {
	case Modify:
		return 0
	case Mkdir:
		if late(c.Path) {
			return 5
		}
		return 1
	case Move:
		return 2
	case Delete:
		return 3
	case Rmdir:
		return 4
	}
	return 6
}
