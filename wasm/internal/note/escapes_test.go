package note_test

import (
	"fmt"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"embedded-agent/wasm/internal/note"
)

// A link's path is what a YAML reader makes of it, whichever escapes its text has.
func TestALinkInDoubleQuotesIsReadAsYAMLReadsIt(t *testing.T) {
	escapes := []string{`\x41`, `\xe9`, `\u00e9`, `\u4f60`, `\U0001F600`, `\ `, `\_`, `\"`, `\\`, `\t`, `\L`, "a", "é", " b", "'"}
	rapid.Check(t, func(t *rapid.T) {
		written := "x" + strings.Join(rapid.SliceOfN(rapid.SampledFrom(escapes), 1, 6).Draw(t, "parts"), "") + "y"
		var value struct{ Up string }
		text := fmt.Sprintf("---\nup: \"[[%s]]\"\n---\n", written)
		if err := yaml.Unmarshal([]byte(text), &value); err != nil {
			t.Fatalf("%q: want YAML, got %v", text, err)
		}
		links := note.Parse([]byte(text)).Links
		if len(links) != 1 || "[["+links[0].Path+"]]" != value.Up {
			t.Fatalf("%q: want one link to %q, got %+v", text, value.Up, links)
		}
	})
}

// Programs that write JSON write a character beyond U+FFFF as two halves. The YAML
// library refuses them; the app's does not.
func TestHalvesOfACharacterAreRead(t *testing.T) {
	for written, want := range map[string]string{
		`\ud83d\ude00 x`: "😀 x",
		`\ud83d x`:       `\ud83d x`,
		`\ud83d\u0041`:   `\ud83dA`,
		`a\/b`:           "a/b",
		`\xZ`:            `\xZ`,
		`\q`:             `\q`,
		`\u12`:           `\u12`,
	} {
		links := note.Parse([]byte("---\nup: \"[[" + written + "]]\"\n---\n")).Links
		if len(links) != 1 || links[0].Path != want {
			t.Errorf("%s: want a link to %q, got %+v", written, want, links)
		}
	}
}
