package fileview

import (
	"strings"
	"testing"

	"github.com/aymanbagabas/go-udiff"
	"pgregory.net/rapid"
)

// twoTexts draws a text of lines that often repeat, with or without an end of the
// last one, and another made of it.
func twoTexts(t *rapid.T) (before, after string) {
	line := rapid.SampledFrom([]string{"", "a", "b", "ab", "a longer line that is more than sixty-four bytes long, so that it is compared in one go", "\r", "ü"})
	lines := rapid.SliceOfN(line, 0, 12).Draw(t, "lines")
	before = strings.Join(lines, "\n")
	for range rapid.IntRange(0, 3).Draw(t, "edits") {
		at := rapid.IntRange(0, len(lines)).Draw(t, "at")
		gone := rapid.IntRange(0, len(lines)-at).Draw(t, "gone")
		lines = append(append(append([]string{}, lines[:at]...), rapid.SliceOfN(line, 0, 3).Draw(t, "new")...), lines[at+gone:]...)
	}
	return before, strings.Join(lines, "\n")
}

func TestHunksAreWhatDiffersAndNoMore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, after := twoTexts(t)
		was, is := splitLines(before), splitLines(after)
		var made []string
		at, changed := 0, 0
		for _, h := range Hunks(before, after) {
			made = append(made, was[at:h.BeforeFrom]...)
			if h.AfterFrom != len(made) {
				t.Fatalf("%+v begins at %d in what it makes", h, len(made))
			}
			if got, want := strings.Join(h.Removed, "\n"), strings.Join(was[h.BeforeFrom:h.BeforeTo], "\n"); got != want {
				t.Fatalf("%+v takes %q away", h, want)
			}
			made = append(made, h.Added...)
			if h.AfterTo != len(made) {
				t.Fatalf("%+v ends at %d in what it makes", h, len(made))
			}
			at, changed = h.BeforeTo, changed+len(h.Removed)+len(h.Added)
		}
		made = append(made, was[at:]...)
		if got, want := strings.Join(made, "\n"), strings.Join(is, "\n"); got != want {
			t.Fatalf("the hunks make %q, not %q", got, want)
		}
		least := 0
		for _, e := range udiff.Lines(before, after) {
			least += len(splitLines(before[e.Start:e.End])) + len(splitLines(e.New))
		}
		if changed > least {
			t.Fatalf("%d lines are shown as changed, %d are", changed, least)
		}
	})
}

func TestLinesInCommonAreWholeLines(t *testing.T) {
	for _, c := range []struct {
		a, b       string
		head, tail int
	}{
		{"", "", 0, 0},
		{"a\n", "a\n", 2, 0},
		{"a\nb\n", "a\nc\n", 2, 0},
		{"a\nxb\nc\n", "a\nyb\nc\n", 2, 2},
		{"b\n", "a\nb\n", 0, 2},
		{"b\n", "ab\n", 0, 0},
		{"ab\nc", "b\nc", 0, 1},
		{"a", "a\nb", 0, 0},
		{"a\na\n", "a\na\na\n", 4, 0},
		{strings.Repeat("x", 100) + "\nend\n", strings.Repeat("x", 100) + "y\nend\n", 0, 4},
	} {
		if head, tail := sameLines(c.a, c.b); head != c.head || tail != c.tail {
			t.Errorf("%q, %q: %d and %d, not %d and %d", c.a, c.b, head, tail, c.head, c.tail)
		}
	}
}
