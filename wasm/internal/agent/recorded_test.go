package agent_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"embedded-agent/wasm/internal/agent"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/pipeline"
	"embedded-agent/wasm/internal/plan"
	"embedded-agent/wasm/internal/policy"
	"embedded-agent/wasm/internal/runner"
	"embedded-agent/wasm/internal/tool"
)

// simulatePlan simulates a plan on a fresh overlay and gives its changeset.
func simulatePlan(t *testing.T, reg *tool.Registry, p *plan.Plan, files map[string]string, active string) ([]overlay.Change, error) {
	t.Helper()
	doc, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	read, problems := plan.Decode(doc, plan.Limits{})
	if plan.Failed(problems) {
		return nil, plan.Fault(problems)
	}
	g, problems := plan.Check(read, reg, plan.Rules{Bound: true})
	if plan.Failed(problems) {
		return nil, plan.Fault(problems)
	}
	h := hosttest.New(hosttest.Options{Files: files, Active: active}).Host()
	pol := &policy.Policy{AllowRenames: true, AllowDeletes: true, Limits: tool.Limits{MaxConcurrency: 4, MaxCalls: 100}}
	v := overlay.New(overlay.NewBase(h.Vault, h.Editor, time.Now()), overlay.WithGuard(pol.CheckOp))
	do := pipeline.New(pipeline.Deps{Registry: reg, Guards: pipeline.Guards{Policy: pol}, Simulating: true, Env: func(c *tool.Call) (*tool.Env, *overlay.View) {
		w := v.For(c.LogicalID)
		return &tool.Env{Vault: w, Editor: w, Platform: h.Platform, Progress: func(tool.Progress) {}}, w
	}})
	rep := runner.Run(t.Context(), runner.Config{RunID: runID, Graph: g, Call: do, Limits: pol.Limits, Simulating: true})
	if rep.Stopped != nil {
		return nil, rep.Stopped
	}
	return v.Changes(t.Context())
}

func TestAConversationAsAPlanStagesExactlyWhatTheConversationStaged(t *testing.T) {
	files := map[string]string{"A.md": "alpha ⟦here⟧ [[B]]\n", "B.md": "beta\n", "F/C.md": "[[B]] gamma\n"}
	text := rapid.SampledFrom([]string{
		"", "plain\n", "$steps.call1.path", "{item.title} {index}", "${a1_0} ${goal}", `\$vars.x \\{item}`, "{{date}} $x$ \\frac{a}{b}", "é\r\n\u2028",
	})
	path := rapid.SampledFrom([]string{"A.md", "B.md", "F/C.md", "New.md", "G/Deep/N.md", "$steps.call1.path.md", "{item}.md"})
	rapid.Check(t, func(rt *rapid.T) {
		var turns []llmtest.Turn
		id := 0
		for range rapid.IntRange(1, 4).Draw(rt, "answers") {
			var calls []llm.Block
			for range rapid.IntRange(1, 4).Draw(rt, "calls") {
				id++
				args := map[string]any{}
				name := rapid.SampledFrom([]string{"vault.writeFile", "vault.createFile", "vault.rename", "vault.delete", "vault.ensureFolder", "editor.insertAtCursor", "vault.readFile"}).Draw(rt, "tool")
				switch name {
				case "vault.writeFile":
					args["path"], args["content"] = path.Draw(rt, "path"), text.Draw(rt, "text")
				case "vault.createFile":
					args["title"], args["folder"], args["content"] = text.Draw(rt, "title")+"T", "F", text.Draw(rt, "text")
				case "vault.rename":
					args["path"], args["newPath"] = path.Draw(rt, "from"), path.Draw(rt, "to")
				case "vault.ensureFolder":
					args["path"] = "H/" + rapid.SampledFrom([]string{"a", "b"}).Draw(rt, "folder")
				case "editor.insertAtCursor":
					args["text"] = text.Draw(rt, "text")
				default:
					args["path"] = path.Draw(rt, "path")
				}
				calls = append(calls, llm.Call(fmt.Sprint("c", id), name, []byte(jsonOf(t, args))))
			}
			turns = append(turns, llmtest.Reply(calls...))
		}
		k := newKit(t, append(turns, llmtest.Say("ok")), withFiles(files), func(s *setup) {
			s.active, s.policy.AllowDeletes = "A.md", true
		})
		out := k.run("go")
		want, err := k.vault.Changes(t.Context())
		if err != nil {
			rt.Fatal(err)
		}
		p, err := agent.AsPlan("A goal with $steps.x and ${y}", out.Outputs, k.cfg.Registry)
		if err != nil {
			rt.Fatal(err)
		}
		if p == nil {
			if len(want) > 0 {
				rt.Fatalf("no plan for %v", want)
			}
			return
		}
		got, err := simulatePlan(t, k.cfg.Registry, p, files, "A.md")
		if err != nil {
			rt.Fatalf("want no error, got %v\nof %s", err, jsonOf(t, p))
		}
		if d := cmp.Diff(want, got); d != "" {
			rt.Fatalf("the plan stages something else (-conversation +plan):\n%s\nof %s", d, jsonOf(t, p))
		}
	})
}

func TestAConversationThatWroteNothingIsNoPlan(t *testing.T) {
	k := newKit(t, []llmtest.Turn{
		llmtest.Reply(call("c1", "vault.readFile", `{"path":"A.md"}`), call("c2", "vault.delete", `{"path":"A.md"}`)), llmtest.Say("ok"),
	}, withFiles(map[string]string{"A.md": "a"}))
	if p, err := agent.AsPlan("x", k.run("go").Outputs, k.cfg.Registry); p != nil || err != nil {
		t.Errorf("want nothing and no error, got %+v, %v", p, err)
	}
}
