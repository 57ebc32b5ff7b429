package agent_test

import (
	"context"
	"encoding/json"
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
