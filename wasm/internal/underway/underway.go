// Package underway knows which runs have begun and not ended, and who has each in
// hand: a marker in the store for each (hot/RUN), which is a lease (package lease;
// docs/adr/0023-who-has-a-run-in-hand.md). Writes of a run go through a vault that
// refuses them once somebody else has taken the run.
package underway

import (
	"context"
	"sync"
	"time"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/lease"
)

// Deps are the parts of the core that the room uses, and the functions that server hands it.
type Deps struct {
	Host host.Host
	Now  func() time.Time
	Life context.Context // ends with the core
	// KeepKey keeps the key of redaction markers, before the first record that may
	// hold one.
	KeepKey func(context.Context) error
	// Elsewhere says whether a run was made on another device.
	Elsewhere func(ctx context.Context, id string) (bool, error)
	// LookAgain is called where a run that went on elsewhere may have ended.
	LookAgain func(context.Context)
}

// Runs is the room.
type Runs struct {
	deps Deps

	// mu guards its fields. Nothing else is locked or called under it.
	mu struct {
		sync.Mutex
		leases   map[string]*lease.Keeper // of the runs that are carried out here
		seen     map[string]sighting      // the leases of others, by run
		former   map[string]host.Owner    // from whom a run was taken over
		watching bool                     // somebody looks again in a while
	}
}

// New gives the room.
func New(d Deps) *Runs {
	r := &Runs{deps: d}
	r.mu.leases, r.mu.seen, r.mu.former = map[string]*lease.Keeper{}, map[string]sighting{}, map[string]host.Owner{}
	return r
}
