package fileview

import (
	"slices"
	"strings"
)

// Without gives after with some of its hunks against before put back.
func Without(before, after string, rejected []int) string {
	old, lines := strings.SplitAfter(before, "\n"), strings.SplitAfter(after, "\n")
	var b strings.Builder
	at := 0
	for i, h := range Hunks(before, after) {
		if !slices.Contains(rejected, i) {
			continue
		}
		b.WriteString(strings.Join(lines[at:min(h.AfterFrom, len(lines))], ""))
		b.WriteString(strings.Join(old[h.BeforeFrom:min(h.BeforeTo, len(old))], ""))
		at = min(h.AfterTo, len(lines))
	}
	b.WriteString(strings.Join(lines[at:], ""))
	return b.String()
}
