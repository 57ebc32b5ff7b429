package conversation

import (
	"strconv"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/costtest"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/protocol"
)

func TestAConversationCostsTimeByItsLength(t *testing.T) {
	for name, words := range map[string]string{"turns of few words": "a", "turns of many words": strings.Repeat("word ", 2000)} {
		t.Run(name, func(t *testing.T) {
			costtest.Linear(t, 50, func(n int) string { return strings.Repeat("x", n) }, func(turns string) {
				ctx := t.Context()
				mem := hosttest.New(hosttest.Options{})
				l := libraryOn("a", mem, plain)
				id := "019a0000-0000-7000-8000-000000000001"
				for i := range turns {
					if err := l.Add(ctx, id, &Turn{Shown: protocol.Turn{ID: strconv.Itoa(i), Text: words, Reply: words}}); err != nil {
						t.Fatal(err)
					}
				}
				again := libraryOn("a", mem, plain)
				if _, err := again.Get(ctx, id); err != nil {
					t.Fatal(err)
				}
				if _, err := again.List(ctx, "word", 10); err != nil {
					t.Fatal(err)
				}
			})
		})
	}
}
