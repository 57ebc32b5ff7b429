package vaultpath

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// asRegexp says what a glob means in the words of another matcher.
func asRegexp(pattern string) *regexp.Regexp {
	var b strings.Builder
	for pattern != "" {
		switch {
		case strings.HasPrefix(pattern, "**/"):
			b.WriteString("(.*/)?")
			pattern = pattern[3:]
		case strings.HasPrefix(pattern, "**"):
			b.WriteString(".*")
			pattern = pattern[2:]
		case pattern[0] == '*':
			b.WriteString("[^/]*")
			pattern = pattern[1:]
		case pattern[0] == '?':
			b.WriteString("[^/]")
			pattern = pattern[1:]
		default:
			b.WriteString(regexp.QuoteMeta(pattern[:1]))
			pattern = pattern[1:]
		}
	}
	return regexp.MustCompile("^(?s:" + b.String() + ")$")
}

func TestPropertyAGlobMeansWhatItsRegularExpressionMeans(t *testing.T) {
	letters := rapid.SampledFrom([]string{"a", "b", "/", ".", "*", "**", "**/", "?", "["})
	rapid.Check(t, func(t *rapid.T) {
		pattern := strings.Join(rapid.SliceOfN(letters, 0, 8).Draw(t, "pattern"), "")
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "/", ".", "e", "[", "é"}), 0, 10).Draw(t, "text"), "")
		if got, want := glob(pattern, text), asRegexp(pattern).MatchString(text); got != want {
			t.Fatalf("glob(%q, %q) = %v", pattern, text, got)
		}
	})
}
