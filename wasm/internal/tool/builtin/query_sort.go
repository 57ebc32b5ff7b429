package builtin

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"embedded-agent/wasm/internal/compare"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/timestamp"
)

// sortKey orders hits: a number, or a text in any case; a hit that has
// neither comes last.
type sortKey struct {
	place  int // of the hit
	kind   keyKind
	number float64
	text   string
}

type keyKind int

const (
	numberKey keyKind = iota
	textKey
	noKey
)

// top gives the first hits, sorted; ties by path.
func (q *queryPlan) top(hits []hit, limit int) ([]hit, error) {
	compare := func(a, b *sortKey) int {
		if n := compareKeys(a, b, q.order.descending); n != 0 {
			return n
		}
		return strings.Compare(hits[a.place].Path, hits[b.place].Path)
	}
	sort := func(keys []sortKey) {
		slices.SortFunc(keys, func(a, b sortKey) int { return compare(&a, &b) })
	}
	// Only the best are kept and sorted: of 100,000 hits few are shown.
	var best []sortKey
	var worst *sortKey // of those that were kept when it was last sorted
	room := max(2*limit, 2000)
	for i := range hits {
		k := q.keyOf(&hits[i])
		k.place = i
		if worst != nil && compare(&k, worst) > 0 {
			continue
		}
		if best = append(best, k); len(best) > room {
			sort(best)
			best = best[:limit]
			if limit > 0 {
				last := best[limit-1]
				worst = &last
			}
		}
	}
	sort(best)
	out := make([]hit, min(limit, len(best)))
	for i := range out {
		out[i] = hits[best[i].place]
	}
	if err := q.ctx.Err(); err != nil {
		return nil, fault.From(err)
	}
	return out, nil
}

// compareKeys orders keys: numbers before texts, and last what has no value.
func compareKeys(a, b *sortKey, descending bool) int {
	if a.kind != b.kind {
		n := cmp.Compare(a.kind, b.kind)
		if descending && a.kind != noKey && b.kind != noKey {
			n = -n
		}
		return n
	}
	n := 0
	switch a.kind {
	case numberKey:
		n = cmp.Compare(a.number, b.number)
	case textKey:
		n = compareFold(a.text, b.text)
	case noKey:
	}
	if descending {
		return -n
	}
	return n
}

func (q *queryPlan) keyOf(h *hit) sortKey {
	number := func(n int64) sortKey { return sortKey{number: float64(n)} }
	var value any
	switch q.order.by {
	case "", "path":
		return sortKey{kind: textKey, text: h.Path}
	case "created":
		return number(h.CTime)
	case "modified":
		return number(h.MTime)
	case "size":
		return number(h.Size)
	case "title":
		value = title(h.Path)
	case "date":
		if t := q.date(h); !t.IsZero() {
			value = timestamp.Day(t)
		}
	default:
		value = h.value(q.order.from)
	}
	return keyOf(value)
}

func keyOf(value any) sortKey {
	if n, ok := value.(float64); ok {
		return sortKey{number: n}
	}
	if compare.Empty(value) {
		return sortKey{kind: noKey}
	}
	return sortKey{kind: textKey, text: compare.Text(value)}
}

// compareFold orders texts by their lower-case forms, without making them where
// ASCII decides.
func compareFold(a, b string) int {
	for i := 0; i < len(a) && i < len(b); i++ {
		x, y := a[i], b[i]
		if x >= utf8.RuneSelf || y >= utf8.RuneSelf {
			return strings.Compare(strings.ToLower(a[i:]), strings.ToLower(b[i:]))
		}
		if x = lowerByte(x); x != lowerByte(y) {
			return cmp.Compare(x, lowerByte(y))
		}
	}
	return cmp.Compare(len(a), len(b))
}

func lowerByte(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
