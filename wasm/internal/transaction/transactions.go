// Package transaction carries out plans: it simulates one and shows what it would
// do (a Review), holds what was shown against the vault and the policy, carries out
// what was approved (a Run), takes it back, recovers what a crash has left, and
// goes through a past run again (docs/design/transaction.md).
package transaction

import (
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"
	"time"

	"embedded-agent/wasm/internal/ask"
	"embedded-agent/wasm/internal/guard"
	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/outbox"
	"embedded-agent/wasm/internal/pins"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/reuse"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/underway"
)

// Deps is what the room is given.
type Deps struct {
	Host      host.Host
	Registry  *tool.Registry
	Guard     *guard.Guard
	History   *history.History
	Runs      *underway.Runs
	Questions *ask.Questions
	Pins      *pins.Book
	Plugins   tool.PluginSearcher
	Out       *outbox.Outbox
	Now       func() time.Time
	Life      context.Context // ends with the core
	Talk
	// LookAgain looks for what a crash has left, and tells.
	LookAgain func(context.Context)
	// Tell tells the panel how all stands.
	Tell func(context.Context)
}

// Talk is what the room that talks to models does for this one, which knows none.
type Talk struct {
	// AskModel makes a model step: the only thing in here that asks a model, and
	// only in a simulation.
	AskModel func(context.Context, *Simulation, *tool.Env, tool.Args) (tool.Data, error)
	// PlayBack goes through recorded conversations with nothing but what was
	// recorded, and gives what they staged as a plan; nil for nothing. It asks no
	// model.
	PlayBack func(ctx context.Context, goal string, conversations []json.RawMessage) (*plan.Plan, error)
	// ConfirmKey sees to it that the model of a model step may be sent its key.
	ConfirmKey func(context.Context) error
	// Settled is told what became of a review: approved, or closed.
	Settled func(run string, approved bool)
}

// Transactions is the room. There is at most one turn, one review and one run at a
// time.
type Transactions struct {
	deps Deps

	// taking is held while a run is taken back or recovered; mu may be locked under
	// it.
	taking sync.Mutex

	// results are those that tools let be reused; overlays numbers the overlays.
	results  *reuse.Cache
	overlays atomic.Uint64

	mu      sync.Mutex // guards what follows; a Run's own lock may be locked under it, and no other
	begun   Turn       // the turn that is under way, or was last
	review  *Review    // the one that is open; not changed, but replaced
	run     *Run       // the one that is under way, or what is kept of the last
	lastRun *protocol.RunSummary
	recover []protocol.RunSummary
}

// New gives the room.
func New(d Deps) *Transactions {
	t := &Transactions{deps: d}
	t.results = reuse.NewCache(0, t.SecretScope)
	return t
}
