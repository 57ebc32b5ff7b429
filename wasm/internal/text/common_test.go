package text

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestWhatTwoTextsHaveInCommonAtTheirEnds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		letters := rapid.SampledFrom([]string{"a", "b", strings.Repeat("a", 63), strings.Repeat("ab", 40)})
		text := func(name string) string { return strings.Join(rapid.SliceOfN(letters, 0, 6).Draw(t, name), "") }
		a, b := text("a"), text("b")
		if n := CommonPrefix(a, b); a[:n] != b[:n] || n < min(len(a), len(b)) && a[n] == b[n] {
			t.Fatalf("%q and %q begin alike for %d", a, b, n)
		}
		if n := CommonSuffix(a, b); a[len(a)-n:] != b[len(b)-n:] || n < min(len(a), len(b)) && a[len(a)-n-1] == b[len(b)-n-1] {
			t.Fatalf("%q and %q end alike for %d", a, b, n)
		}
	})
}
