// Package saved keeps the plans and prompts that a person has saved: it lists,
// edits, imports and exports them, makes one of a run, and fills one with values
// when it is run. What it is filled to be is carried out elsewhere.
package saved

import (
	"time"

	"embedded-agent/wasm/internal/action"
	"embedded-agent/wasm/internal/ask"
	"embedded-agent/wasm/internal/guard"
	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/outbox"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/tool"
)

// Deps are the parts of the core that the room uses, and the functions that server hands it.
type Deps struct {
	Store     host.Store
	Library   *action.Library
	Registry  *tool.Registry
	Guard     *guard.Guard
	History   *history.History
	Questions *ask.Questions
	Out       *outbox.Outbox
	Now       func() time.Time
	// Plan gives the plan of a run that has just ended, as it was executed, with
	// what was before the person; nil for any other.
	Plan func(run string) (*plan.Plan, *host.EditorState, time.Time)
	// Calls gives the calls of the review that is open, and says that they are all;
	// or those of the turns of a conversation.
	Calls func(run string) (calls []Call, all bool)
}

// Saved is the room. Its state is the library's.
type Saved struct{ deps Deps }

// New gives the room.
func New(d Deps) *Saved { return &Saved{d} }
