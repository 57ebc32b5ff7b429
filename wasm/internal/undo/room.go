// Package undo takes runs back, and decides about those that a crash has left:
// finish, take back, bring back, leave. What it writes goes the way of every write,
// as a run of its own that can be taken back too
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

// Deps is what the room is given.
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

// Undo is the room. It has no state: all is in the store, and in Transactions.
type Undo struct{ deps Deps }

// New gives the room.
func New(d Deps) *Undo { return &Undo{d} }
