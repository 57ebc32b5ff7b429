package safeyaml

import (
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// What Simple takes, the library reads alike, but for a question mark and an escaped
// slash, which it refuses.
func TestWhatIsReadWithoutTheLibraryReadsAsWithIt(t *testing.T) {
	pieces := []string{"a", "é", " ", "1", ".5", "-", "'", `"`, `\"`, `\\`, `\x41`, `\u00e9`, `\ud83d`, `\q`, `\ `, "#", ":", "?", "[", "]", "{", ",", "~", "null", "true"}
	taken := 0
	rapid.Check(t, func(t *rapid.T) {
		text := strings.TrimSpace(strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 8).Draw(t, "pieces"), ""))
		switch rapid.IntRange(0, 4).Draw(t, "form") {
		case 1:
			text = "[" + text + "]"
		case 2:
			text = `"` + text + `"`
		case 3:
			text = `["` + text + `", b]`
		case 4:
			text = "\n- " + text + "\n- b"
		}
		got, ok := Simple([]byte(text))
		if !ok {
			return
		}
		taken++
		want, err := Decode([]byte("k: " + text + "\n"))
		if err != nil && strings.Contains(text, "?") {
			return
		}
		if err != nil || !reflect.DeepEqual(want, map[string]any{"k": got}) {
			t.Fatalf("%q: want what the library reads, %#v (%v), got %#v", text, want, err, got)
		}
	})
	if taken == 0 {
		t.Error("want some values that are read without the library")
	}
}
