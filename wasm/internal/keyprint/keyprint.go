// Package keyprint finds a key in a text without knowing it: by its length and
// two polynomial hashes of it, each with a random base (Rabin and Karp 1987).
// So a key that an endpoint repeats piece by piece, which whoever knows the key
// sees only in pieces, is found where the pieces have been put together, and
// the key itself stays where it is. Time is linear in the text.
package keyprint

import (
	"slices"
	"strings"
)

// prime is the modulus of the hashes: 2^31-1.
const prime = 1<<31 - 1

// Print describes one key, without its value. Length is in bytes; a Print of length 0
// finds nothing.
type Print struct {
	Length int
	Bases  [2]uint32
	Hashes [2]uint32
}

// Of makes the print of a key; the bases should be random.
func Of(key string, bases [2]uint32) Print {
	p := Print{Length: len(key), Bases: bases}
	for i, base := range bases {
		p.Hashes[i] = uint32(hash(key, uint64(base)))
	}
	return p
}

func hash(text string, base uint64) uint64 {
	h := uint64(0)
	for i := range len(text) {
		h = (h*base + uint64(text[i]) + 1) % prime
	}
	return h
}

// Mark stands where a key was.
const Mark = "[redacted]"

// Redact gives a text with Mark wherever one of the keys stands.
func Redact(text string, prints []Print) string {
	var found [][2]int
	for _, p := range prints {
		found = append(found, p.find(text)...)
	}
	if len(found) == 0 {
		return text
	}
	slices.SortFunc(found, func(a, b [2]int) int {
		if a[0] != b[0] {
			return a[0] - b[0]
		}
		return b[1] - a[1]
	})
	var b strings.Builder
	at := 0
	for _, f := range found {
		if f[0] < at { // within one that was taken out; its end may reach beyond
			at = max(at, f[1])
			continue
		}
		b.WriteString(text[at:f[0]])
		b.WriteString(Mark)
		at = f[1]
	}
	b.WriteString(text[at:])
	return b.String()
}

// find gives where the key stands, as [from, to).
func (p Print) find(text string) [][2]int {
	n := p.Length
	if n <= 0 || len(text) < n {
		return nil
	}
	var h, high [2]uint64
	for i, base := range p.Bases {
		high[i] = 1
		for range n - 1 {
			high[i] = high[i] * uint64(base) % prime
		}
		h[i] = hash(text[:n], uint64(base))
	}
	var out [][2]int
	for at := 0; ; at++ {
		if h[0] == uint64(p.Hashes[0]) && h[1] == uint64(p.Hashes[1]) {
			out = append(out, [2]int{at, at + n})
		}
		if at+n == len(text) {
			return out
		}
		for i, base := range p.Bases {
			gone := (uint64(text[at]) + 1) * high[i] % prime
			h[i] = ((h[i]+prime-gone)*uint64(base) + uint64(text[at+n]) + 1) % prime
		}
	}
}
