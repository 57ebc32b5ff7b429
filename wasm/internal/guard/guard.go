package guard

import (
	"context"
	"sync"
	"time"

	"embedded-agent/wasm/internal/ask"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/keyprint"
	"embedded-agent/wasm/internal/outbox"
	"embedded-agent/wasm/internal/policy"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/web"
)

// Keys tells more of the secrets in a host's store than whether they are
// there: where this device lets each go. A host that has it sends a secret
// nowhere else, whatever the core asks for.
type Keys interface {
	// Where gives the origins that a secret may be sent to, and those of them where
	// the host app's own client, which follows redirects, may send it.
	Where(ctx context.Context, name string) (hosts, redirects []string, err error)
	// Allow keeps a person's yes.
	Allow(ctx context.Context, name, origin string, redirects bool) error
	// Print gives what a secret is found by in a text.
	Print(ctx context.Context, name string) (keyprint.Print, error)
}

// Deps are the parts of the core that a Guard uses, and the functions that server hands it.
type Deps struct {
	// Host is the vault, as it may be seen and written under guard. Its store has the
	// organisation's policy file.
	Host     host.Host
	Registry *tool.Registry
	// Transport is the network; nil where there is none.
	Transport web.Transport
	// HasSecret says whether the host's secret store has a value for a name; nil
	// where there is no such store.
	HasSecret func(ctx context.Context, name string) (bool, error)
	// Keys is nil where the host does not tie secrets to hosts.
	Keys      Keys
	Out       *outbox.Outbox
	Questions *ask.Questions
	Now       func() time.Time
}

// Guard decides what is allowed at this moment, for plans and agents alike: by
// the settings, tightened by the organisation's policy. It asks the person where
// those say so. Whatever it cannot find out, it refuses.
type Guard struct {
	deps      Deps
	registry  *tool.Registry
	questions *ask.Questions
	out       *outbox.Outbox
	keys      *Keyring
	fetched   fetched

	mu       sync.Mutex // guards what follows; nothing else is locked or called under it
	host     host.Host  // its Platform, which the app's side says; the ports stay as they are
	settings protocol.Settings
	base     *policy.Policy // as the settings have it
	policy   *policy.Policy // as it is in force; never changed, but replaced
	bounds   bounds
	zone     *time.Location
}

// New gives a guard with no settings yet: see TakeSettings.
func New(d Deps) *Guard {
	g := &Guard{deps: d, host: d.Host, registry: d.Registry, questions: d.Questions, out: d.Out, zone: time.UTC}
	g.keys = &Keyring{keys: d.Keys, has: d.HasSecret, questions: d.Questions, named: g.namedSecrets}
	return g
}
