package text

import "strings"

// Closest gives the candidate that a name was probably meant to be: equal but for
// case and separators, or at most a third of it mistyped. "" when none is.
func Closest(name string, candidates []string) string {
	const longest = 64 // no name is longer
	if len(name) > longest {
		return ""
	}
	best, least := "", 1+max(1, len(name)/3)
	name = FoldName(name)
	for _, c := range candidates {
		folded := FoldName(c)
		if folded == name {
			return c
		}
		if d := distance(name, folded, least); d < least {
			best, least = c, d
		}
	}
	return best
}

var separators = strings.NewReplacer("_", "", "-", "")

// FoldName makes names one that differ by case and separators only.
func FoldName(s string) string { return strings.ToLower(separators.Replace(s)) }

// distance counts the letters to change, add, drop or swap with their
// neighbour (optimal string alignment); it gives limit when that many are
// reached.
func distance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return min(last[len(b)], limit)
}
