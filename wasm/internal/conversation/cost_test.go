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
				store := hosttest.New(hosttest.Options{}).Host().Store
				l := NewLibrary(store, func(s string) string { return s }, func() string { return "2026-01-01T00:00:00.000Z" })
				id := "019a0000-0000-7000-8000-000000000001"
				for i := range turns {
					if err := l.Add(ctx, id, &Turn{Shown: protocol.Turn{ID: strconv.Itoa(i), Text: words, Reply: words}}); err != nil {
						t.Fatal(err)
					}
				}
				again := NewLibrary(store, func(s string) string { return s }, func() string { return "2026-01-01T00:00:00.000Z" })
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
