package guard

import (
	"context"
	"slices"
	"strings"

	"embedded-agent/wasm/internal/ask"
	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/destination"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/keyprint"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/secrets"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/web"
)

// Keyring says where the secrets of the host's store may go from this device, and
// keeps what a person allows. Whatever it cannot find out, it refuses.
type Keyring struct {
	keys      Keys // nil where the host does not tie secrets to hosts
	has       func(ctx context.Context, name string) (bool, error)
	questions *ask.Questions
	named     func() named // what is in force
}

// resolver finds what tools need by name. What a tool gets is a placeholder: the
// app's side puts the value in, in a header, when the request leaves.
func (k *Keyring) resolver() *secrets.Resolver {
	return secrets.New(func(ctx context.Context, name string) (string, bool, error) {
		if k.has == nil {
			return "", false, nil
		}
		has, err := k.has(ctx, name)
		return web.SecretRef(name), has, err
	}, k.named().names)
}

// of gives the keys that a call of an HTTP tool sends to an origin, and whether
// this device has yet to be allowed to. A key that may not go there is
// POLICY_DENIED. One that is missing is left to the stage that resolves it.
func (k *Keyring) of(ctx context.Context, e *tool.Entry, args tool.Args, origin string) ([]protocol.KeyView, error) {
	var out []protocol.KeyView
	for _, name := range e.SecretNames(args) {
		stored, err := k.storedName(ctx, name)
		if fault.Is(err, fault.Auth) {
			continue
		} else if err != nil {
			return nil, err
		}
		if err := k.named().mayGo(stored, name, origin); err != nil {
			return nil, err
		}
		view := protocol.KeyView{Name: name, Redirects: k.named().unlimited(args.String("url"))}
		if view.New, err = k.unconfirmed(ctx, stored, origin, view.Redirects); err != nil {
			return nil, err
		}
		out = append(out, view)
	}
	return out, nil
}

// storedName gives the name that the host's store has for a tool's secret.
func (k *Keyring) storedName(ctx context.Context, name string) (string, error) {
	value, err := k.resolver().Value(ctx, name)
	if err != nil {
		return "", err
	}
	stored, _ := strings.CutPrefix(value, "{{secret:")
	return strings.TrimSuffix(stored, "}}"), nil
}

// unconfirmed says whether this device has yet to be allowed to send a secret to
// an origin. Where the host keeps no such list there is nothing to ask.
func (k *Keyring) unconfirmed(ctx context.Context, stored, origin string, redirects bool) (bool, error) {
	if k.keys == nil {
		return false, nil
	}
	hosts, follows, err := k.keys.Where(ctx, stored)
	if err != nil {
		return true, err
	}
	return !slices.Contains(hosts, origin) || redirects && !slices.Contains(follows, origin), nil
}

// Ask asks whether a key may go to an address from this device, and keeps a yes.
// A no is AUTH_REQUIRED.
func (k *Keyring) Ask(ctx context.Context, name, address string, redirects bool) error {
	to := destination.Of(address)
	p := map[string]string{"name": name, "host": to.Host}
	reason := "question.key.reason"
	if redirects {
		reason = "question.key.redirects"
	}
	a, err := k.questions.Ask(ctx, protocol.Question{
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
	return k.keys.Allow(ctx, name, to.Origin, redirects)
}

// allow keeps a person's yes to requests that carry keys.
func (k *Keyring) allow(ctx context.Context, requests []protocol.RequestView) error {
	for _, r := range requests {
		for _, v := range r.Keys {
			if !v.New || k.keys == nil {
				continue
			}
			stored, err := k.storedName(ctx, v.Name)
			if err == nil {
				err = k.keys.Allow(ctx, stored, destination.Of(r.URL).Origin, v.Redirects)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// Hides gives what takes keys out of the text of answers, without knowing them:
// what an endpoint repeats in one piece the host takes out, but a key that comes
// in several is whole only here.
func (k *Keyring) Hides(names []string) func(context.Context) func(string) string {
	return func(ctx context.Context) func(string) string {
		var prints []keyprint.Print
		for _, name := range names {
			if k.keys == nil {
				break
			}
			// Without a print the host still takes the key out of what it sees.
			if p, err := k.keys.Print(ctx, name); err == nil {
				prints = append(prints, p)
			}
		}
		return func(text string) string { return keyprint.Redact(text, prints) }
	}
}

// Confirm sees to it that this device may send a model's key to an endpoint: an
// address that was changed elsewhere is shown first. Nothing has been sent when it
// fails.
func (k *Keyring) Confirm(ctx context.Context, name, address string) error {
	if name == "" || k.keys == nil || k.has == nil {
		return nil
	}
	if has, err := k.has(ctx, name); err != nil || !has {
		return err // that it is missing is said where it is needed
	}
	ask, err := k.unconfirmed(ctx, name, destination.Of(address).Origin, false)
	if err != nil || !ask {
		return err
	}
	return k.Ask(ctx, name, address, false)
}

// Ties says whether the host lets each key go to named hosts only: then a person
// can allow one more.
func (k *Keyring) Ties() bool { return k.keys != nil }

// whereGoes gives the hosts that a tool's secret may go to, and those of them
// that this device asks about first.
func (k *Keyring) whereGoes(ctx context.Context, name string) (hosts, unconfirmed []string, err error) {
	stored, err := k.storedName(ctx, name)
	if fault.Is(err, fault.Auth) {
		stored = name // there is no value; what the settings say of the name counts
	} else if err != nil {
		return nil, nil, err
	}
	for _, o := range k.named().origins[stored] {
		host := strings.TrimPrefix(o, "https://")
		hosts = append(hosts, host)
		ask, err := k.unconfirmed(ctx, stored, o, false)
		if err != nil {
			return nil, nil, err
		}
		if ask {
			unconfirmed = append(unconfirmed, host)
		}
	}
	return canon.List(hosts), canon.List(unconfirmed), nil
}
