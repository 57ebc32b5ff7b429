package keyprint

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var bases = [2]uint32{1_234_567_891, 987_654_321}

func TestAKeyIsFoundWhereverItStandsAndNothingElseIs(t *testing.T) {
	const key = "own-key-0123456789"
	p := []Print{Of(key, bases)}
	for text, want := range map[string]string{
		key:                            Mark,
		"a " + key + " b":              "a " + Mark + " b",
		key + key:                      Mark + Mark,
		"(" + key + ",":                "(" + Mark + ",",
		key[:len(key)-1]:               key[:len(key)-1],
		strings.ToUpper(key):           strings.ToUpper(key),
		"own-key-0123456788 and words": "own-key-0123456788 and words",
		"":                             "",
	} {
		if got := Redact(text, p); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	if got := Redact("no key", []Print{{}}); got != "no key" {
		t.Errorf("want \"no key\", got %q", got)
	}
}

func TestPropertyOfAnyTextTheKeysAndNothingElseAreTakenOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.StringMatching(`[a-d]{3,6}`).Draw(t, "key")
		other := rapid.StringMatching(`[x-z]{2,4}`).Draw(t, "other")
		text := rapid.StringMatching(`[a-dx-z ]{0,60}`).Draw(t, "text")
		prints := []Print{Of(key, bases), Of(other, bases)}
		got := Redact(text, prints)
		if strings.Contains(strings.ReplaceAll(got, Mark, "|"), key) || strings.Contains(strings.ReplaceAll(got, Mark, "|"), other) {
			t.Fatalf("%q stays in %q", key, got)
		}
		if !strings.Contains(text, key) && !strings.Contains(text, other) && got != text {
			t.Fatalf("%q became %q", text, got)
		}
	})
}
