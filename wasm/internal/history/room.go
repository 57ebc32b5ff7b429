// Package history keeps past runs and shows them: what each was (run.json), the
// line that the history has of it, its trace and its conversations with a model,
// and the outputs beside it. It executes nothing, and writes to no note.
package history

import (
	"context"
	"time"

	"embedded-agent/wasm/internal/guard"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/outbox"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/storesize"
	"embedded-agent/wasm/internal/tool"
)

// Deps are the parts of the core that the room uses, and the functions that server hands it.
type Deps struct {
	Store    host.Store
	Sizes    *storesize.Store
	Registry *tool.Registry
	Guard    *guard.Guard // its settings bound what is kept
	Out      *outbox.Outbox
	Now      func() time.Time
	// Device names this device, in the runs that it makes.
	Device func(context.Context) (string, error)
	// Writer names this window of the device, in the names of files that grow.
	Writer func(context.Context) (string, error)
	// Turns gives the runs under which the turns of a conversation were traced, the
	// oldest first; none where the conversation was removed.
	Turns func(ctx context.Context, conversation string) ([]string, error)
	// Needed lists the runs that must stay: those that did not end, and what they
	// are about.
	Needed func(context.Context) ([]string, error)
	// Live gives the trace of what is under way; nil for any other run.
	Live func(run string) *Tracing
	// Stands says how a run stands that has a marker: OutcomeUnderway while somebody
	// carries it out, OutcomeWaiting while a person is asked, else OutcomeUnfinished.
	Stands func(ctx context.Context, run string) (protocol.RunOutcome, error)
	// Dropped is told of each run that is removed.
	Dropped func(run string)
}

// History is the room. All is in the store; what it remembers of that is whose each
// run is, and the lines of those that have ended.
type History struct {
	deps  Deps
	whose *whose
	index *index
}

// New gives the room.
func New(d Deps) *History {
	w := &whose{store: d.Store, device: d.Device, known: map[string]bool{}}
	return &History{deps: d, whose: w, index: newIndex(d.Store, d.Sizes, d.Writer, w)}
}
