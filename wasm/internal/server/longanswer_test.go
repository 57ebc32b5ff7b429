package server

import (
	"runtime"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/protocol"
)

// answerCost gives what an answer in pieces of seven characters allocates in the
// core, its events, and what was kept of it.
func answerCost(t *testing.T, mode protocol.Mode, thinking bool, bytes int) (uint64, int, protocol.Turn) {
	t.Helper()
	text := strings.Repeat("seven! ", bytes/7)
	blocks := []llm.Block{llm.Text(text)}
	if thinking {
		blocks = []llm.Block{{Type: llm.BlockThinking, Thinking: text}, llm.Text("done")}
	}
	n := 0
	var shown strings.Builder
	watch := func(d *Deps) {
		emit := d.Emit
		d.Emit = func(e protocol.Event) {
			if e.Type == protocol.EventTurnText || e.Type == protocol.EventTurnReasoning {
				n++
				shown.WriteString(e.Delta.Text)
			}
			emit(e)
		}
	}
	r := newRig(t, hosttest.New(hosttest.Options{}), protocol.Settings{}, watch, llmtest.Reply(blocks...))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	turn := r.send(protocol.Send{Text: "go on", Mode: mode, Conversation: "talk"})
	runtime.ReadMemStats(&after)
	want := text
	if thinking {
		want += "done"
	}
	if shown.String() != want {
		t.Errorf("%d bytes were shown of %d", shown.Len(), len(want))
	}
	return after.TotalAlloc - before.TotalAlloc, n, turn
}

func TestALongAnswerInSmallPiecesCostsNoMoreThanItsLength(t *testing.T) {
	for _, mode := range []protocol.Mode{protocol.ModePlan, protocol.ModeAgent} {
		for _, thinking := range []bool{false, true} {
			const n = 70_000
			answerCost(t, mode, thinking, 700) // what is made once is made here
			small, _, _ := answerCost(t, mode, thinking, n)
			large, events, turn := answerCost(t, mode, thinking, 4*n)
			if large > 7*small {
				t.Errorf("%s, thinking %v: %d bytes, and %d for four times the answer", mode, thinking, small, large)
			}
			if pieces := 4 * n / 7; events > pieces/10 {
				t.Errorf("%s, thinking %v: %d events for %d pieces", mode, thinking, events, pieces)
			}
			if got := strings.TrimSpace(turn.Reply); !thinking && got != strings.TrimSpace(strings.Repeat("seven! ", 4*n/7)) {
				t.Errorf("%s: the reply has %d bytes", mode, len(got))
			}
		}
	}
}
