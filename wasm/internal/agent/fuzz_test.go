package agent_test

import (
	"encoding/json"
	"slices"
	"testing"

	"embedded-agent/wasm/internal/agent"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/limits"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/tool"
)

// FuzzTighten: whatever an organisation's file holds, it loosens nothing.
func FuzzTighten(f *testing.F) {
	for _, doc := range []string{
		`{"version":1}`, `{"version":1,"enabled_tools":[]}`, `{"version":1,"max_cost":1e308}`, `{"version":1,"max_tokens":1e3}`,
		`{"version":1,"side_effects":"commands","max_iterations":99999999,"enabled_tools":["vault.delete"]}`,
		`{"version":1,"version":1,"rate_limits":{"*":{"per_minute":1e-300,"burst":1}}}`,
	} {
		f.Add([]byte(doc))
	}
	have := limits.Limits{EnabledTools: []string{"a.a"}, MaxIterations: 3, MaxToolCalls: 4, MaxTokens: 500, MaxCost: 600, SideEffects: tool.Reads}
	f.Fuzz(func(t *testing.T, doc []byte) {
		got, err := limits.Tighten(have, doc)
		if err != nil {
			if !fault.Is(err, fault.Validation) {
				t.Fatal(err)
			}
			return
		}
		if got.MaxIterations > 3 || got.MaxToolCalls > 4 || got.MaxTokens > 500 || got.MaxCost > 600 || order(got.SideEffects) > 1 ||
			got.MaxIterations < 1 || got.MaxToolCalls < 1 || got.MaxTokens < 1 || got.MaxCost < 1 {
			t.Fatalf("%+v", got)
		}
		if slices.ContainsFunc(got.EnabledTools, func(s string) bool { return s != "a.a" }) || got.EnabledTools == nil {
			t.Fatalf("%v", got.EnabledTools)
		}
	})
}

// FuzzCall: whatever a model writes for a call, it has one result, which is
// JSON, and the vault is as it was.
func FuzzCall(f *testing.F) {
	f.Add("vault.writeFile", `{"path":"A.md","content":"x"}`)
	f.Add("vault.delete", `{"path":"../x"}`)
	f.Add("v\u0430ult.delete", `{"path":null}`)
	f.Add("", ``)
	f.Add("vault.searchText", `{"query":"(","regex":true}`)
	f.Add("vault.readFile", `{"path":"A.md","file_path":"B.md"}`)
	f.Fuzz(func(t *testing.T, name, args string) {
		k := newKit(t, []llmtest.Turn{llmtest.Reply(call("c1", name, args)), llmtest.Say("ok")}, withFiles(map[string]string{"A.md": "a"}))
		out := k.run("go")
		if got := results(out.State.Messages); len(got) != 1 || !json.Valid([]byte(got[0])) {
			t.Errorf("results %q", got)
		}
		if out.Stop != agent.Done {
			t.Errorf("%s %v", out.Stop, out.Problem)
		}
	})
}

// FuzzReplay: a bundle that was spoilt is refused or replays; it does nothing
// else.
func FuzzReplay(f *testing.F) {
	f.Add([]byte(`{"version":1,"turns":[{"joined":[{"role":"user","content":[{"type":"text","text":"x"}]}],"person":true,"request":"","answer":{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"vault.readFile","arguments":{}}]}}]}`))
	f.Add([]byte(`{"version":1}`))
	f.Add([]byte(`{"version":1,"turns":[{"answer":{"content":[{"type":"toolCall"}]}}],"outputs":{"tool_order":["x"]}}`))
	f.Fuzz(func(t *testing.T, doc []byte) {
		b, err := agent.ParseBundle(doc)
		if err != nil {
			return
		}
		k := newKit(t, nil)
		cfg := forReplay(k)
		cfg.Request = llm.Request{}
		if out, err := agent.Replay(t.Context(), b, cfg); err == nil && out.Outputs.Response != b.Outputs.Response {
			t.Error("a replay that gives something else passed")
		}
	})
}
