package guard

import (
	"context"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/agent"
	"embedded-agent/wasm/internal/destination"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/keyprint"
	"embedded-agent/wasm/internal/network"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/tool"
)

// hostsOf gives the origins that a tool's secret may be sent to, by the name that
// the host's store has for it: what the settings and the organisation say. The
// lock is held.
func (g *Guard) hostsOf() map[string][]string {
	out := map[string][]string{}
	add := func(stored string, hosts []string) {
		for _, h := range hosts {
			if origin := destination.Host(h); origin != "" && !slices.Contains(out[stored], origin) {
				out[stored] = append(out[stored], origin)
			}
		}
	}
	for _, n := range g.settings.Secrets {
		if g.bounds.secrets[agent.Scope(n.Scope)] != nil {
			add(n.Secret, n.Hosts)
			add(n.Name, n.Hosts) // a device may have one under the very name
		}
	}
	for name, stored := range g.bounds.secrets[agent.OrganisationScope] {
		add(stored, g.bounds.secretHosts[name])
		add(name, g.bounds.secretHosts[name])
	}
	return out
}

// keysOf gives the keys that a call of an HTTP tool sends to an origin, and
// whether this device has yet to be allowed to. A key that may not go there is
// POLICY_DENIED. One that is missing is left to the stage that resolves it.
func (g *Guard) keysOf(ctx context.Context, e *tool.Entry, args tool.Args, origin string) ([]protocol.KeyView, error) {
	var out []protocol.KeyView
	for _, name := range e.SecretNames(args) {
		stored, err := g.storedName(ctx, name)
		if fault.Is(err, fault.Auth) {
			continue
		} else if err != nil {
			return nil, err
		}
		if err := g.keyMayGo(stored, name, origin); err != nil {
			return nil, err
		}
		view := protocol.KeyView{Name: name, Redirects: g.unlimited(args.String("url"))}
		if view.New, err = g.unconfirmed(ctx, stored, origin, view.Redirects); err != nil {
			return nil, err
		}
		out = append(out, view)
	}
	return out, nil
}

// storedName gives the name that the host's store has for a tool's secret.
func (g *Guard) storedName(ctx context.Context, name string) (string, error) {
	value, err := g.Secrets().Value(ctx, name)
	if err != nil {
		return "", err
	}
	stored, _ := strings.CutPrefix(value, "{{secret:")
	return strings.TrimSuffix(stored, "}}"), nil
}

// keyMayGo says whether the settings let a secret go to an origin.
func (g *Guard) keyMayGo(stored, name, origin string) error {
	g.mu.Lock()
	hosts := g.hostsOf()[stored]
	g.mu.Unlock()
	if origin != "" && slices.Contains(hosts, origin) {
		return nil
	}
	p := fault.P{"name": name, "host": strings.TrimPrefix(origin, "https://"), "hosts": hostNames(hosts)}
	if len(hosts) == 0 {
		return fault.New(fault.Denied, "policy.secretNoHost", p)
	}
	return fault.New(fault.Denied, "policy.secretHost", p)
}

// hostNames lists origins as people name hosts.
func hostNames(origins []string) string {
	out := make([]string, len(origins))
	for i, o := range origins {
		out[i] = strings.TrimPrefix(o, "https://")
	}
	return strings.Join(out, ", ")
}

// unlimited says whether the person lets the host app's own client ask a host.
func (g *Guard) unlimited(address string) bool {
	g.mu.Lock()
	hosts := g.settings.HTTPHosts
	g.mu.Unlock()
	for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"} {
		if h, err := network.Reachable(hosts, method, address); err == nil && h.Unlimited {
			return true
		}
	}
	return false
}

// unconfirmed says whether this device has yet to be allowed to send a secret to
// an origin. Where the host keeps no such list there is nothing to ask.
func (g *Guard) unconfirmed(ctx context.Context, stored, origin string, redirects bool) (bool, error) {
	if g.deps.Keys == nil {
		return false, nil
	}
	hosts, follows, err := g.deps.Keys.Where(ctx, stored)
	if err != nil {
		return true, err
	}
	return !slices.Contains(hosts, origin) || redirects && !slices.Contains(follows, origin), nil
}

// AskKey asks whether a key may go to an address from this device, and keeps a
// yes.
func (g *Guard) AskKey(ctx context.Context, name, address string, redirects bool) error {
	to := destination.Of(address)
	p := map[string]string{"name": name, "host": to.Host}
	reason := "question.key.reason"
	if redirects {
		reason = "question.key.redirects"
	}
	a, err := g.questions.Ask(ctx, protocol.Question{
		Kind: "key", Text: protocol.Message{Key: "question.key", Params: p}, Reason: protocol.Message{Key: reason, Params: p},
		Requests: []protocol.RequestView{{
			URL: address, Host: to.Host, Shown: to.Shown, Keys: []protocol.KeyView{{Name: name, New: true, Redirects: redirects}},
		}},
	})
	switch {
	case err != nil:
		return err
	case !a.Yes:
		return fault.New(fault.Auth, "error.secret.host", p)
	}
	return g.deps.Keys.Allow(ctx, name, to.Origin, redirects)
}

// allowKeys keeps a person's yes to requests that carry keys.
func (g *Guard) allowKeys(ctx context.Context, requests []protocol.RequestView) error {
	for _, r := range requests {
		for _, k := range r.Keys {
			if !k.New || g.deps.Keys == nil {
				continue
			}
			stored, err := g.storedName(ctx, k.Name)
			if err == nil {
				err = g.deps.Keys.Allow(ctx, stored, destination.Of(r.URL).Origin, k.Redirects)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// HidesKey gives what takes a key out of the text of answers, without knowing it:
// what an endpoint repeats in one piece the host takes out, but a key that comes
// in several is whole only here.
func (g *Guard) HidesKey(name string) func(context.Context) func(string) string {
	return func(ctx context.Context) func(string) string {
		if g.deps.Keys == nil || name == "" {
			return func(text string) string { return text }
		}
		p, err := g.deps.Keys.Print(ctx, name)
		if err != nil {
			p = keyprint.Print{} // the host still takes the key out of what it sees
		}
		return func(text string) string { return keyprint.Redact(text, []keyprint.Print{p}) }
	}
}

// ConfirmKey sees to it that this device may send a model's key to an endpoint: an
// address that was changed elsewhere is shown first. Nothing has been sent when it
// fails.
func (g *Guard) ConfirmKey(ctx context.Context, name, address string) error {
	if name == "" || g.deps.Keys == nil || g.deps.HasSecret == nil {
		return nil
	}
	if has, err := g.deps.HasSecret(ctx, name); err != nil || !has {
		return err // that it is missing is said where it is needed
	}
	ask, err := g.unconfirmed(ctx, name, destination.Of(address).Origin, false)
	if err != nil || !ask {
		return err
	}
	return g.AskKey(ctx, name, address, false)
}

// TiesKeys says whether the host lets each key go to named hosts only: then a
// person can allow one more.
func (g *Guard) TiesKeys() bool { return g.deps.Keys != nil }
