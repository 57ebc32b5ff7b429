package guard

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/agent"
	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/sorting"
	"embedded-agent/wasm/internal/tool"
)

// secretNames sorts the names of the settings by scope. Values are not among
// them: the settings have none.
func secretNames(list []protocol.NamedSecret) agent.SecretNames {
	names := agent.SecretNames{agent.DeviceScope: {}, agent.VaultScope: {}}
	for _, n := range list {
		scope := agent.Scope(n.Scope)
		if names[scope] == nil || n.Name == "" || n.Secret == "" {
			continue // an unknown scope gives nothing
		}
		names[scope][n.Name] = n.Secret
	}
	return names
}

// Secrets finds what tools need by name. What a tool gets is a placeholder: the
// app's side puts the value in, in a header, when the request leaves.
func (g *Guard) Secrets() *agent.Secrets {
	g.mu.Lock()
	names := g.bounds.secrets
	g.mu.Unlock()
	return agent.NewSecrets(func(ctx context.Context, name string) (string, bool, error) {
		if g.deps.HasSecret == nil {
			return "", false, nil
		}
		has, err := g.deps.HasSecret(ctx, name)
		return llm.SecretRef(name), has, err
	}, names)
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
	g.mu.Lock()
	named := g.bounds.secrets
	g.mu.Unlock()
	tools := map[string][]string{}
	for _, names := range named {
		for name := range names {
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
			v.Scope = string(nearest(named, name))
		}
		if v.Hosts, v.Unconfirmed, err = g.whereGoes(ctx, name); err != nil {
			return out, err
		}
		out.Secrets = append(out.Secrets, v)
	}
	sorting.Func(out.Secrets, func(a, b protocol.SecretView) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// whereGoes gives the hosts that a tool's secret may go to, and those of them
// that this device asks about first.
func (g *Guard) whereGoes(ctx context.Context, name string) (hosts, unconfirmed []string, err error) {
	stored, err := g.storedName(ctx, name)
	if fault.Is(err, fault.Auth) {
		stored = name // there is no value; what the settings say of the name counts
	} else if err != nil {
		return nil, nil, err
	}
	g.mu.Lock()
	origins := g.hostsOf()[stored]
	g.mu.Unlock()
	for _, o := range origins {
		host := strings.TrimPrefix(o, "https://")
		hosts = append(hosts, host)
		ask, err := g.unconfirmed(ctx, stored, o, false)
		if err != nil {
			return nil, nil, err
		}
		if ask {
			unconfirmed = append(unconfirmed, host)
		}
	}
	return canon.List(hosts), canon.List(unconfirmed), nil
}

// nearest is the scope where a secret without a value is expected.
func nearest(named agent.SecretNames, name string) agent.Scope {
	for _, scope := range []agent.Scope{agent.DeviceScope, agent.VaultScope, agent.OrganisationScope} {
		if _, ok := named[scope][name]; ok {
			return scope
		}
	}
	return agent.DeviceScope
}

// NamedSecrets gives the names that the settings and the organisation have for
// secrets of tools.
func (g *Guard) NamedSecrets() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	all := map[string]bool{}
	for _, names := range g.bounds.secrets {
		for name := range names {
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
