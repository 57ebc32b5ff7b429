package server

import (
	"strings"
	"testing"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/protocol"
)

func TestAnAgentWorksOnStagedNotesAndOneApprovalMakesThem(t *testing.T) {
	mem := hosttest.New(hosttest.Options{Files: map[string]string{"A.md": "one {item.title} $steps.x.y\n"}})
	before := mem.Snapshot()
	sawOwnWork := false
	ui := newPanel(t, mem, protocol.Settings{Provider: "openai"},
		llmtest.Reply(
			llm.Call("1", "vault.readFile", []byte(`{"path":"A.md"}`)),
			llm.Call("2", "vault.createFile", []byte(`{"path":"B.md","content":"text with ${steps.a.b} and {index} in it"}`)),
		),
		llmtest.Call("3", "vault.readFile", `{"path":"B.md"}`),
		llmtest.Turn{Answer: func(r llm.Request) llmtest.Turn {
			last := r.Messages[len(r.Messages)-1]
			sawOwnWork = strings.Contains(last.Text(), "${steps.a.b} and {index}")
			return llmtest.Call("4", "vault.writeFile", `{"path":"A.md","content":"two\n"}`)
		}},
		llmtest.Say("I staged one new note and one change."),
	)
	call[protocol.Accepted](ui, "send", protocol.Send{Text: "do it", Mode: protocol.ModeAgent, Conversation: "c"})
	r := ui.review()
	if !sawOwnWork {
		t.Error("the model did not see what it had staged")
	}
	if d := before.Diff(mem.Snapshot()); d != "" {
		t.Fatalf("written before the approval:\n%s", d)
	}
	if len(r.Files) != 2 || !r.Approvable {
		t.Fatalf("want 2 Files and a review that can be approved, got %+v", r)
	}
	call[protocol.RunRef](ui, "review.approve", protocol.Approve{Run: r.Run, Approval: r.Approval})
	if end := ui.finished(); end.Outcome != "ok" {
		t.Fatalf("want Outcome \"ok\", got %+v", end.Problem)
	}
	a, _ := mem.File("A.md")
	b, _ := mem.File("B.md")
	if string(a) != "two\n" || string(b) != "text with ${steps.a.b} and {index} in it" {
		t.Fatalf("want \"two\\n\" and \"text with ${steps.a.b} and {index} in it\", got A %q B %q", a, b)
	}
	call[protocol.Reverted](ui, "run.revert", protocol.Revert{Run: r.Run})
	if d := before.Diff(mem.Snapshot()); d != "" {
		t.Fatalf("after revert:\n%s", d)
	}
}
