package server

import (
	"testing"

	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/protocol"
)

// A turn is a beginning, changes, and an end: whoever counts turns, or acts when
// one begins, does so once.
func TestATurnStartsOnceAndWhatChangesOfItIsToldAsAChange(t *testing.T) {
	const wrong = `{"goal":"g","assumptions":[],"steps":[{"id":"a","tool":"no.such","args":{}}]}`
	for name, c := range map[string]struct {
		mode  protocol.Mode
		turns []llmtest.Turn
	}{
		"an answer":                   {protocol.ModePlan, []llmtest.Turn{llmtest.Say("Because of the frost.")}},
		"a plan that is sent back":    {protocol.ModePlan, []llmtest.Turn{llmtest.Call("c1", "submit_plan", wrong), llmtest.Call("c2", "submit_plan", editPlan)}},
		"an agent that stages a note": {protocol.ModeAgent, []llmtest.Turn{reads(1), create("c", "B.md"), llmtest.Say("Made B.")}},
	} {
		r := newRig(t, note(), free, nil, c.turns...)
		end := r.send(protocol.Send{Text: "go on", Mode: c.mode, Conversation: "talk"})
		var kinds []protocol.EventType
		for _, e := range r.heard() {
			if e.Turn != nil && e.Turn.ID == end.ID {
				kinds = append(kinds, e.Type)
			}
		}
		last := len(kinds) - 1
		if last < 2 || kinds[0] != protocol.EventTurnStarted || kinds[last] != protocol.EventTurnEnded {
			t.Fatalf("%s: want last at least 2, kinds[0] protocol.EventTurnStarted and kinds[last] protocol.EventTurnEnded, got %v", name, kinds)
		}
		for _, kind := range kinds[1:last] {
			if kind != protocol.EventTurnChanged {
				t.Errorf("%s: %s between the start and the end", name, kind)
			}
		}
	}
}
