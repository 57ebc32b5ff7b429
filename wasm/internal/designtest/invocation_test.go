package designtest

import (
	"cmp"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"embedded-agent/wasm/internal/agent"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/limits"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/overlay"
	"embedded-agent/wasm/internal/pipeline"
	"embedded-agent/wasm/internal/policy"
	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/tool/builtin"
)

func TestTheAnswerOfThePageIsWorkedOffAsItShows(t *testing.T) {
	p := open(t, "invocation.md")
	mem := hosttest.New(hosttest.Options{Files: map[string]string{"List.md": p.given("note")}})
	var asked []struct {
		ID, Name  string
		Arguments json.RawMessage
	}
	if err := json.Unmarshal([]byte(p.given("calls")), &asked); err != nil {
		t.Fatal(err)
	}
	blocks := []llm.Block{llm.Text("I look first.")}
	for _, c := range asked {
		blocks = append(blocks, llm.Call(c.ID, c.Name, c.Arguments))
	}
	cfg := loopOver(t, mem, llmtest.NewProvider(llmtest.Reply(blocks...), llmtest.Say("It is on the list.")))
	var events []agent.Event
	cfg.On = func(e agent.Event) { events = append(events, e) }
	before := mem.Snapshot()
	out, err := agent.Run(t.Context(), cfg, agent.Input{Messages: []llm.Message{llm.UserMessage("Is milk on my list?")}})
	if err != nil {
		t.Fatal(err)
	}
	if d := before.Diff(mem.Snapshot()); d != "" {
		t.Errorf("the vault changed without an approval:\n%s", d)
	}
	p.shows("events", told(sortEnds(events)))
	p.shows("results", results(t, out.State.Messages))
	p.shows("outputs", pretty(t, map[string]any{
		"response": out.Outputs.Response, "calls": len(out.Outputs.ToolsByID), "last_tool": out.Outputs.LastTool.Name, "stop": out.Stop,
	}))
	p.shows("stages", list(pipeline.Stages(), func(name string) string { return name }))
}

// loopOver is an agent's loop over a vault: reading tools run, writes land in
// the overlay, deletes are off.
func loopOver(t *testing.T, mem *hosttest.Memory, model llm.Provider) agent.Config {
	t.Helper()
	h := mem.Host()
	pol := &policy.Policy{}
	vault := overlay.New(overlay.NewBase(h.Vault, h.Editor, time.Now()), overlay.WithGuard(pol.CheckOp))
	reg, err := tool.NewRegistry(builtin.All()...)
	if err != nil {
		t.Fatal(err)
	}
	guard := agent.NewGuard(limits.Limits{BlockedTools: []string{"vault.delete"}}, nil)
	gates := agent.NewGates()
	deps := pipeline.Deps{Registry: reg, Guards: pipeline.Guards{Policy: pol}, Env: func(c *tool.Call) (*tool.Env, *overlay.View) {
		view := vault.For(c.LogicalID)
		return &tool.Env{Vault: view, Editor: view, Platform: h.Platform, Now: time.Now(), Progress: func(tool.Progress) {}}, view
	}}
	return agent.Config{
		Identity: agent.Identity{RunID: "0d4ee5b4-6f0e-4d52-9a5e-0a6b3a1c9f00"},
		Model:    agent.Model{Provider: model, ProviderName: "script", Request: llm.Request{Model: "script"}},
		Registry: reg, Gates: gates, Guard: guard, Do: pipeline.New(gates.Fit(deps)),
	}
}

// sortEnds puts ends that follow each other into the order of their calls: they
// come as the calls end, which is not the same each time.
func sortEnds(events []agent.Event) []agent.Event {
	isEnd := func(e agent.Event) bool { return e.Type == agent.ToolEnd }
	for from := 0; from < len(events); from++ {
		to := from
		for to < len(events) && isEnd(events[to]) {
			to++
		}
		slices.SortFunc(events[from:to], func(a, b agent.Event) int { return cmp.Compare(a.ToolCallID, b.ToolCallID) })
		from = to
	}
	return events
}

// told are the loop's events but those of the model's stream.
func told(events []agent.Event) string {
	var shown []agent.Event
	for _, e := range events {
		if e.Type != agent.MessageUpdate {
			shown = append(shown, e)
		}
	}
	return list(shown, func(e agent.Event) string {
		line := string(e.Type)
		if e.Tool != "" {
			line += "  " + e.ToolCallID + "  " + e.Tool
		}
		if e.Status != "" {
			line += "  " + string(e.Status)
		}
		return line
	})
}

// results are the tool results of a conversation as the model reads them.
func results(t *testing.T, messages []llm.Message) string {
	t.Helper()
	var lines []string
	for _, m := range messages {
		if m.Role == llm.RoleToolResult {
			text := compact(t, without(object(t, []byte(m.Text())), "reason", "error"))
			lines = append(lines, m.ToolCallID+"  "+text)
		}
	}
	return list(lines, func(l string) string { return l })
}
