package secrets_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/secrets"
	"embedded-agent/wasm/internal/tool"
)

func TestACallThatIsHeldToAScopeTakesItsSecretsFromThatOneAlone(t *testing.T) {
	stored := map[string]string{"key": "of the device", "vault-key": "of the vault"}
	store := func(_ context.Context, name string) (string, bool, error) { v, ok := stored[name]; return v, ok, nil }
	secrets := secrets.New(store, secrets.Names{secrets.VaultScope: {"key": "vault-key"}, secrets.OrganisationScope: {"key": "org-key"}})
	e := &tool.Entry{}
	for scope, want := range map[string]string{"": "of the device", "device": "of the device", "vault": "of the vault", "organisation": ""} {
		values, from, err := secrets.Resolve(t.Context(), e, []string{"key"}, scope)
		switch {
		case want == "" && !fault.Is(err, fault.Auth):
			t.Errorf("%s has no secret, and gave %v, %v", scope, values, err)
		case want != "" && (err != nil || values["key"] != want || scope != "" && from != scope):
			t.Errorf("%s: %v from %s, %v", scope, values, from, err)
		}
	}
}

func TestASecretStoreThatFailsIsAuthRequiredWithoutItsWords(t *testing.T) {
	s := tool.Spec{Name: "test.paid", Secrets: []string{"key"}}
	e := &tool.Entry{Tool: tool.Tool{Spec: s}}
	secrets := secrets.New(func(context.Context, string) (string, bool, error) {
		return "", false, errors.New("keyring said sk-oops")
	}, nil)
	_, err := secrets.Scope(t.Context(), e)
	if !fault.Is(err, fault.Auth) || strings.Contains(err.Error(), "oops") {
		t.Errorf("want the error fault.Auth and Error without \"oops\", got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := secrets.Resolve(ctx, e, e.Secrets, ""); !fault.Is(err, fault.Cancelled) {
		t.Errorf("stopped: %v", err)
	}
	none := &tool.Entry{}
	if values, scope, err := secrets.Resolve(t.Context(), none, nil, ""); err != nil || len(values) != 0 || scope != "" {
		t.Errorf("want no error, no values and no scope, got %v %q %v", values, scope, err)
	}
}
