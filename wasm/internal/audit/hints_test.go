package audit

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func allHints() []string {
	var all []string
	for i := range kinds {
		all = append(all, kinds[i].hints...)
	}
	return all
}

func TestTheHintsOfATextAreThoseThatStandInIt(t *testing.T) {
	piece := rapid.OneOf(rapid.SampledFrom(allHints()), rapid.StringMatching(`[a-zA-Z_\-:=. é]{0,6}`), rapid.SampledFrom([]string{"g", "s", "k", "-", "a"}))
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, "pieces"), "")
		got := hints.in(text)
		for i := range kinds {
			want := slices.ContainsFunc(kinds[i].hints, func(h string) bool { return strings.Contains(text, h) })
			if got>>i&1 == 1 != want {
				t.Fatalf("%q: kind %d, %q: %v, want %v", text, i, kinds[i].hints, !want, want)
			}
		}
	})
}

// Redactor.Text looks for hints once, before it takes anything out.
func TestNoMarkerHasAHintInItOrMakesOneWithWhatIsBesideIt(t *testing.T) {
	if len(kinds) > 64 {
		t.Errorf("%d kinds, and a set of them has 64 bits", len(kinds))
	}
	for _, h := range allHints() {
		if len(h) < 2 || strings.ContainsAny(h, "[]") || strings.Contains("redacted:", h) || strings.Trim(h, "0123456789abcdef") == "" || strings.HasPrefix(h, ":") && strings.Trim(h[1:], "0123456789abcdef") == "" {
			t.Errorf("the hint %q", h)
		}
	}
}

func BenchmarkText(b *testing.B) {
	r, err := NewRedactor([]byte("key"), nil)
	if err != nil {
		b.Fatal(err)
	}
	text := "Projects/A folder of notes/Note number 123 about something.md"
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if r.Text(text) != text {
			b.Fatal("it was changed")
		}
	}
}
