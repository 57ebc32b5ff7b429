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
// beside that: the library makes a token, an event and a node of each mark.
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
		"a chain of merges", "open brackets", "brackets", "open braces", "dashes", "question marks",
		"stairs of keys", "anchored entries", "aliases",
	} {
		if _, err := safeyaml.Decode([]byte(bombs[name](32 << 10))); !errors.Is(err, safeyaml.ErrBounds) {
			t.Errorf("%s: want the error safeyaml.ErrBounds, got %v", name, err)
		}
	}
	for _, name := range []string{
		"mappings in one line", "keys in keys in one line", "anchors without a value", "tags without a value",
	} {
		if v, err := safeyaml.Decode([]byte(bombs[name](32 << 10))); err == nil {
			t.Errorf("%s, which is no YAML, was read as %.80v", name, v)
		}
	}
	if _, err := safeyaml.Decode([]byte("a: " + strings.Repeat("x", safeyaml.MaxBytes))); !errors.Is(err, safeyaml.ErrBounds) {
		t.Errorf("a long text: %v", err)
	}
}

func TestAValueThatIsNamedWithinItselfIsRefused(t *testing.T) {
	for _, text := range []string{"a: &a [*a]", "a: &a {b: *a}", "a: &a\n  <<: *a\n", "a: &a [x, [&b [*a]]]"} {
		if v, err := safeyaml.Decode([]byte(text)); err == nil {
			t.Errorf("%q: want an error, got %v", text, v)
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
				t.Errorf("%q: want no bound reached, got %v", text, err)
			}
			continue
		}
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%q: it differs from what was wanted (-want +got): %v\n%s", text, err, diff)
		}
	}
	long := "tags:\n" + strings.Repeat("  - [[A note]] # and why\n", 9000)
	if _, err := safeyaml.Decode([]byte(long)); errors.Is(err, safeyaml.ErrBounds) && len(long) < safeyaml.MaxBytes/8 {
		t.Error(err)
	}
}

// What Obsidian shows for the same text: the core schema of YAML 1.2.
func TestAPlainTextHasTheTypeOfTheCoreSchema(t *testing.T) {
	for text, want := range map[string]any{
		"014": 14.0, "0o14": 12.0, "0xfF": 255.0, "+5": 5.0, "1.": 1.0, ".5": 0.5, "-.5": -0.5, "1e3": 1000.0, "5e-3": 0.005,
		"1_000": "1_000", "0b11": "0b11", "0x": "0x", "0x_1": "0x_1", "1e": "1e", ".": ".", "--1": "--1", "1.5.2": "1.5.2", "12:30": "12:30",
		"yes": "yes", "off": "off", "~": nil, "Null": nil, "TRUE": true, "tRUE": "tRUE", "-.inf": "-Inf", "1e400": "1e400",
		"!!str 5": "5", "!!int \"5\"": 5.0, "!!float 5": 5.0, "!note 5": 5.0, "'5'": "5", ">\n  x\n\n  y": "x\ny",
	} {
		got, err := safeyaml.Decode([]byte("a: " + text))
		if diff := cmp.Diff(any(map[string]any{"a": want}), got); err != nil || diff != "" {
			t.Errorf("%q: it differs from what was wanted (-want +got): %v\n%s", text, err, diff)
		}
	}
}

func TestWhatIsNoListOfPropertiesIsRefusedWithItsLine(t *testing.T) {
	for text, want := range map[string]string{
		"x: 1\ncreated: {{date}}": "line 2: a list or a mapping stands where the name of a property belongs",
		"a: 1\nb: 2\na: 3":        `line 3: the key "a" occurs twice`,
		"a: 1\n<<: 5":             "line 2: what is merged (<<) is neither a mapping nor a list of mappings",
		"a: !!int x":              `line 1: "x" is no !!int`,
		" a: 1\nb: 2":             "did not find expected <document start>",
	} {
		if v, err := safeyaml.Decode([]byte(text)); err == nil || !strings.HasSuffix(err.Error(), want) || v != nil {
			t.Errorf("%q gave %v and %q, not %q", text, v, err, want)
		}
	}
}

func TestOfWhatIsMergedTheFirstCounts(t *testing.T) {
	got, err := safeyaml.Decode([]byte("<<: [{a: 1}, {a: 2, c: 3}]\nc: 4"))
	if diff := cmp.Diff(any(map[string]any{"a": 1.0, "c": 4.0}), got); err != nil || diff != "" {
		t.Error("it differs from what was wanted (-want +got):", err, diff)
	}
}

func TestAnErrorIsOneLine(t *testing.T) {
	for _, text := range []string{"a: [", "a: b: c", "\ta", "a: *x", "a: &a [*a]", "? [", "a: \"x"} {
		if _, err := safeyaml.Decode([]byte(text)); err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: want no error (or Error without \"\\n\"), got %q", text, err)
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
