// Package guard decides what is allowed at this moment: the settings, tightened by
// the organisation's policy, what of the vault may be seen, which secrets a tool
// gets, which requests a person is asked about, and what limits an agent. Plans and
// agents go through the same guard. What it cannot find out, it refuses.
//
// Every write goes through here, whoever makes it (a run, a revert, what finishes a
// run after a crash, what repairs a half-written file). What a simulation was
// allowed says nothing of the present: a person may have made the settings stricter
// since, and records may be somebody else's.
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
