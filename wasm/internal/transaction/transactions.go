// Package transaction carries out plans: it simulates one and shows what it would
// do (a Review), holds what was shown against the vault and the policy, carries out
// what was approved (a Run), and goes through a past run again
// (docs/design/transaction.md).
//
// The room is made of parts that know only those before them:
//
//	simulator  makes a Review of a Draft
//	current    which turn, review and run there are now
//	executor   carries out an approved review
//	reviews    opens, amends, approves and closes reviews
//	replays    opens reviews of past runs: their rest, or all of them again
//
// Locks, in this order: current.taking; current.mu; then a turn's or Run.mu, never
// both. The others are taken last, and nothing of this room is locked under them.
package transaction

import (
	"context"
	"encoding/json"
	"time"

	"embedded-agent/wasm/internal/guard"
	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/notrun"
	"embedded-agent/wasm/internal/outbox"
	"embedded-agent/wasm/internal/pins"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/reuse"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/underway"
)

// Deps are the parts of the core that the room uses, and the functions that server hands it.
type Deps struct {
	Host     host.Host
	Registry *tool.Registry
	Guard    *guard.Guard
	History  *history.History
	Runs     *underway.Runs
	NotRun   *notrun.Shelf
	Pins     *pins.Book
	Plugins  tool.PluginSearcher
	Out      *outbox.Outbox
	Now      func() time.Time
	Life     context.Context // ends with the core
	Talk
	// LookAgain looks for what a crash has left, and tells.
	LookAgain func(context.Context)
}

// Talk has the functions of the room that talks to models, for this one, which knows none.
type Talk struct {
	// AskModel makes a model step: the only thing in here that asks a model, and
	// only in a simulation.
	AskModel func(context.Context, *Simulation, *tool.Env, tool.Args) (tool.Data, error)
	// AllowStep asks the person, where that is due, before a call of a model step
	// sends what it sends.
	AllowStep func(context.Context, *Simulation, *tool.Call) (bool, error)
	// PlayBack goes through recorded conversations with nothing but what was
	// recorded, and gives what they staged as a plan; nil for nothing. It asks no
	// model.
	PlayBack func(ctx context.Context, goal string, conversations []json.RawMessage) (*plan.Plan, error)
	// ConfirmKey sees to it that the model of a model step may be sent its key.
	ConfirmKey func(context.Context) error
	// Settled is told what became of a review: approved, or closed.
	Settled func(run string, approved bool)
}

// Transactions is the room: all that its parts do. There is at most one turn, one
// review and one run at a time.
type Transactions struct {
	*simulator
	*current
	*executor
	*reviews
	*replays
}

// New gives the room.
func New(d Deps) *Transactions {
	sim := &simulator{deps: &d}
	sim.results = reuse.NewCache(0, sim.secretScope)
	now := &current{deps: &d}
	exec := &executor{&d, sim, now}
	open := &reviews{&d, sim, now, exec}
	return &Transactions{sim, now, exec, open, &replays{&d, sim, now, open}}
}
