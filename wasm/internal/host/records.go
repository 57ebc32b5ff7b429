package host

import "context"

// Flusher is a Store that can bring what was written to the disk itself, so that
// it survives a power cut. A Store that is none gives no such promise.
type Flusher interface {
	// Flush returns when the bytes of these files are on the disk, as far as the
	// engine or the system keeps its word (StoreFacts.Flushes). What is missing is
	// left out.
	Flush(ctx context.Context, paths ...string) error
}

// StoreKind says where a Store keeps the records of this device.
type StoreKind string

// The kinds of stores.
const (
	StoreOPFS   StoreKind = "opfs"      // the origin private file system
	StoreIDB    StoreKind = "indexeddb" // a database of the browser
	StoreFolder StoreKind = "folder"    // files beside the notes
)

// StoreFacts tells where the records of this device are.
type StoreFacts struct {
	Kind StoreKind `json:"kind"`
	// Where is the folder of a StoreFolder, below the plugin's own, and the id
	// under which the other kinds keep this vault.
	Where string `json:"where"`
	// Bytes is how much room the records take.
	Bytes int64 `json:"bytes"`
	// Flushes says whether a flush is passed on to the disk.
	Flushes bool `json:"flushes"`
	// Persisted says whether the browser has promised not to remove the records
	// when it needs room; true where nobody does that.
	Persisted bool `json:"persisted"`
	// ReadOnly says that another window of this vault writes the records, and this
	// one only reads them.
	ReadOnly bool `json:"readOnly"`
	// Refused says why each kind that is preferred to this one was not to be had.
	Refused []StoreRefusal `json:"refused,omitempty"`
}

// StoreRefusal is a kind of store that was not to be had, and the engine's words.
type StoreRefusal struct {
	Kind StoreKind `json:"kind"`
	Why  string    `json:"why"`
}

// Placed is a Store that knows where it keeps the records of this device.
type Placed interface {
	// Facts tells it as it is now; to count the bytes takes as long as to list the
	// store.
	Facts(ctx context.Context) (StoreFacts, error)
	// Owns says whether this is the window of the device that writes the records.
	// Once it is, it stays so.
	Owns(ctx context.Context) (bool, error)
	// Clear removes the records of this device, of this vault alone.
	Clear(ctx context.Context) error
	// Shared is the folder that travels with the vault, as it is: the store of
	// earlier versions. It is never nil.
	Shared() Store
	// ShowOthers lets the runs in the shared folder be read beside those of this
	// device, once this device's have been moved out of it. They are not written.
	ShowOthers()
}

// Layer is a Store over another one, which passes on what it does not change.
type Layer interface {
	Unwrap() Store
}

// Flush brings files to the disk where the store can (Flusher).
func Flush(ctx context.Context, s Store, paths ...string) error {
	if f, ok := beneath[Flusher](s); ok {
		return f.Flush(ctx, paths...)
	}
	return nil
}

// PlacedOf gives the store that knows its place; false where there is none, as
// natively, where all is in one folder.
func PlacedOf(s Store) (Placed, bool) { return beneath[Placed](s) }

// beneath gives the first of the layers of a store that is a T.
func beneath[T any](s Store) (T, bool) {
	for {
		if t, ok := s.(T); ok {
			return t, true
		}
		l, ok := s.(Layer)
		if !ok {
			var none T
			return none, false
		}
		s = l.Unwrap()
	}
}
