package sorting_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"embedded-agent/wasm/internal/sorting"
)

type pair struct{ key, at int }

func byKey(a, b pair) int { return cmp.Compare(a.key, b.key) }

func TestListsAreSortedAsTheStandardLibraryDoes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		list := make([]pair, r.IntN(80))
		for i := range list {
			list[i] = pair{r.IntN(20), i}
		}
		stable, want := slices.Clone(list), slices.Clone(list)
		sorting.StableFunc(stable, byKey)
		slices.SortStableFunc(want, byKey)
		if !slices.Equal(stable, want) {
			t.Fatalf("%v, not %v", stable, want)
		}
		sorting.Func(list, byKey)
		if !slices.IsSortedFunc(list, byKey) {
			t.Fatalf("want the list sorted, got %v", list)
		}
		slices.SortFunc(list, func(a, b pair) int { return cmp.Compare(a.at, b.at) })
		for i, p := range list { // none lost, none twice
			if p.at != i {
				t.Fatalf("want at equal to i, got %v", list)
			}
		}
	}
}
