package agent

import (
	"context"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/tool"
)

// Scope is whose secret it is (agent-tools §5.2, DESIGN §7).
type Scope string

// The scopes, in the order in which they are tried.
const (
	DeviceScope       Scope = "device"
	VaultScope        Scope = "vault"
	OrganisationScope Scope = "organisation"
)

// SecretStore is the host's secret store: it gives the value kept under a name,
// false when there is none.
type SecretStore func(ctx context.Context, name string) (value string, ok bool, err error)

// Secrets resolves the secrets that tools name: the device's own, then the
// vault's, then the organisation's. A vault and an organisation keep names
// only; the values are all in the store. A value leaves by Resolve alone, and
// only towards the tool.
type Secrets struct {
	store SecretStore
	names map[Scope]map[string]string
}

// NewSecrets makes a resolver. Vault and organisation map a tool's name for a
// secret to the name under which the store has it.
func NewSecrets(store SecretStore, vault, organisation map[string]string) *Secrets {
	return &Secrets{store, map[Scope]map[string]string{VaultScope: vault, OrganisationScope: organisation}}
}

// Resolve gives the secrets of a tool and the widest scope that one of them came
// from. A missing one, or a store that fails, is AUTH_REQUIRED. It fits the
// pipeline's Deps.Secrets.
func (s *Secrets) Resolve(ctx context.Context, e *tool.Entry) (values map[string]string, scope string, err error) {
	values = make(map[string]string, len(e.Secrets))
	widest := -1
	for _, name := range e.Secrets {
		value, at, err := s.find(ctx, e.Name, name)
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
func (s *Secrets) Scope(ctx context.Context, e *tool.Entry) (Scope, error) {
	_, scope, err := s.Resolve(ctx, e)
	return Scope(scope), err
}

var scopes = []Scope{DeviceScope, VaultScope, OrganisationScope}

func (s *Secrets) find(ctx context.Context, toolName, name string) (value string, at int, err error) {
	p := fault.P{"tool": toolName, "name": name}
	for at, scope := range scopes {
		kept := name
		if scope != DeviceScope {
			if kept = s.names[scope][name]; kept == "" {
				continue
			}
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
