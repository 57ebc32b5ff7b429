package server

import (
	"testing"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/protocol"
)

// Words that say what nobody did are told apart from those of an answer, and from
// those that go with a plan or with calls that change something.
func TestAnAnswerThatSaysItMadeAChangeNobodyMadeIsMarked(t *testing.T) {
	const words = "I have created the note for you!"
	reads := `{"goal":"look","assumptions":[],"steps":[{"id":"a","tool":"vault.listFiles","args":{}}]}`
	makes := `{"goal":"make","assumptions":[],"steps":[{"id":"a","tool":"vault.createFile","args":{"path":"New.md","content":"x"}}]}`
	says := func(name, args string) llmtest.Turn {
		return llmtest.Reply(llm.Text(words), llm.Call("c1", name, []byte(args)))
	}
	for name, c := range map[string]struct {
		mode   protocol.Mode
		turns  []llmtest.Turn
		hollow bool
	}{
		"words alone":                        {protocol.ModePlan, []llmtest.Turn{llmtest.Say(words)}, true},
		"words of an agent alone":            {protocol.ModeAgent, []llmtest.Turn{llmtest.Say(words)}, true},
		"German words":                       {protocol.ModePlan, []llmtest.Turn{llmtest.Say("Ich habe die Notiz für dich erstellt!")}, true},
		"Chinese words":                      {protocol.ModePlan, []llmtest.Turn{llmtest.Say("已为你创建笔记。")}, true},
		"a question with them":               {protocol.ModePlan, []llmtest.Turn{llmtest.Say(words + " Anything else?")}, true},
		"a plan that only reads":             {protocol.ModePlan, []llmtest.Turn{says("submit_plan", reads)}, true},
		"an agent that only read":            {protocol.ModeAgent, []llmtest.Turn{llmtest.Call("c1", "vault.readFile", `{"path":"A.md"}`), llmtest.Say(words)}, true},
		"an agent whose call failed":         {protocol.ModeAgent, []llmtest.Turn{llmtest.Call("c1", "vault.writeFile", `{"path":"../A.md","content":""}`), llmtest.Say(words)}, true},
		"an answer":                          {protocol.ModePlan, []llmtest.Turn{llmtest.Say("A note is a file.")}, false},
		"a plan that makes it":               {protocol.ModePlan, []llmtest.Turn{says("submit_plan", makes)}, false},
		"an agent that staged it":            {protocol.ModeAgent, []llmtest.Turn{llmtest.Call("c1", "vault.createFile", `{"path":"New.md","content":"x"}`), llmtest.Say(words)}, false},
		"an honest answer to an instruction": {protocol.ModePlan, []llmtest.Turn{llmtest.Say("I have not created a note: which folder?")}, false},
	} {
		t.Run(name, func(t *testing.T) {
			mem := hosttest.New(hosttest.Options{Files: map[string]string{"A.md": "alpha\n"}})
			before := mem.Snapshot()
			ui := newPanel(t, mem, protocol.Settings{Provider: "openai"}, c.turns...)
			call[protocol.Accepted](ui, "send", protocol.Send{Text: "make a note", Mode: c.mode, Conversation: "c"})
			e := ui.await("end of the turn", func(e protocol.Event) bool { return e.Type == protocol.EventTurnEnded })
			if e.Turn.Problem != nil {
				t.Fatalf("want no Turn.Problem, got %+v", e.Turn.Problem)
			}
			if e.Turn.Hollow != c.hollow {
				t.Errorf("hollow: %v, with the outcome %s", e.Turn.Hollow, e.Turn.Outcome)
			}
			kept := call[protocol.ConversationDetail](ui, "conversation.get", protocol.ConversationRef{ID: "c"})
			if n := len(kept.Turns); n != 1 || kept.Turns[0].Hollow != c.hollow {
				t.Errorf("kept: %+v", kept.Turns)
			}
			if d := before.Diff(mem.Snapshot()); d != "" {
				t.Errorf("before an approval:\n%s", d)
			}
		})
	}
}
