package host

import "context"

// Changes follows a vault, so that what is known of it can be kept. It is
// optional: where a host has none, the vault is walked and compared.
type Changes interface {
	// Since tells what has changed since a generation that an earlier answer
	// gave; 0 asks for everything. page is that of the answer before, 0 at
	// first. A page that is known no more is CONFLICT: ask from the first.
	Since(ctx context.Context, generation, page int64) (Changed, error)
}

// Changed has the paths that changed since a generation. With All, Changed is every
// entry, in no order, over as many pages as it takes; what changes while they
// are read is told to who asks with the Generation of the first. A Generation
// of 0 means that changes are not followed yet. Page is 0 on the last page.
type Changed struct {
	Generation int64
	All        bool
	Page       int64
	// Open are the notes that an editor holds: their text may not be in the
	// file, and no change tells of it.
	Open    []string
	Removed []string // with all that was in it, where it was a folder
	Changed []Info
}

// FileBytes has the bytes of one of several files that were read. A Missing file could not
// be read: reading it alone says why. The bytes of an Unsaved one are those of
// an editor, and not in the file yet.
type FileBytes struct {
	Data             []byte
	Missing, Unsaved bool
}

// Reads is a port that a Vault may have beside: reading several files at once, for
// hosts where the way there and back is most of the time of a small read. The
// answer is in the order of the paths.
type Reads interface {
	ReadMany(ctx context.Context, paths []string) ([]FileBytes, error)
}

// Meta is a note's row in the host's own cache. Of a Stale one it knows
// nothing that holds: read the file.
type Meta struct {
	Path       string
	Size       int64
	MTime      int64
	Stale      bool
	Tags       []string // of the text, with "#"
	Links      []string // link paths as written, without headings or aliases
	Properties string   // the front matter as JSON, "" without any
	Tasks      int      // how many task items there are
}

// Metadata is the host's own cache of what notes contain. It is optional: where
// a host has none, the notes are read.
type Metadata interface {
	// Of tells of notes, in the order of the paths.
	Of(ctx context.Context, paths []string) ([]Meta, error)
}
