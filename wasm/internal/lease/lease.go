// Package lease says who has a run in hand. A run that has begun and not ended
// has a marker in the store; the marker names the device and the window that
// carry it out, and is written anew every few seconds. Who finds a marker that
// is fresh leaves the run alone; who finds one that has gone stale may take it
// over, and the former owner finds out before its next write.
package lease

import (
	"context"
	"encoding/json"
	"time"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
)

// How often an owner says that it is there, and after how long without that it
// is taken to be gone: on one device, and on another one, from which files may
// come late.
const (
	Beat        = 10 * time.Second
	StaleHere   = time.Minute
	StaleRemote = 10 * time.Minute
)

// Lease is the content of a marker.
type Lease struct {
	Run   string     `json:"run"`
	Owner host.Owner `json:"owner"`
	At    int64      `json:"at"` // when the owner last said that it is there, in ms since 1970
}

// Read reads a marker; NOT_FOUND where there is none. One that says nothing of an
// owner gives a lease without one. What cannot be read is read twice: its owner may
// be writing it just now, and a live run must not be taken for one without an owner.
func Read(ctx context.Context, store host.Store, path string) (Lease, error) {
	for range 2 {
		b, err := store.Read(ctx, path)
		if err != nil {
			return Lease{}, err
		}
		var l Lease
		if json.Unmarshal(b, &l) == nil {
			return l, nil
		}
	}
	return Lease{}, nil // cut short by a crash, or of a version that had no owners
}

// Write writes a marker.
func Write(ctx context.Context, store host.Store, path string, l Lease) error {
	b, err := json.Marshal(l)
	if err != nil {
		return err
	}
	if err := store.Write(ctx, path, b); err != nil {
		return fault.Store(err)
	}
	return nil
}

// State says what a lease means to its reader.
type State int

// The states.
const (
	Free   State = iota // its owner is gone, or is oneself as one was before a crash
	Here                // another window of this device has it
	Remote              // another device has it
)

// Judge says whether a lease still holds. Seen is when this lease was first found
// as it is now: the clock of another device may be wrong, what is seen here is
// not.
func Judge(ctx context.Context, owners host.Owners, l Lease, now, seen time.Time) (State, error) {
	if owners == nil || l.Owner == (host.Owner{}) {
		return Free, nil
	}
	self, err := owners.Self(ctx)
	if err != nil {
		return Free, err
	}
	age := max(now.Sub(time.UnixMilli(l.At)), now.Sub(seen))
	switch {
	case l.Owner == self:
		return Free, nil
	case l.Owner.Device != self.Device:
		if age > StaleRemote {
			return Free, nil
		}
		return Remote, nil
	case age > StaleHere:
		return Free, nil
	}
	gone, err := owners.Gone(ctx, l.Owner.Window)
	if err != nil || gone {
		return Free, err
	}
	return Here, nil
}
