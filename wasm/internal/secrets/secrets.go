// Package secrets finds the secrets that tools name, by scope. It has names only;
// the values are in the host's store.
package secrets

import (
	"context"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/tool"
)

// Scope is whose secret it is (docs/design/network.md#keys).
type Scope string

// The scopes, in the order in which they are tried.
const (
	DeviceScope       Scope = "device"
	VaultScope        Scope = "vault"
	OrganisationScope Scope = "organisation"
)

// Store is the host's secret store: it gives what stands for the value kept
// under a name (the value itself, or a placeholder that the app's side fills), false
// when there is none.
type Store func(ctx context.Context, name string) (value string, ok bool, err error)

// Names maps a tool's name for a secret to the name under which the store
// has it, by scope.
type Names map[Scope]map[string]string

// Resolver resolves the secrets that tools name: the device's own, then the
// vault's, then the organisation's. The scopes keep names only; the values are
// all in the store. A value leaves by Resolve alone, and only towards the tool.
type Resolver struct {
	store Store
	names Names
}

// New makes a resolver. A name that the device's scope does not map is
// looked for as it is.
func New(store Store, names Names) *Resolver { return &Resolver{store, names} }

// Resolve gives secrets by the tool's names for them, and the widest scope that
// one of them came from. A missing one, or a store that fails, is AUTH_REQUIRED.
// They come from one scope only, or for "" from the first that has them. It fits
// the pipeline's Deps.Secrets.
func (s *Resolver) Resolve(ctx context.Context, e *tool.Entry, names []string, only string) (values map[string]string, scope string, err error) {
	values = make(map[string]string, len(names))
	widest := -1
	for _, name := range names {
		value, at, err := s.find(ctx, e.Name, name, Scope(only))
		if err != nil {
			return nil, "", err
		}
		values[name] = value
		widest = max(widest, at)
	}
	if widest < 0 {
		return values, "", nil
	}
	return values, string(scopes[widest]), nil
}

// Scope says where a tool's secrets would come from, for the tool selector and
// the cache; AUTH_REQUIRED when one is missing.
func (s *Resolver) Scope(ctx context.Context, e *tool.Entry) (Scope, error) {
	_, scope, err := s.Resolve(ctx, e, e.Secrets, "")
	return Scope(scope), err
}

// Find says where one secret would come from: its scope, and the name under
// which the store has it. AUTH_REQUIRED when it is missing.
func (s *Resolver) Find(ctx context.Context, name string) (Scope, string, error) {
	_, at, err := s.find(ctx, "", name, "")
	if err != nil {
		return "", "", err
	}
	return scopes[at], s.kept(scopes[at], name), nil
}

// Value gives what the store has for one secret, as Resolve does.
func (s *Resolver) Value(ctx context.Context, name string) (string, error) {
	value, _, err := s.find(ctx, "", name, "")
	return value, err
}

// kept is the name under which the store has a secret of a scope; "" when the
// scope does not have it.
func (s *Resolver) kept(scope Scope, name string) string {
	kept := s.names[scope][name]
	if kept == "" && scope == DeviceScope {
		return name
	}
	return kept
}

var scopes = []Scope{DeviceScope, VaultScope, OrganisationScope}

func (s *Resolver) find(ctx context.Context, toolName, name string, only Scope) (value string, at int, err error) {
	p := fault.P{"tool": toolName, "name": name}
	for at, scope := range scopes {
		if only != "" && scope != only {
			continue
		}
		kept := s.kept(scope, name)
		if kept == "" {
			continue
		}
		value, ok, err := s.store(ctx, kept)
		if err != nil {
			if ctx.Err() != nil {
				return "", 0, fault.From(ctx.Err())
			}
			// The store's own words stay out: nobody knows what is in them.
			return "", 0, fault.New(fault.Auth, "agent.secret.store", p)
		}
		if ok && value != "" {
			return value, at, nil
		}
	}
	return "", 0, fault.New(fault.Auth, "error.secret.missing", p)
}
