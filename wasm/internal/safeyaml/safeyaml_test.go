package safeyaml_test

import (
	"encoding/json"
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"embedded-agent/wasm/internal/safeyaml"
)

// What Decode may take of memory, all in all, for each byte that it is given and
// beside that: the library makes a token of about 200 bytes, and as much of a
// node, of each mark.
const (
	perByte = 1200
	beside  = 4 << 20
)

// allocated gives what Decode of a text allocates.
func allocated(text string) (uint64, error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := safeyaml.Decode([]byte(text))
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc, err
}

// What a step costs is counted in bytes that are allocated: all that this code
// and the library do with a text that is no copy of a few bytes is in it, and no
// other program on the machine.
func TestNoTextCostsMoreThanItsLength(t *testing.T) {
	for name, make := range bombs {
		t.Run(name, func(t *testing.T) {
			for _, n := range []int{1 << 10, 16 << 10, 64 << 10, safeyaml.MaxBytes - 64, 2 << 20} {
				text := make(n)
				got, err := allocated(text)
				if most := uint64(beside + perByte*min(len(text), safeyaml.MaxBytes)); got > most {
					t.Errorf("%d bytes allocated for %d of text, more than %d (%v)", got, len(text), most, err)
				}
			}
		})
	}
}

func TestWhatStandsForMoreThanMayBeIsRefusedAsSuch(t *testing.T) {
	for _, name := range []string{
		"aliases of aliases", "aliases of aliases, 40 levels", "aliases of aliases in mappings", "a long text named often",
		"a chain of merges", "open brackets", "brackets", "open braces", "mappings in one line", "dashes", "question marks",
		"keys in keys in one line", "stairs of keys", "anchors without a value", "ampersands", "tags without a value",
		"anchored entries", "aliases", "many keys", "documents",
	} {
		if _, err := safeyaml.Decode([]byte(bombs[name](32 << 10))); !errors.Is(err, safeyaml.ErrBounds) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := safeyaml.Decode([]byte("a: " + strings.Repeat("x", safeyaml.MaxBytes))); !errors.Is(err, safeyaml.ErrBounds) {
		t.Errorf("a long text: %v", err)
	}
}

func TestAValueThatIsNamedWithinItselfIsRefused(t *testing.T) {
	for _, text := range []string{"a: &a [*a]", "a: &a {b: *a}", "a: &a\n  <<: *a\n", "a: &a [x, [&b [*a]]]"} {
		if v, err := safeyaml.Decode([]byte(text)); err == nil {
			t.Errorf("%q: %v", text, v)
		}
	}
}

func TestWhatPeopleWriteIsWithinTheBounds(t *testing.T) {
	for text, want := range map[string]any{
		"":            nil,
		"# a comment": nil,
		"a: 1\nb: -2.5\nc: true\nd:\ne: 2026-11-20\nf: 0x10": map[string]any{"a": 1.0, "b": -2.5, "c": true, "d": nil, "e": "2026-11-20", "f": 16.0},
		"base: &base {x: 1, y: [2]}\nuse:\n  <<: *base\n  z: 3\nagain: *base": map[string]any{
			"base": map[string]any{"x": 1.0, "y": []any{2.0}},
			"use":  map[string]any{"x": 1.0, "y": []any{2.0}, "z": 3.0}, "again": map[string]any{"x": 1.0, "y": []any{2.0}},
		},
		"a: .nan\nb: !!str 5\nc: |\n  two\n  lines\nd: >-\n  one\n  line": map[string]any{"a": "NaN", "b": "5", "c": "two\nlines\n", "d": "one line"},
		"a: \"it's [\"\nb: 'x: {'\nc: - no list":                          nil,
		"1: one\ntrue: yes":                                               map[string]any{"1": "one", "true": "yes"},
		"deep:" + strings.Repeat(" [", 40) + strings.Repeat("]", 40):      "deep",
	} {
		got, err := safeyaml.Decode([]byte(text))
		if strings.HasSuffix(text, "no list") || want == "deep" {
			if errors.Is(err, safeyaml.ErrBounds) {
				t.Errorf("%q: %v", text, err)
			}
			continue
		}
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%q: %v\n%s", text, err, diff)
		}
	}
	long := "tags:\n" + strings.Repeat("  - [[A note]] # and why\n", 9000)
	if _, err := safeyaml.Decode([]byte(long)); errors.Is(err, safeyaml.ErrBounds) && len(long) < safeyaml.MaxBytes/8 {
		t.Error(err)
	}
}

func TestAnErrorIsOneLine(t *testing.T) {
	for _, text := range []string{"a: [", "a: b: c", "\ta", "a: *x", "a: &a [*a]", "? [", "a: \"x"} {
		if _, err := safeyaml.Decode([]byte(text)); err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %q", text, err)
		}
	}
}

func FuzzDecodeCostsNoMoreThanItsText(f *testing.F) {
	for _, make := range bombs {
		f.Add(make(600))
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4<<10 {
			return
		}
		got, err := allocated(text)
		if most := uint64(beside + perByte*len(text)); got > most {
			t.Errorf("%d bytes allocated for %d of text", got, len(text))
		}
		// A step that costs the square of its place shows in a text that is repeated.
		if got, _ := allocated(strings.Repeat(text, 16)); got > uint64(beside+perByte*16*len(text)) {
			t.Errorf("%d bytes allocated for 16 times %d of text %.80q", got, len(text), text)
		}
		if err != nil {
			return
		}
		v, _ := safeyaml.Decode([]byte(text))
		b, err := json.Marshal(v)
		if err != nil || len(b) > 8*safeyaml.MaxExpanded {
			t.Errorf("%d bytes of JSON, %v", len(b), err)
		}
	})
}
