package fileview

import (
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/text"
)

// Hunks gives the runs of changed lines between two texts.
func Hunks(before, after string) []protocol.Hunk {
	out := []protocol.Hunk{}
	if before == after {
		return out
	}
	// Most changes leave most lines: only what is between those is compared.
	head, tail := sameLines(before, after)
	line, at := strings.Count(before[:head], "\n"), 0
	before, after = before[head:len(before)-tail], after[head:len(after)-tail]
	shift := 0 // how many lines further down the new text is
	for _, e := range udiff.Lines(before, after) {
		line += strings.Count(before[at:e.Start], "\n")
		at = e.Start
		removed, added := splitLines(before[e.Start:e.End]), splitLines(e.New)
		if n := len(out); n > 0 && out[n-1].BeforeTo == line {
			h := &out[n-1]
			h.Removed, h.Added = append(h.Removed, removed...), append(h.Added, added...)
			h.BeforeTo, h.AfterTo = h.BeforeTo+len(removed), h.AfterTo+len(added)
		} else {
			out = append(out, protocol.Hunk{
				BeforeFrom: line, BeforeTo: line + len(removed),
				AfterFrom: line + shift, AfterTo: line + shift + len(added),
				Removed: removed, Added: added,
			})
		}
		shift += len(added) - len(removed)
	}
	return out
}

// sameLines gives how many bytes of whole lines two texts have in common at
// their beginning, and after that at their end.
func sameLines(a, b string) (head, tail int) {
	head = strings.LastIndexByte(a[:text.CommonPrefix(a, b)], '\n') + 1
	a, b = a[head:], b[head:]
	tail = text.CommonSuffix(a, b)
	begins := func(s string) bool { return tail == len(s) || s[len(s)-tail-1] == '\n' }
	if begins(a) && begins(b) {
		return head, tail
	}
	end := strings.IndexByte(a[len(a)-tail:], '\n')
	if end < 0 {
		return head, 0
	}
	return head, tail - end - 1
}

func splitLines(s string) []string {
	if s == "" {
		return []string{}
	}
	return strings.Split(strings.TrimSuffix(s, "\n"), "\n")
}
