package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"embedded-agent/wasm/internal/agent"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/pipeline"
	"embedded-agent/wasm/internal/reuse"
	"embedded-agent/wasm/internal/secrets"
	"embedded-agent/wasm/internal/tool"
)

// cached is a tool with a cache policy that counts its runs.
func cached(name string, effects tool.SideEffects, policy tool.CachePolicy, runs *int) tool.Tool {
	s := spec(name, effects)
	s.Cache, s.CacheTTLS = policy, 60
	s.Flags.WorkspaceOnly = true
	return tool.Tool{Spec: s, Run: func(context.Context, *tool.Env, tool.Args) (tool.Data, error) {
		*runs++
		return tool.Data{"run": *runs}, nil
	}}
}

func TestResultsAreReusedByTheToolsPolicyAndShownAsCached(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var never, ttl, forever, reads, writes int
		generation := uint64(1)
		cache := reuse.NewCache(0, func(*tool.Entry, tool.Args) string { return "" }).For(func() uint64 { return generation })
		tools := []tool.Tool{
			cached("test.never", tool.None, tool.CacheNone, &never), cached("test.ttl", tool.None, tool.CacheTTL, &ttl),
			cached("test.forever", tool.None, tool.CacheForever, &forever), cached("test.reads", tool.Reads, tool.CacheForever, &reads),
			cached("test.writes", tool.Writes, tool.CacheForever, &writes),
		}
		ask := func() *agent.Outcome {
			var calls []llm.Block
			for i, tl := range tools {
				calls = append(calls, call(fmt.Sprint("c", i), tl.Name, `{"n":1}`))
			}
			k := newKit(t, []llmtest.Turn{llmtest.Reply(calls...), llmtest.Say("ok")}, withTools(tools...), withDeps(func(d *pipeline.Deps) { d.Cache = cache }))
			return k.run("go")
		}
		runs := func(want ...int) {
			t.Helper()
			if got := []int{never, ttl, forever, reads, writes}; !slices.Equal(got, want) {
				t.Errorf("runs %v, want %v", got, want)
			}
		}
		ask()
		runs(1, 1, 1, 1, 1)
		out := ask()
		runs(2, 1, 1, 1, 2)
		for i, want := range []bool{false, true, true, true, false} {
			if e := envelope(t, out, i); e.Cached != want {
				t.Errorf("%s: cached %v", e.Name, e.Cached)
			}
		}
		generation++ // a note changed
		ask()
		runs(3, 1, 1, 2, 3)
		time.Sleep(61 * time.Second)
		ask()
		runs(4, 2, 1, 2, 4)
	})
}

func TestAVaultThatChangesWhileItIsReadLeavesNothingStaleInTheCache(t *testing.T) {
	generation := uint64(1)
	c := reuse.NewCache(0, nil).For(func() uint64 { return generation })
	s := spec("test.reads", tool.Reads)
	s.Cache = tool.CacheForever
	e := &tool.Entry{Tool: tool.Tool{Spec: s}}
	one := &tool.Call{CallID: "1", ArgsHash: "h"}
	if _, hit := c.Get(one, e); hit {
		t.Fatal("a hit in an empty cache")
	}
	generation++ // somebody writes meanwhile
	c.Put(one, e, tool.Data{"old": true})
	if d, hit := c.Get(&tool.Call{CallID: "2", ArgsHash: "h"}, e); hit {
		t.Errorf("the old result is reused: %v", d)
	}
}

func TestACacheKeepsScopesApartAndItsOwnCopies(t *testing.T) {
	scope := "device"
	c := reuse.NewCache(2, func(*tool.Entry, tool.Args) string { return scope }).For(nil)
	s := spec("test.paid", tool.None)
	s.Cache, s.Secrets = tool.CacheForever, []string{"key"}
	e := &tool.Entry{Tool: tool.Tool{Spec: s}}
	get := func(id, hash string) (tool.Data, bool) { return c.Get(&tool.Call{CallID: id, ArgsHash: hash}, e) }
	put := func(id string, d tool.Data) { c.Put(&tool.Call{CallID: id}, e, d) }
	get("1", "h")
	data := tool.Data{"list": []any{"a"}}
	put("1", data)
	data["list"].([]any)[0] = "spoilt"
	got, hit := get("2", "h")
	if !hit || got["list"].([]any)[0] != "a" {
		t.Fatalf("%v %v", got, hit)
	}
	got["list"].([]any)[0] = "spoilt"
	if got, _ := get("3", "h"); got["list"].([]any)[0] != "a" {
		t.Error("a reader changed what is kept")
	}
	scope = "organisation"
	if _, hit := get("4", "h"); hit {
		t.Error("a result of another scope was reused")
	}
	scope = "device"
	for i := range 3 {
		get(fmt.Sprint("n", i), fmt.Sprint("h", i))
		put(fmt.Sprint("n", i), tool.Data{})
	}
	if _, hit := get("5", "h"); hit {
		t.Error("the cache grows without bound")
	}
	put("never looked for", tool.Data{})
}

func TestSecretsComeFromTheNearestScopeAndTheScopeIsShownButNeverTheValue(t *testing.T) {
	const value = "sk-very-secret-value"
	s := spec("test.paid", tool.None)
	s.Secrets = []string{"key"}
	for _, c := range []struct {
		stored map[string]string
		want   string
	}{
		{map[string]string{"key": value, "vault-key": "x", "org-key": "y"}, "device"},
		{map[string]string{"vault-key": value, "org-key": "y"}, "vault"},
		{map[string]string{"key": "", "org-key": value}, "organisation"},
		{map[string]string{}, ""},
	} {
		store := func(_ context.Context, name string) (string, bool, error) { v, ok := c.stored[name]; return v, ok, nil }
		secrets := secrets.New(store, secrets.Names{
			secrets.VaultScope: {"key": "vault-key"}, secrets.OrganisationScope: {"key": "org-key"},
		})
		used := ""
		paid := tool.Tool{Spec: s, Run: func(_ context.Context, env *tool.Env, _ tool.Args) (tool.Data, error) {
			used = env.Secrets["key"]
			return tool.Data{"ok": true}, nil
		}}
		k := newKit(t, []llmtest.Turn{llmtest.Call("c1", "test.paid", `{}`), llmtest.Say("ok")}, withTools(paid),
			withDeps(func(d *pipeline.Deps) { d.Secrets = secrets.Resolve }))
		out := k.run("go")
		e := envelope(t, out, 0)
		if c.want == "" {
			if e.Error == nil || e.Error.Code != string(fault.Auth) || !strings.Contains(e.Error.Message, "settings") {
				t.Errorf("a missing key gave %+v", e.Error)
			}
			continue
		}
		if used != value {
			t.Errorf("%s: the tool got %q", c.want, used)
		}
		if end := k.events[slices.IndexFunc(k.events, func(e agent.Event) bool { return e.Type == agent.ToolEnd })]; end.SecretScope != c.want {
			t.Errorf("the shown scope is %q, want %q", end.SecretScope, c.want)
		}
		all, err := json.Marshal([]any{out.State, out.Outputs, out.Bundle, k.events})
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(all), value) {
			t.Error("the value got out")
		}
	}
}

func TestACallThatIsHeldToAScopeTakesItsSecretsFromThatOneAlone(t *testing.T) {
	stored := map[string]string{"key": "of the device", "vault-key": "of the vault"}
	store := func(_ context.Context, name string) (string, bool, error) { v, ok := stored[name]; return v, ok, nil }
	secrets := secrets.New(store, secrets.Names{secrets.VaultScope: {"key": "vault-key"}, secrets.OrganisationScope: {"key": "org-key"}})
	e := &tool.Entry{Tool: echo}
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
	s := spec("test.paid", tool.None)
	s.Secrets = []string{"key"}
	e := &tool.Entry{Tool: tool.Tool{Spec: s}}
	secrets := secrets.New(func(context.Context, string) (string, bool, error) {
		return "", false, errors.New("keyring said sk-oops")
	}, nil)
	_, err := secrets.Scope(t.Context(), e)
	if !fault.Is(err, fault.Auth) || strings.Contains(err.Error(), "oops") {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := secrets.Resolve(ctx, e, e.Secrets, ""); !fault.Is(err, fault.Cancelled) {
		t.Errorf("stopped: %v", err)
	}
	none := &tool.Entry{Tool: echo}
	if values, scope, err := secrets.Resolve(t.Context(), none, nil, ""); err != nil || len(values) != 0 || scope != "" {
		t.Errorf("%v %q %v", values, scope, err)
	}
}
