package sentinel

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzMachine proves that the result does not depend on chunking, that nothing panics, and that text and calls account for
// all the input.
func FuzzMachine(f *testing.F) {
	for _, c := range loadCases(f) {
		if len(c.Input) < 2000 {
			f.Add(c.Input, uint64(len(c.Input)), false)
			f.Add(c.Input, uint64(3), true)
		}
	}
	soft, strict := caseRegistry(f, []string{"get_weather", "get_time", "a1"}, false), caseRegistry(f, []string{"get_weather", "get_time", "a1"}, true)
	f.Fuzz(func(t *testing.T, s string, seed uint64, isStrict bool) {
		reg := soft
		if isStrict {
			reg = strict
		}
		opts := Options{MaxBlock: 1 + int(seed%97)*10}
		want := run(reg, opts, []string{s})
		if !want.Covered {
			t.Errorf("the events do not account for the input")
		}
		var cut []string
		for rest := s; rest != ""; {
			seed = seed*6364136223846793005 + 1442695040888963407
			n := min(len(rest), int(seed>>33)%17)
			cut = append(cut, rest[:n])
			rest = rest[n:]
		}
		if diff := cmp.Diff(want, run(reg, opts, cut)); diff != "" {
			t.Errorf("cut: %s", diff)
		}
		if back := Unescape(Escape(s)); back != s {
			t.Errorf("escaping: %q", back)
		}
	})
}
