package plan

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// graphs draws who waits for whom among up to 12 steps.
func graphs() *rapid.Generator[[][]edge] {
	return rapid.Custom(func(t *rapid.T) [][]edge {
		n := rapid.IntRange(1, 12).Draw(t, "n")
		deps := make([][]edge, n)
		forward := rapid.Bool().Draw(t, "may have circles")
		for i := range deps {
			for range rapid.IntRange(0, 3).Draw(t, "waits for") {
				to := rapid.IntRange(0, n-1).Draw(t, "step")
				if to == i || !forward && to > i {
					continue // a step never waits for itself: Check says so before
				}
				deps[i] = append(deps[i], edge{to: to})
			}
		}
		return deps
	})
}

// slowOrder takes, again and again, the first step in the source whose
// dependencies are done.
func slowOrder(deps [][]edge) []int {
	var out []int
	for {
		next := slices.IndexFunc(deps, func(es []edge) bool { return es != nil && free(es, out) })
		if next < 0 {
			return out
		}
		out = append(out, next)
		deps = slices.Clone(deps)
		deps[next] = nil
	}
}

func free(es []edge, done []int) bool {
	for _, e := range es {
		if !slices.Contains(done, e.to) {
			return false
		}
	}
	return true
}

func TestPropertyTheOrderIsTheFirstPossibleOneInTheSource(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		deps := graphs().Draw(t, "deps")
		for i := range deps {
			if deps[i] == nil {
				deps[i] = []edge{}
			}
		}
		got, want := order(deps), slowOrder(deps)
		if !slices.Equal(got, want) {
			t.Fatalf("%v: %v, want %v", deps, got, want)
		}
		circles := cycles(deps)
		if (len(got) == len(deps)) != (circles == nil) {
			t.Fatalf("%v: ordered %v, circles %v", deps, got, circles)
		}
		for _, way := range circles {
			for k, i := range way {
				to := way[(k+1)%len(way)]
				if !slices.ContainsFunc(deps[i], func(e edge) bool { return e.to == to }) {
					t.Fatalf("%v: %v is no circle", deps, way)
				}
			}
		}
	})
}
