package index

import (
	"testing"

	"embedded-agent/wasm/internal/text/texttest"
)

// A file that tools read as text has a signature, and another has none: a search
// would miss the one, or be told of the other.
func TestTheIndexTakesForTextWhatEverybodyTakesForText(t *testing.T) {
	var s signer
	for _, c := range texttest.Contents() {
		if _, isText := s.sign(c.Data); isText != c.Text {
			t.Errorf("%s has a signature: %v, want %v", c.Name, isText, c.Text)
		}
		if got := readable(c.Data); got != c.Text {
			t.Errorf("%s is looked into: %v, want %v", c.Name, got, c.Text)
		}
	}
}
