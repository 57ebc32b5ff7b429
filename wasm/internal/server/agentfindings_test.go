package server

import (
	"strconv"
	"testing"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/protocol"
)

func TestWhatAnAgentLookedUpLastIsAnAnswerOfItsOwn(t *testing.T) {
	files := map[string]string{"Other.md": "x"}
	for i := range 150 {
		files["Books/"+strconv.Itoa(i)+".md"] = "- [ ] read\n"
	}
	look := llmtest.Call("1", "vault.query", `{"folder":"Books"}`)
	for _, c := range []struct {
		name  string
		turns []llmtest.Turn
		want  int // rows; -1 for no list
	}{
		{"a list, and words", []llmtest.Turn{look, llmtest.Say("There they are.")}, 150},
		{"a list that is empty", []llmtest.Turn{llmtest.Call("1", "vault.query", `{"folder":"Books","name":"none"}`), llmtest.Say("None.")}, 0},
		{"a list by another name", []llmtest.Turn{llmtest.Call("1", "tools.call", `{"tool":"tasks.list","arguments":{"folder":"Books"}}`), llmtest.Say("These.")}, 150},
		{"the list before the last", []llmtest.Turn{llmtest.Call("0", "vault.query", `{}`), look, llmtest.Say("These.")}, 150},
		{"a note after the list", []llmtest.Turn{look, llmtest.Call("2", "vault.readFile", `{"path":"Other.md"}`), llmtest.Say("x")}, -1},
		{"a call that fails", []llmtest.Turn{llmtest.Call("1", "vault.query", `{"folder":7}`), llmtest.Say("That went wrong.")}, -1},
		{"words alone", []llmtest.Turn{llmtest.Say("Hello.")}, -1},
		{"what was staged", []llmtest.Turn{llmtest.Call("0", "vault.createFile", `{"path":"New.md","content":""}`), look, llmtest.Say("Made.")}, -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			mem := hosttest.New(hosttest.Options{Files: files})
			before := mem.Snapshot()
			r := newRig(t, mem, protocol.Settings{Provider: "openai"}, nil, c.turns...)
			call[protocol.Accepted](r.panel, "send", protocol.Send{Text: "my books", Mode: protocol.ModeAgent, Conversation: "c"})
			turn := r.await("end", func(e protocol.Event) bool { return e.Type == protocol.EventTurnEnded }).Turn
			if d := before.Diff(mem.Snapshot()); d != "" {
				t.Errorf("want nothing written, got\n%s", d)
			}
			f := turn.Findings
			if c.want < 0 {
				if f != nil {
					t.Errorf("want no list, got %+v", f)
				}
				return
			}
			if f == nil || len(f.Parts) != 1 || f.Parts[0].Count != c.want || len(f.Parts[0].Rows) != c.want || f.Plan == "" {
				t.Fatalf("want one list of %d and its plan, got %+v", c.want, f)
			}
			if turn.Outcome != protocol.TurnAnswer || turn.Reply == "" || turn.Problem != nil {
				t.Errorf("want the answer with its words, got %s %q %+v", turn.Outcome, turn.Reply, turn.Problem)
			}
			call[protocol.Action](r.panel, "actions.save", protocol.ActionSave{Run: turn.Run, Plan: f.Plan, Name: "My books"})
			if c.want > 0 && f.Parts[0].Rows[0][0].Path == "" {
				t.Errorf("want notes that can be opened, got %+v", f.Parts[0].Rows[0])
			}
		})
	}
}
