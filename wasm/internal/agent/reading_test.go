package agent

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"embedded-agent/wasm/internal/llm"
)

func TestARequestReadPieceByPieceIsTheSameAsReadAtOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := llm.Request{Model: "m", Tools: []llm.Tool{{Name: "a.b", Description: "words"}}}
		var piecewise reading
		n := rapid.IntRange(1, 8).Draw(t, "requests")
		var before string
		for i := range n {
			for range rapid.IntRange(1, 4).Draw(t, "new") {
				q.Messages = append(q.Messages, llm.UserMessage(rapid.String().Draw(t, "text"), llm.Text(fmt.Sprint(i))))
			}
			var atOnce reading
			if got, want := piecewise.digest(q), atOnce.digest(q); got != want || got == before {
				t.Fatalf("digest %s, want %s, before %s", got, want, before)
			} else {
				before = got
			}
			if got, want := piecewise.estimate(q), llm.EstimateRequest(q); got != want {
				t.Fatalf("%d tokens, want %d", got, want)
			}
		}
	})
}
