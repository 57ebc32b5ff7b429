package canon

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/gowebpki/jcs"
	"pgregory.net/rapid"
)

func jsonValue(depth int) *rapid.Generator[any] {
	leaf := rapid.OneOf(
		rapid.Custom(func(t *rapid.T) any { return rapid.String().Draw(t, "s") }),
		rapid.Custom(func(t *rapid.T) any { return rapid.Float64().Draw(t, "f") }),
		rapid.Custom(func(t *rapid.T) any { return float64(rapid.Int32().Draw(t, "i")) }),
		rapid.Custom(func(t *rapid.T) any { return rapid.Bool().Draw(t, "b") }),
		rapid.Just(any(nil)),
	)
	if depth == 0 {
		return leaf
	}
	return rapid.OneOf(leaf,
		rapid.Custom(func(t *rapid.T) any {
			return rapid.SliceOfN(jsonValue(depth-1), 0, 4).Draw(t, "a")
		}),
		rapid.Custom(func(t *rapid.T) any {
			return rapid.MapOfN(rapid.String(), jsonValue(depth-1), 0, 4).Draw(t, "o")
		}))
}

func TestAppendAgreesWithTheReferenceImplementation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := jsonValue(3).Draw(t, "v")
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		want, err := jcs.Transform(wrap(raw))
		if err != nil {
			t.Skip("the oracle refuses it")
		}
		got, err := Append(nil, []any{v})
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Fatalf("got  %s\nwant %s", got, want)
		}
	})
}

// wrap puts the value in an array: the oracle takes objects and arrays only.
func wrap(raw []byte) []byte { return append(append([]byte{'['}, raw...), ']') }

func TestKeysAreOrderedByUTF16CodeUnits(t *testing.T) {
	got, err := Append(nil, map[string]any{"\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\U0001F600": 5, "\u0080": 6, "ö": 7})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"\r":2,"1":4,"` + "\u0080" + `":6,"ö":7,"€":1,"😀":5,"` + "\ufb33" + `":3}`
	if string(got) != want {
		t.Fatalf("got %s want %s", got, want)
	}
}

func TestAGoTypeThatIsNotJSONIsRefused(t *testing.T) {
	if _, err := Append(nil, map[string]any{"c": make(chan int)}); err == nil {
		t.Fatal("a channel became JSON")
	}
}

func TestQuotedStringsAreWhatEncodingJSONReads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		var got string
		if err := json.Unmarshal(AppendString(nil, s), &got); err != nil || got != strings.ToValidUTF8(s, "\uFFFD") {
			t.Fatalf("%q gives %q: %v", s, got, err)
		}
	})
}
