package server

import (
	"testing"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/protocol"
)

func TestAMessageAboutASelectionIsNotSentWhileNothingIsSelected(t *testing.T) {
	const words = "Translate the selection"
	said := llmtest.Say("Done.")
	for name, c := range map[string]struct {
		send     protocol.Send
		selected bool
		refused  bool
	}{
		"nothing is selected":                     {protocol.Send{Text: words, UseSelection: true}, false, true},
		"an agent is asked":                       {protocol.Send{Text: words, UseSelection: true, Mode: protocol.ModeAgent}, false, true},
		"text is selected":                        {protocol.Send{Text: words, UseSelection: true}, true, false},
		"the person sends it all the same":        {protocol.Send{Text: words, UseSelection: true, NoSelection: true}, false, false},
		"the person left the selection out":       {protocol.Send{Text: words}, false, false},
		"something is attached":                   {protocol.Send{Text: words, UseSelection: true, Attached: []protocol.Attachment{{Kind: "note", Path: "A.md"}}}, false, false},
		"the message does not speak of selecting": {protocol.Send{Text: "What is natural selection?", UseSelection: true}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			text := "one two\n"
			if c.selected {
				text = "⟦one⟧ two\n"
			}
			mem := hosttest.New(hosttest.Options{Files: map[string]string{"A.md": text}, Active: "A.md"})
			ui := newPanel(t, mem, protocol.Settings{Provider: "openai"}, said)
			if c.send.Mode == "" {
				c.send.Mode = protocol.ModePlan
			}
			_, err := try[protocol.Accepted](ui, "send", c.send)
			if !c.refused {
				if err != nil {
					t.Fatalf("want it sent, got %v", err)
				}
				ui.turnEnd()
				return
			}
			if err == nil || ui.s.out.Problem(err).Key != "error.send.noSelection" {
				t.Errorf("want error.send.noSelection, got %v", err)
			}
			for _, e := range ui.heard() {
				if e.Type == protocol.EventTurnStarted {
					t.Error("want no turn begun, got one")
				}
			}
		})
	}
}
