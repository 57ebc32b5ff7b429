// Package guard asks before each write: whatever makes one (a run, a revert,
// what finishes a run after a crash, what puts a half-written file right), it
// goes to the vault through here, and is refused or made.
//
// What a simulation was allowed says nothing of the present: a person may have
// made the settings stricter since, and records may be somebody else's.
package guard

import (
	"context"

	"embedded-agent/wasm/internal/host"
)

// Ask says whether a write may be made, by what is in force at this moment; its
// error is the refusal. Whatever it cannot find out, it refuses.
type Ask func(ctx context.Context, op host.Op) error

// Over gives a vault whose every write is asked about first.
func Over(v host.Vault, ask Ask) host.Vault { return vault{v, ask} }

type vault struct {
	host.Vault
	ask Ask
}

func (v vault) Apply(ctx context.Context, op host.Op) (host.Info, error) {
	if err := v.ask(ctx, op); err != nil {
		return host.Info{}, err
	}
	return v.Vault.Apply(ctx, op)
}
