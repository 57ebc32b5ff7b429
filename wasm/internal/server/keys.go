package server

import (
	"context"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/agent"
	"embedded-agent/wasm/internal/destination"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/keyprint"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/network"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/tool"
)

// Keys is what a host knows of the secrets of its store beside whether they are
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

// hostsOf gives the origins that a tool's secret may be sent to, by the name that
// the host's store has for it: what the settings and the organisation say. The
// lock is held.
func (s *Server) hostsOf() map[string][]string {
	out := map[string][]string{}
	add := func(stored string, hosts []string) {
		for _, h := range hosts {
			if origin := destination.Host(h); origin != "" && !slices.Contains(out[stored], origin) {
				out[stored] = append(out[stored], origin)
			}
		}
	}
	for _, n := range s.settings.Secrets {
		if s.rails.secrets[agent.Scope(n.Scope)] != nil {
			add(n.Secret, n.Hosts)
			add(n.Name, n.Hosts) // a device may have one under the very name
		}
	}
	for name, stored := range s.rails.secrets[agent.OrganisationScope] {
		add(stored, s.rails.secretHosts[name])
		add(name, s.rails.secretHosts[name])
	}
	return out
}

// keysOf gives the keys that a call of an HTTP tool sends to an origin, and
// whether this device has yet to be allowed to. A key that may not go there is
// POLICY_DENIED. One that is missing is left to the stage that resolves it.
func (s *Server) keysOf(ctx context.Context, e *tool.Entry, args tool.Args, origin string) ([]protocol.KeyView, error) {
	var out []protocol.KeyView
	for _, name := range e.SecretNames(args) {
		stored, err := s.storedName(ctx, name)
		if fault.Is(err, fault.Auth) {
			continue
		} else if err != nil {
			return nil, err
		}
		if err := s.keyMayGo(stored, name, origin); err != nil {
			return nil, err
		}
		view := protocol.KeyView{Name: name, Redirects: s.unlimited(args.String("url"))}
		if view.New, err = s.unconfirmed(ctx, stored, origin, view.Redirects); err != nil {
			return nil, err
		}
		out = append(out, view)
	}
	return out, nil
}

// storedName gives the name that the host's store has for a tool's secret.
func (s *Server) storedName(ctx context.Context, name string) (string, error) {
	value, err := s.secrets().Value(ctx, name)
	if err != nil {
		return "", err
	}
	stored, _ := strings.CutPrefix(value, "{{secret:")
	return strings.TrimSuffix(stored, "}}"), nil
}

// keyMayGo says whether the settings let a secret go to an origin.
func (s *Server) keyMayGo(stored, name, origin string) error {
	s.mu.Lock()
	hosts := s.hostsOf()[stored]
	s.mu.Unlock()
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
func (s *Server) unlimited(address string) bool {
	s.mu.Lock()
	hosts := s.settings.HTTPHosts
	s.mu.Unlock()
	for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"} {
		if h, err := network.Reachable(hosts, method, address); err == nil && h.Unlimited {
			return true
		}
	}
	return false
}

// unconfirmed says whether this device has yet to be allowed to send a secret to
// an origin. Where the host keeps no such list there is nothing to ask.
func (s *Server) unconfirmed(ctx context.Context, stored, origin string, redirects bool) (bool, error) {
	if s.deps.Keys == nil {
		return false, nil
	}
	hosts, follows, err := s.deps.Keys.Where(ctx, stored)
	if err != nil {
		return true, err
	}
	return !slices.Contains(hosts, origin) || redirects && !slices.Contains(follows, origin), nil
}

// confirmKey sees to it that this device may send the model's key to the endpoint
// of the settings: an address that was changed elsewhere is shown first. Nothing
// has been sent when it fails.
func (s *Server) confirmKey(ctx context.Context) error {
	s.mu.Lock()
	c, given := s.settings, s.deps.Provider != nil
	s.mu.Unlock()
	if given {
		return nil
	}
	m := modelOf(&c, "")
	name, to := m.endpoint.Secret, destination.Of(m.endpoint.BaseURL)
	if name == "" || s.deps.Keys == nil || s.deps.HasSecret == nil {
		return nil
	}
	if has, err := s.deps.HasSecret(ctx, name); err != nil || !has {
		return err // that it is missing is said where it is needed
	}
	ask, err := s.unconfirmed(ctx, name, to.Origin, false)
	if err != nil || !ask {
		return err
	}
	return s.askKey(ctx, name, m.endpoint.BaseURL, false)
}

// askKey asks whether a key may go to an address from this device, and keeps a
// yes.
func (s *Server) askKey(ctx context.Context, name, address string, redirects bool) error {
	to := destination.Of(address)
	p := map[string]string{"name": name, "host": to.Host}
	reason := "question.key.reason"
	if redirects {
		reason = "question.key.redirects"
	}
	a, err := s.questions.Ask(ctx, protocol.Question{
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
	return s.deps.Keys.Allow(ctx, name, to.Origin, redirects)
}

// allowKeys keeps a person's yes to requests that carry keys.
func (s *Server) allowKeys(ctx context.Context, requests []protocol.RequestView) error {
	for _, r := range requests {
		for _, k := range r.Keys {
			if !k.New || s.deps.Keys == nil {
				continue
			}
			stored, err := s.storedName(ctx, k.Name)
			if err == nil {
				err = s.deps.Keys.Allow(ctx, stored, destination.Of(r.URL).Origin, k.Redirects)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// hidesKey gives what takes a key out of the text of answers, without knowing it:
// what an endpoint repeats in one piece the host takes out, but a key that comes
// in several is whole only here.
func (s *Server) hidesKey(name string) func(context.Context) func(string) string {
	return func(ctx context.Context) func(string) string {
		if s.deps.Keys == nil || name == "" {
			return func(text string) string { return text }
		}
		p, err := s.deps.Keys.Print(ctx, name)
		if err != nil {
			p = keyprint.Print{} // the host still takes the key out of what it sees
		}
		return func(text string) string { return keyprint.Redact(text, []keyprint.Print{p}) }
	}
}

// keyed sends the requests of a model. Where only the host app's own client gets
// through, the person is asked before a key goes that way: it follows redirects,
// and nobody can see where to.
type keyed struct {
	llm.Transport
	s        *Server
	endpoint llm.Endpoint
}

// Do sends a request.
func (k keyed) Do(ctx context.Context, r llm.HTTPRequest) (llm.HTTPResponse, error) {
	answer, err := k.Transport.Do(ctx, r)
	if err == nil || fault.From(err).Key != "error.secret.redirects" || k.s.deps.Keys == nil {
		return answer, err
	}
	if err := k.s.askKey(ctx, k.endpoint.Secret, k.endpoint.BaseURL, true); err != nil {
		return nil, err
	}
	return k.Transport.Do(ctx, r)
}
