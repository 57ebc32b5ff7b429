// Package chat keeps the talk of a person and a model: turns that end in
// an answer, a question or a plan; conversations that act, an agent turn each;
// what is attached; the model's endpoint and what is known of it; and the
// conversations as they are kept.
package chat

import (
	"context"
	"sync"
	"time"

	"embedded-agent/wasm/internal/action"
	"embedded-agent/wasm/internal/agent"
	"embedded-agent/wasm/internal/conversation"
	"embedded-agent/wasm/internal/guard"
	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/outbox"
	"embedded-agent/wasm/internal/pins"
	"embedded-agent/wasm/internal/saved"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/transaction"
	"embedded-agent/wasm/internal/usage"
	"embedded-agent/wasm/internal/web"
)

// Deps are the parts of the core that the room uses, and the functions that server hands it.
type Deps struct {
	Host          host.Host
	Model         ModelAccess
	Registry      *tool.Registry
	Library       *action.Library
	Conversations *conversation.Library
	Guard         *guard.Guard
	History       *history.History
	Pins          *pins.Book
	Saved         *saved.Saved
	Transactions  *transaction.Transactions
	Usage         *usage.Usage
	Out           *outbox.Outbox
	Now           func() time.Time
	Life          context.Context // ends with the core
}

// ModelAccess is how a model is reached.
type ModelAccess struct {
	Transport web.Transport
	// Provider, where set, is used instead of one made from the settings.
	Provider llm.Provider
	// Images makes images fit for a model; nil sends only those that fit as they
	// are.
	Images agent.ImageFitter
}

// Chat is the room: the turn that is under way, and what turns are made with.
type Chat struct {
	// Models and Conversations are the parts of the room with methods of their own.
	Models        *Models
	Conversations *Conversations
	attachments   *attachments
	deps          *Deps

	// mu guards which turn it is. It is locked before the locks of conversations,
	// of a turn and of transactions.
	mu struct {
		sync.Mutex
		turn *turn // the one that is under way, or was last
	}
}

// New gives the room.
func New(d Deps) *Chat {
	room := &Chat{
		deps: &d, attachments: &attachments{&d},
		Models:        &Models{deps: &d, endpoints: &endpoints{store: d.Host.Store}},
		Conversations: &Conversations{deps: &d},
	}
	room.Models.waits = room.waits
	return room
}
