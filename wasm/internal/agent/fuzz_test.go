package agent_test

import (
	"encoding/json"
	"testing"

	"embedded-agent/wasm/internal/agent"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/llmtest"
)

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
			t.Errorf("want Stop agent.Done, got %s %v", out.Stop, out.Problem)
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
