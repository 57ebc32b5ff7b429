package text

import (
	"testing"
	"unicode"
)

func TestNamesThatLookAlikeHaveOneSkeleton(t *testing.T) {
	for _, c := range [][2]string{
		{"Арр", "App"},           // all Cyrillic
		{"сор", "cop"},           // all Cyrillic
		{"ΑΒΕ", "ABE"},           // all Greek
		{"ΑΒΕ", "АВЕ"},           // Greek and Cyrillic
		{"Аpple.md", "Apple.md"}, // mixed
		{"AI.md", "Al.md"},
		{"ｐａｙ", "pay"},
		{"𝐩𝐚𝐲", "pay"},
		{"ёлка", "ëлкa"},
		{"Caf\u00e9", "Cafe\u0301"},
		{"օս", "ou"},
	} {
		if a, b := Skeleton(c[0]), Skeleton(c[1]); a != b {
			t.Errorf("%q is drawn as %q, %q as %q", c[0], a, c[1], b)
		}
	}
	for _, c := range [][2]string{
		{"Apple", "apple"},
		{"Note 1", "Note l"},
		{"Chapter I", "Chapter 1"},
		{"Notes 10", "Notes 1O"},
		{"Garten", "Gärten"},
		{"мир", "mup"},
		{"漢字", "漢宇"},
		{"① one", "1 one"},
	} {
		if Skeleton(c[0]) == Skeleton(c[1]) {
			t.Errorf("%q and %q count as alike", c[0], c[1])
		}
	}
}

func TestEachLetterIsDrawnAsALatinOneAndNoFurther(t *testing.T) {
	for from, to := range drawnAs {
		if !unicode.Is(unicode.Latin, to) || !unicode.IsLetter(from) {
			t.Errorf("%q is drawn as %q", from, to)
		}
		if again, ok := drawnAs[to]; ok {
			t.Errorf("%q is drawn as %q, and that as %q", from, to, again)
		}
	}
}
