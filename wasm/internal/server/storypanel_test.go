//go:build !js

package server

import (
	"testing"
	"time"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/sandbox/child"
)

// storyPanel starts the core on a vault at a moment, with scripts and a model.
func storyPanel(t *testing.T, mem *hosttest.Memory, model llm.Provider, now time.Time) *panel {
	t.Helper()
	runner := child.New()
	t.Cleanup(runner.Close)
	ports := mem.Host()
	ports.Sandbox = runner
	ui := &panel{t: t, mem: mem}
	ui.cond.L = &ui.mu
	s, err := New(Deps{Host: ports, Provider: model, Emit: ui.hear, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	ui.s = s
	set := free
	set.Streaming, set.CodeMaxMs, set.CodeMaxMB = true, 30_000, 256
	call[protocol.Welcome](ui, "hello", protocol.Hello{
		Contract: protocol.Contract, Settings: set, Platform: protocol.Platform{Name: "linux", ConfigDir: ".obsidian", Language: "en"},
	})
	return ui
}

// typeStory types what a person wants. Where the model is to ask back, "" for nothing,
// it types the answer too.
func (ui *panel) typeStory(words, asked, said string) {
	ui.t.Helper()
	call[protocol.Accepted](ui, "send", protocol.Send{Text: words, Mode: protocol.ModePlan, UseSelection: true})
	if asked == "" {
		return
	}
	e := ui.await("question", func(e protocol.Event) bool { return e.Type == protocol.EventTurnEnded })
	if e.Turn.Outcome != protocol.TurnQuestion || e.Turn.Reply != asked {
		ui.t.Errorf("want the question %q, got %s, %q", asked, e.Turn.Outcome, e.Turn.Reply)
	}
	call[protocol.Accepted](ui, "send", protocol.Send{Text: said, Mode: protocol.ModePlan})
}
