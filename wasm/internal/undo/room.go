// Package undo reverts runs, and decides about those that a crash has left:
// finish, revert, bring back, leave. What it writes goes the way of every write,
// as a run of its own that can be reverted too
// (docs/design/transaction.md, docs/adr/0019-seals-of-this-device.md).
package undo

import (
	"context"
	"time"

	"embedded-agent/wasm/internal/guard"
	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/outbox"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/transaction"
	"embedded-agent/wasm/internal/underway"
)

// Deps are the parts of the core that the room uses, and the functions that server hands it.
type Deps struct {
	Host         host.Host
	Registry     *tool.Registry
	Guard        *guard.Guard
	History      *history.History
	Runs         *underway.Runs
	Transactions *transaction.Transactions
	Out          *outbox.Outbox
	Now          func() time.Time
	// Tell tells the panel how all stands.
	Tell func(context.Context)
}

// Undo is the room. All its state is in the store, and in Transactions, but for what
// cancels the undo that is being made. It is made of parts that know only those before them; what one of them does with the
// vault is kept from the others by Transactions.Alone.
//
//	stopping  the undo that is being made, for its being cancelled
//	rules     what an undo may write
//	settler   what became of the writes of a run, and the end of one that had none
//	found     what a crash has left
//	reverts   reverts, at once or by a review
//	recovery  what a person chose for what a crash has left
//	records   the undo records as a whole: shown, copied, deleted
type Undo struct {
	*stopping
	*found
	*reverts
	*recovery
	*records
}

// New gives the room.
func New(d Deps) *Undo {
	may := &rules{&d}
	settle := &settler{&d, may}
	left := &found{&d, settle}
	stop := &stopping{}
	back := &reverts{&d, stop, may, settle, left}
	return &Undo{stop, left, back, &recovery{&d, may, settle, left, back}, &records{&d}}
}
