package journal

import (
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"embedded-agent/wasm/internal/text"
)

// Merge merges two sets of changes to one text, line by line: base became ours
// and, elsewhere, theirs. ok is false when both changed the same or touching
// lines in different ways: then a person decides. It is stricter than the usual
// diff3: where in doubt it does not merge.
func Merge(base, ours, theirs string) (merged string, ok bool) {
	switch {
	case ours == theirs, theirs == base:
		return ours, true
	case ours == base:
		return theirs, true
	case !text.Is([]byte(base)) || !text.Is([]byte(ours)) || !text.Is([]byte(theirs)):
		return "", false
	}
	a, b := udiff.Lines(base, ours), udiff.Lines(base, theirs)
	var out strings.Builder
	at := 0
	put := func(e udiff.Edit) {
		out.WriteString(base[at:e.Start])
		out.WriteString(e.New)
		at = e.End
	}
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || (len(a) > 0 && a[0].End < b[0].Start):
			put(a[0])
			a = a[1:]
		case len(a) == 0 || b[0].End < a[0].Start:
			put(b[0])
			b = b[1:]
		case a[0] == b[0]:
			put(a[0])
			a, b = a[1:], b[1:]
		default:
			return "", false
		}
	}
	out.WriteString(base[at:])
	return out.String(), true
}
