package server

import (
	"slices"
	"testing"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/protocol"
)

// What an agent's call says otherwise than the tool has it is taken, staged, and shown
// with its step in the review, as that of a plan is.
func TestWhatAnAgentWritesOtherwiseIsTakenAndShownInTheReview(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: map[string]string{"A.md": "alpha\n"}})
	cut := llm.Call("3", "vault.appendFile", nil)
	cut.RawArguments = "```json\n{\"path\":\"A.md\",\"content\":\"{steps.x.y} $item\"}\n```"
	ui := newPanel(t, mem, protocol.Settings{Provider: "openai"},
		llmtest.Call("1", "tags.add", `{"Path":"A.md","tags":"garden"}`),
		llmtest.Call("2", "vault.createFile", `{"path":"B.md","content":2026,"on-collision":"skip"}`),
		llmtest.Reply(cut),
		llmtest.Say("That is all."),
	)
	call[protocol.Accepted](ui, "send", protocol.Send{Text: "do it", Mode: protocol.ModeAgent, Conversation: "c"})
	r := ui.review()
	var taken []string
	for _, st := range r.Steps {
		for _, n := range st.Notes {
			taken = append(taken, st.ID+" "+n.Params["field"]+": "+n.Params["from"]+" → "+n.Params["to"])
		}
	}
	for _, want := range []string{
		"call1 args: Path → path", `call1 args.tags: "garden" → ["garden"]`,
		"call2 args: on-collision → onCollision", `call2 args.content: 2026 → "2026"`,
		"call3 args: ```json {…} ``` → {…}",
	} {
		if !slices.Contains(taken, want) {
			t.Errorf("%s is not shown: %q %+v", want, taken, r.Steps)
		}
	}
	if end := ui.approve(r); end.Outcome != "ok" {
		t.Fatalf("want Outcome \"ok\", got %+v", end.Problem)
	}
	a, _ := mem.File("A.md")
	b, _ := mem.File("B.md")
	if want := "---\ntags:\n  - garden\n---\nalpha\n{steps.x.y} $item\n"; string(a) != want || string(b) != "2026" {
		t.Errorf("want equal to want and \"2026\", got A %q B %q", a, b)
	}
}
