package guard

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/secrets"
	"embedded-agent/wasm/internal/sorting"
	"embedded-agent/wasm/internal/tool"
)

// secretNames sorts the names of the settings by scope. Values are not among
// them: the settings have none.
func secretNames(list []protocol.NamedSecret) secrets.Names {
	names := secrets.Names{secrets.DeviceScope: {}, secrets.VaultScope: {}}
	for _, n := range list {
		scope := secrets.Scope(n.Scope)
		if names[scope] == nil || n.Name == "" || n.Secret == "" {
			continue // an unknown scope gives nothing
		}
		names[scope][n.Name] = n.Secret
	}
	return names
}

// Keys says where secrets may go from this device.
func (g *Guard) Keys() *Keyring { return g.keys }

// Secrets finds what tools need by name.
func (g *Guard) Secrets() *secrets.Resolver { return g.keys.resolver() }

// namedSecrets gives what is said of secrets at this moment.
func (g *Guard) namedSecrets() named {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.bounds.secrets
}

// ResolveSecrets is the pipelines' stage.
func (g *Guard) ResolveSecrets(ctx context.Context, e *tool.Entry, names []string, only string) (map[string]string, string, error) {
	return g.Secrets().Resolve(ctx, e, names, only)
}

// RedactResult hides what is to be hidden from what a model reads, and from the
// receipts of its calls.
func (g *Guard) RedactResult(_ *tool.Call, r *tool.Result) {
	if data, changed := g.out.RedactValue(map[string]any(r.Data)); changed {
		r.Data, _ = data.(map[string]any)
	}
}

// KeepHidden refuses a write in which a marker stands for hidden text: a model
// that writes back what it has read would put the marker in the text's place.
func (g *Guard) KeepHidden(_ context.Context, c *tool.Call) error {
	e, err := g.registry.Get(c.Tool, c.Version)
	if err != nil || e.SideEffects != tool.Writes || !HoldsMarker(map[string]any(c.Args)) {
		return err
	}
	return fault.New(fault.Validation, "agent.hidden", fault.P{"tool": c.Tool})
}

// SecretsList gives every secret that has a name: in the settings, in the
// organisation's policy, or in a tool that needs it.
func (g *Guard) SecretsList(ctx context.Context, _ protocol.Empty) (protocol.Secrets, error) {
	names := g.namedSecrets().names
	tools := map[string][]string{}
	for _, scope := range names {
		for name := range scope {
			tools[name] = []string{}
		}
	}
	for _, e := range g.registry.All() {
		for _, name := range e.Secrets {
			if !slices.Contains(tools[name], e.Name) {
				tools[name] = append(tools[name], e.Name)
			}
		}
	}
	out := protocol.Secrets{Secrets: []protocol.SecretView{}}
	find := g.Secrets()
	for name, by := range tools {
		v := protocol.SecretView{Name: name, Tools: by}
		scope, _, err := find.Find(ctx, name)
		switch {
		case err == nil:
			v.Scope, v.Has = string(scope), true
		case !fault.Is(err, fault.Auth):
			return out, err
		default:
			v.Scope = string(nearest(names, name))
		}
		if v.Hosts, v.Unconfirmed, err = g.keys.whereGoes(ctx, name); err != nil {
			return out, err
		}
		out.Secrets = append(out.Secrets, v)
	}
	sorting.Func(out.Secrets, func(a, b protocol.SecretView) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// nearest is the scope where a secret without a value is expected.
func nearest(named secrets.Names, name string) secrets.Scope {
	for _, scope := range []secrets.Scope{secrets.DeviceScope, secrets.VaultScope, secrets.OrganisationScope} {
		if _, ok := named[scope][name]; ok {
			return scope
		}
	}
	return secrets.DeviceScope
}

// NamedSecrets gives the names that the settings and the organisation have for
// secrets of tools.
func (g *Guard) NamedSecrets() []string {
	all := map[string]bool{}
	for _, scope := range g.namedSecrets().names {
		for name := range scope {
			all[name] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// HoldsMarker says whether a text was redacted before it was kept.
func HoldsMarker(v any) bool {
	b, err := canon.Encode(v)
	return err != nil || bytes.Contains(b, []byte("[redacted:"))
}
