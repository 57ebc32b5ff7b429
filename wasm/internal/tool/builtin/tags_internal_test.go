package builtin

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"embedded-agent/wasm/internal/note"
)

func TestTheQuickTestOfATagIsTheSlowOne(t *testing.T) {
	parts := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "A", "b", "/", "#", "é", "É", "\u212A", "k", "ß"}), 0, 4)
	rapid.Check(t, func(r *rapid.T) {
		tag, want := strings.Join(parts.Draw(r, "tag"), ""), strings.Join(parts.Draw(r, "want"), "")
		if got := hasTag(tag, want); got != note.HasTag(tag, want) {
			r.Fatalf("%q has %q: %v", tag, want, got)
		}
	})
}
