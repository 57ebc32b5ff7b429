package server

import (
	"strings"
	"testing"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/protocol"
)

func TestTheOpenNoteChoosesToolsAsTheWordsDo(t *testing.T) {
	files := map[string]string{
		"Garden.md": "# Garden\n\n- [ ] water\n", "Plain.md": "Only words.\n", "Board.canvas": `{"nodes":[],"edges":[]}`,
		"Private/Garden.md": "- [ ] secret\n",
	}
	for _, c := range []struct {
		name, open string
		omit       bool
		want, not  string
	}{
		{"a note with tasks", "Garden.md", false, "\n- tasks.list(", "\n- links.rewrite("},
		{"a note without", "Plain.md", false, "", "<tools>"},
		{"a canvas", "Board.canvas", false, "\n- links.rewrite(", "\n- tasks.list("},
		{"a note that the person leaves out", "Garden.md", true, "", "<tools>"},
		{"a note that is kept from models", "Private/Garden.md", false, "", "<tools>"},
	} {
		set := protocol.Settings{Provider: "openai", DenyPatterns: []string{"Private/**"}}
		r := newRig(t, hosttest.New(hosttest.Options{Files: files, Active: c.open}), set, nil, llmtest.Say("ok"))
		call[protocol.Accepted](r.panel, "send", protocol.Send{Text: "put this right", Mode: protocol.ModePlan, OmitActive: c.omit})
		r.await("end", func(e protocol.Event) bool { return e.Type == protocol.EventTurnEnded })
		asked := r.model.Requests()[0].Messages
		last := asked[len(asked)-1].Text()
		if !strings.Contains(last, c.want) || strings.Contains(last, c.not) || strings.Contains(last, "^open") {
			t.Errorf("%s: want %q and not %q, got %s", c.name, c.want, c.not, last)
		}
	}
}
