package chat

import (
	"embedded-agent/wasm/internal/history"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/transaction"
)

// staging is the ground of an agent's turn: the notes as they were when it began,
// and over them what it staged. Its id is the run's.
type staging struct {
	ID string
	transaction.Scene
	Trace *history.Tracing
	Base  *overlay.Base
	Vault *overlay.Vault
}
