package vaultpath

import (
	"testing"

	"pgregory.net/rapid"

	"embedded-agent/wasm/internal/tool"
)

// anyPath makes paths of pieces that matter to the rules.
func anyPath() *rapid.Generator[string] {
	piece := rapid.SampledFrom([]string{
		"/", "/", "//", ".", "..", " ", "  ", "a", "Z", "9", "-", "_", "(", ")", ",", "&", "!", "'", "+", "#", "%2e", "\\",
		"con", "CON", "aux", "Nul", "prn", "lpt1", "COM9", "CONIN$", "clock", "Com", "note", "Projects", ".md", "etc",
		"é", "e\u0301", "\u200d", "\u202e", "\u00a0", "C:", "~", "https:",
	})
	return rapid.Custom(func(t *rapid.T) string {
		s := ""
		for _, p := range rapid.SliceOfN(piece, 1, 5).Draw(t, "pieces") {
			s += p
		}
		return s
	})
}

func TestWhatIsSaidAtAGlanceIsWhatTheRulesSay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := anyPath().Draw(t, "path")
		if ordinary(p) {
			if clean, err := cleanFolder(p); clean != p || err != nil {
				t.Fatalf("%q: want clean equal to p and no error, got %q, %v", p, clean, err)
			}
		}
		if ordinaryTitle(p) && safeName(p) != p {
			t.Fatalf("title %q: %q", p, safeName(p))
		}
	})
}

func TestMostPathsAreOrdinary(t *testing.T) {
	for _, p := range []string{
		"Inbox/Ideas for the garden.md", "Note 12.md", "2026/11/2026-11-21.md", "Projects/XYZ/A (2).md", "a/b-c_d/e, f & g!.md",
		"Cooking with parsnips.md", "Nulls and voids.md", "Console/Complete.md",
	} {
		if !ordinary(p) {
			t.Errorf("%q is looked at in full", p)
		}
	}
	for _, p := range []string{"", "/a", "a/", "a//b", "con", "a/Aux.md", "com1.txt", ".a", "a/.b", "a /b", "a./b", "a%b", "C:/a", "ü"} {
		if ordinary(p) {
			t.Errorf("%q is not looked at", p)
		}
	}
}

func TestASandboxSaysAtAGlanceWhatItsPatternsSay(t *testing.T) {
	patterns := rapid.SliceOfN(rapid.SampledFrom([]string{
		"..", "://", ":", "_", "/.", "-", "A", "z*", "*.md", "a/**", "é", "--", "", "_/_", "-/", "/-", "//", ". ", "./",
	}), 0, 3)
	rapid.Check(t, func(t *rapid.T) {
		clean, err := CleanFolder(anyPath().Draw(t, "path"))
		if err != nil {
			return
		}
		deny := patterns.Draw(t, "patterns")
		want := true
		for _, p := range deny {
			want = want && (p == "" || !denies(Fold(p), Fold(clean)) && !denies(Fold(p), bareNames(Fold(clean))))
		}
		if got := AllowedClean(clean, tool.Sandbox{Enabled: true, AllowedRoots: []string{"/"}, DenyPatterns: deny}); got != want {
			t.Fatalf("%q under %q: %v", clean, deny, got)
		}
	})
}
