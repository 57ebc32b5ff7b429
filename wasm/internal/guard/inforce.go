package guard

import (
	"context"
	"time"

	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/policy"
	"embedded-agent/wasm/internal/protocol"
)

// policyAge is how old the organisation's policy file may be, as it was read
// last, while something is being written.
const policyAge = time.Second

// InForce gives the policy of this moment: the settings as they are, tightened
// by the organisation's policy file as it was at most a moment ago.
func (g *Guard) InForce(ctx context.Context) *policy.Policy {
	g.mu.Lock()
	old := time.Since(g.bounds.read) >= policyAge
	if old {
		g.bounds.read = time.Now() // of several that ask at once, one reads
	}
	g.mu.Unlock()
	if old {
		// A file that cannot be read closes the policy, which is what is given.
		_ = g.ReadOrganisation(context.WithoutCancel(ctx))
	}
	return g.Policy()
}

// ReadAnew has the organisation's policy file read at the next write, however
// short ago it was read: somebody may have changed it.
func (g *Guard) ReadAnew() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.bounds.read = time.Time{}
}

// Writable is the vault as a run writes to it. Lifted, where it is given, says which
// policy holds for a write that a person has let the run make.
func (g *Guard) Writable(lifted func(p *policy.Policy, op host.Op) *policy.Policy) host.Vault {
	return Over(g.host.Vault, func(ctx context.Context, op host.Op) error {
		pol := g.InForce(ctx)
		if lifted != nil {
			pol = lifted(pol, op)
		}
		if err := pol.CheckOp(op); err != nil {
			return err
		}
		return Below(ctx, g.host.Vault, op, pol.MaySee)
	})
}

// Policy gives the policy in force, as it was found last.
func (g *Guard) Policy() *policy.Policy {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.policy
}

// Settings gives the settings.
func (g *Guard) Settings() protocol.Settings {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.settings
}

// Surroundings gives what the core runs in, and the zone of the person's days.
func (g *Guard) Surroundings() (host.Platform, *time.Location) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.host.Platform, g.zone
}
