package note

import (
	"slices"

	"embedded-agent/wasm/internal/sorting"
)

// Edit replaces a span by a text.
type Edit struct {
	Span
	Text string
}

// Edits are changes to one text, each in the offsets of the text before.
type Edits []Edit

// Replace adds a replacement.
func (e *Edits) Replace(s Span, text string) { *e = append(*e, Edit{s, text}) }

// Insert adds a text at an offset. Texts at one offset stay in the order in
// which they were added.
func (e *Edits) Insert(at int, text string) { e.Replace(Span{at, at}, text) }

// Apply gives the changed text. Edits that overlap an earlier one are left out.
func (e Edits) Apply(data []byte) []byte {
	sorted := slices.Clone(e)
	sorting.StableFunc(sorted, func(a, b Edit) int { return a.Start - b.Start })
	grow := 0
	for _, x := range sorted {
		grow += len(x.Text)
	}
	out := make([]byte, 0, len(data)+grow)
	at := 0
	for _, x := range sorted {
		if x.Start < at {
			continue
		}
		out = append(out, data[at:x.Start]...)
		out = append(out, x.Text...)
		at = x.End
	}
	return append(out, data[at:]...)
}
