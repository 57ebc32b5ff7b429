package llm_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/keyprint"
	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/llmtest"
)

// hide is a provider over scripted turns that hides one key, and what Drawn
// takes out.
func hide(key string, piece int, turns ...llmtest.Turn) llm.Provider {
	p := llmtest.NewProvider(turns...)
	p.Piece = piece
	prints := []keyprint.Print{keyprint.Of(key, [2]uint32{1_000_003, 99_991})}
	return llm.Hide(p, llm.Hiding{
		Keys: func(context.Context) func(string) string {
			return func(t string) string { return keyprint.Redact(t, prints) }
		},
		Drawn: func(t string) string { return strings.ReplaceAll(t, "typed-secret", "[hidden]") },
	})
}

func TestAKeyThatComesInPiecesIsNeitherDrawnNorKept(t *testing.T) {
	const key = "own-key-without-a-pattern-0123456789"
	said := "The key is " + key + ", I said: (" + key + ")."
	args, err := json.Marshal(map[string]string{"content": "x " + key + " y"})
	if err != nil {
		t.Fatal(err)
	}
	for piece := 1; piece <= 60; piece++ {
		p := hide(key, piece, llmtest.Reply(
			llm.Block{Type: llm.BlockThinking, Thinking: "I think of " + key}, llm.Text(said), llm.Call("1", "vault.createFile", args),
		))
		drawn := map[llm.EventType]string{}
		m, lerr := llm.Collect(p.Stream(t.Context(), llm.Request{}), func(e llm.Event) {
			drawn[e.Type] += e.Delta
			if b, err := json.Marshal(e); err != nil || strings.Contains(string(b), key) {
				t.Fatalf("in pieces of %d: %s %v", piece, b, err)
			}
		})
		if lerr != nil {
			t.Fatal(lerr)
		}
		want := strings.ReplaceAll(said, key, keyprint.Mark)
		if drawn[llm.EventTextDelta] != want || m.Text() != want || drawn[llm.EventThinkingDelta] != "I think of "+keyprint.Mark {
			t.Fatalf("in pieces of %d: %q", piece, drawn)
		}
		if got := string(m.Calls()[0].Arguments); got != `{"content":"x `+keyprint.Mark+` y"}` {
			t.Fatalf("in pieces of %d: %s", piece, got)
		}
	}
}

func TestWhatHoldsNoKeyIsHandedOutAWordLateAtMost(t *testing.T) {
	text := "ein Wort 数据在这里没有空格 and " + strings.Repeat("A1b2", 2000) + " end"
	p := hide("own-key-0123456789", 3, llmtest.Say(text))
	var got string
	m, err := llm.Collect(p.Stream(t.Context(), llm.Request{}), func(e llm.Event) { got += e.Delta })
	if err != nil || got != text || m.Text() != text {
		t.Fatalf("want no error, equal to text and Text equal to text, got %v %q", err, got)
	}
	p = hide("own-key-0123456789", 1, llmtest.Say("Hello 数据 my"))
	seen := ""
	for s := p.Stream(t.Context(), llm.Request{}); ; {
		e, ok := s.Next()
		if !ok {
			break
		}
		if seen += e.Delta; seen == "Hello 数据 " {
			return // before the end of the block
		}
	}
	t.Errorf("want \"Hello 数据 \" before the end of the block, got %q", seen)
}

func TestWhatAScreenMustNotShowIsTakenOutOfItAlone(t *testing.T) {
	p := hide("own-key-0123456789", 2, llmtest.Say("a typed-secret here"))
	var got string
	m, err := llm.Collect(p.Stream(t.Context(), llm.Request{}), func(e llm.Event) { got += e.Delta })
	if err != nil || got != "a [hidden] here" || m.Text() != "a typed-secret here" {
		t.Fatalf("want no error, \"a [hidden] here\" and Text \"a typed-secret here\", got %v %q %q", err, got, m.Text())
	}
}
