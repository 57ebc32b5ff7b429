package llm_test

import (
	"bytes"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/llm"
	"embedded-agent/wasm/internal/llm/chat"
	"embedded-agent/wasm/internal/llm/llmtest"
	"embedded-agent/wasm/internal/llm/sse"
)

func TestAnswersAreRefusedBeyondTheirLimits(t *testing.T) {
	megabyte := bytes.Repeat([]byte("x"), 1<<20)
	for name, c := range map[string]struct {
		start string
		size  int
	}{
		"one endless event":          {"data: ", sse.DefaultMaxEvent},
		"an endless comment":         {": ", sse.DefaultMaxEvent},
		"one endless answer":         {`{"a":"`, llm.MaxMessage},
		"an endless beginning":       {" ", llm.MaxMessage},
		"an endless line of nothing": {"x", sse.DefaultMaxEvent},
	} {
		t.Run(name, func(t *testing.T) {
			var events []llm.Event
			dec := llm.Decode(chat.Dialect{}, endpoint, llm.Request{Model: "m"}, func(e llm.Event) { events = append(events, e) })
			piece := megabyte
			if c.start == " " {
				piece = bytes.Repeat([]byte(" "), 1<<20)
			}
			dec.Push([]byte(c.start))
			for n := 0; n <= c.size && !dec.Ended(); n += len(piece) {
				dec.Push(piece)
			}
			if !dec.Ended() {
				t.Fatal("it takes more than its limit")
			}
			llmtest.CheckStream(t, events)
			if m := last(events); m.Error == nil || m.Error.Key != "llm.error.tooLarge" || !strings.Contains(m.Error.Message, "model.example") {
				t.Errorf("want Error set, Error.Key \"llm.error.tooLarge\" and Error.Message with \"model.example\", got %+v", m.Error)
			}
		})
	}
}
