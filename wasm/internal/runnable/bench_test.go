package runnable

import (
	"strings"
	"testing"
)

func BenchmarkFind(b *testing.B) {
	note := []byte(strings.Repeat("# Title\n\nOrdinary words of a note, with a [[link]] and `code` and [web](https://example.org).\n\n- [ ] a task\n- one more line of text\n", 100))
	b.SetBytes(int64(len(note)))
	for b.Loop() {
		Find("a.md", note)
	}
}
