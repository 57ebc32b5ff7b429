package note

import (
	"embedded-agent/wasm/internal/sorting"
)

// Zones lists the parts of a note to leave alone, sorted and joined: code (with
// math, comments and HTML tags), links (the whole of each), headings, and the
// front matter.
func (d *Doc) Zones(code, links, headings, front bool) []Span {
	var out []Span
	if code {
		out = append(out, d.Opaque...)
	}
	if links {
		for _, l := range d.Links {
			if !l.Front || !front {
				out = append(out, l.Span)
			}
		}
	}
	if headings {
		for _, h := range d.Headings {
			out = append(out, h.Span)
		}
	}
	if front && !d.Front.Empty() {
		out = append(out, d.Front)
	}
	return Join(out)
}

// Join sorts spans and makes those one that touch or overlap. It uses their array.
func Join(out []Span) []Span {
	sorting.Func(out, func(a, b Span) int { return a.Start - b.Start })
	joined := out[:0]
	for _, s := range out {
		if n := len(joined); n > 0 && s.Start <= joined[n-1].End {
			joined[n-1].End = max(joined[n-1].End, s.End)
			continue
		}
		joined = append(joined, s)
	}
	return joined
}
