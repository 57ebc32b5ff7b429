package note

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/safeyaml"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestValuesReadWhatYAMLMeans(t *testing.T) {
	for in, want := range map[string]map[string]any{
		"":                                  {},
		"a: 1\nb: -2.5\nc: true\nd:\n":      {"a": 1.0, "b": -2.5, "c": true, "d": nil},
		"a: text here\nb: \"q: #\"\n":       {"a": "text here", "b": "q: #"},
		"a: 'it''s'\nb: x # comment\n":      {"a": "it's", "b": "x"},
		"date: 2026-11-20\nt: 09:30\n":      {"date": "2026-11-20", "t": "09:30"},
		"tags: [a, b/c]\nempty: []\n":       {"tags": []any{"a", "b/c"}, "empty": []any{}},
		"tags:\n- a\n- b\nnext: 1\n":        {"tags": []any{"a", "b"}, "next": 1.0},
		"tags:\n  - a # c\n  - \"b\"\n":     {"tags": []any{"a", "b"}},
		"up: \"[[Note]]\"\n":                {"up": "[[Note]]"},
		"m:\n  k: v\n  l: [1]\n":            {"m": map[string]any{"k": "v", "l": []any{1.0}}},
		"s: |\n  one\n  two\nn: 1\n":        {"s": "one\ntwo\n", "n": 1.0},
		"\"quoted key\": 1\n'b c': 2\n":     {"quoted key": 1.0, "b c": 2.0},
		"# only a comment\n":                {},
		"list: [\"a, b\", c]\n":             {"list": []any{"a, b", "c"}},
		"l: [\"x, [[y]]\", why?, 'it''s']":  {"l": []any{"x, [[y]]", "why?", "it's"}},
		"l: [\"a \\\" b\", \"é, \\u00e9\"]": {"l": []any{`a " b`, "é, é"}},
		"url: https://example.org/a#b\n":    {"url": "https://example.org/a#b"},
		"z: 007\nw: 1.2.3\n":                {"z": 7.0, "w": "1.2.3"},
		"a: \"x\\n\\u00e9\"\n":              {"a": "x\né"},
		"multi: \"one\n  two\"\nafter: 2":   {"multi": "one two", "after": 2.0},
	} {
		for _, eol := range []string{"\n", "\r\n"} {
			text := strings.ReplaceAll("---\n"+in+"\n---\nbody", "\n", eol)
			got, err := Parse([]byte(text)).Values()
			if err != nil {
				t.Errorf("%q: want no error, got %v", text, err)
				continue
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%q (-want +got):\n%s", text, d)
			}
		}
	}
}

func TestSetChangesOnlyWhatWasAsked(t *testing.T) {
	const front = "---\n# about\ntitle:   'Old'  # keep\ntags:\n  - a   # first\n  - b\n\nflow: [x,  \"y, z\" ]\ncount: 3\nempty:\n---\nBody\n"
	for _, c := range []struct {
		name, key string
		value     any
		was, is   string
	}{
		{"a text keeps its quotes and comment", "title", "New: one", "'Old'", "'New: one'"},
		{"an apostrophe in single quotes", "title", "It's", "'Old'", "'It''s'"},
		{"a number", "count", 41200.0, "count: 3", "count: 41200"},
		{"a value for an empty key", "empty", "x", "empty:\n", "empty: x\n"},
		{"a date is plain", "count", "2026-09-30", "count: 3", "count: 2026-09-30"},
		{"a number as text is quoted", "count", "7", "count: 3", "count: \"7\""},
		{"a link is quoted", "count", "[[Note]]", "count: 3", "count: \"[[Note]]\""},
		{"an element more", "tags", []any{"a", "b", "c"}, "  - b\n", "  - b\n  - c\n"},
		{"an element first", "tags", []any{"z", "a", "b"}, "  - a ", "  - z\n  - a "},
		{"an element less", "tags", []any{"b"}, "  - a   # first\n", ""},
		{"another element", "tags", []any{"a", "q"}, "  - b\n", "  - q\n"},
		{"a character that YAML does not print is escaped", "title", "a\u0080b\u009f\ufffe", "'Old'", `"a\u0080b\u009f\ufffe"`},
		{"a list for a text", "title", []any{"x"}, "title:   'Old'", "title:\n  - x"},
		{"a text for a list", "tags", "x", ":\n  - a   # first\n  - b\n", ": x\n"},
		{"no list any more", "tags", []any{}, ":\n  - a   # first\n  - b\n", ": []\n"},
		{"flow: one more", "flow", []any{"x", "y, z", "new one"}, "\"y, z\" ]", "\"y, z\",  new one ]"},
		{"flow: a question mark at the end is quoted", "flow", []any{"x", "y, z", "why?"}, "\"y, z\" ]", "\"y, z\",  \"why?\" ]"},
		{"flow: one less", "flow", []any{"y, z"}, "[x,  \"y, z\" ]", "[\"y, z\" ]"},
		{"a new key", "status", "draft", "empty:\n---", "empty:\nstatus: draft\n---"},
		{"a new list", "aliases", []any{"One", "Two: b"}, "empty:\n---", "empty:\naliases:\n  - One\n  - \"Two: b\"\n---"},
		{"nothing, when it is there already", "count", 3, "", ""},
		{"nothing, for an equal list", "flow", []any{"x", "y, z"}, "", ""},
	} {
		for _, eol := range []string{"\n", "\r\n"} {
			t.Run(c.name, func(t *testing.T) {
				in := strings.ReplaceAll(front, "\n", eol)
				want := strings.Replace(in, strings.ReplaceAll(c.was, "\n", eol), strings.ReplaceAll(c.is, "\n", eol), 1)
				got, err := SetProperty([]byte(in), c.key, c.value)
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(want, string(got)); d != "" {
					t.Errorf("(-want +got):\n%s", d)
				}
			})
		}
	}
}

func TestAFrontMatterIsMadeWhereThereIsNone(t *testing.T) {
	for in, want := range map[string]string{
		"":                    "---\nk: v\n---\n",
		"Body\r\nmore":        "---\r\nk: v\r\n---\r\nBody\r\nmore",
		"\ufeffBody\n":        "\ufeff---\nk: v\n---\nBody\n",
		"---\n---\nBody":      "---\nk: v\n---\nBody",
		"---\nno end\nBody\n": "---\nk: v\n---\n---\nno end\nBody\n",
	} {
		got, err := SetProperty([]byte(in), "k", "v")
		if err != nil || string(got) != want {
			t.Errorf("%q: got %q (%v), want %q", in, got, err, want)
		}
	}
}

func TestRemoveAndRenameKeepTheRest(t *testing.T) {
	const in = "---\na: 1 # one\n# between\n\"b c\":\n- x\n- y\nd: |\n  text\n\n  more\ne: 2\n---\nbody"
	for _, c := range []struct{ was, is, key string }{
		{"a: 1 # one\n", "", "a"},
		{"\"b c\":\n- x\n- y\n", "", "b c"},
		{"d: |\n  text\n\n  more\n", "", "d"},
		{"", "", "missing"},
	} {
		got, err := RemoveProperty([]byte(in), c.key)
		if want := strings.Replace(in, c.was, c.is, 1); err != nil || string(got) != want {
			t.Errorf("remove %s: got %q (%v), want %q", c.key, got, err, want)
		}
	}
	got, err := RenameProperty([]byte(in), "b c", "new: key")
	if want := strings.Replace(in, `"b c"`, `"new: key"`, 1); err != nil || string(got) != want {
		t.Errorf("rename: got %q (%v)", got, err)
	}
	if _, err := RenameProperty([]byte(in), "a", "e"); err == nil {
		t.Error("a rename onto a key that is there was done")
	}
	got, err = RemoveProperty([]byte("---\na: 1\n---\nbody"), "a")
	if err != nil || string(got) != "body" {
		t.Errorf("the last property: %q (%v)", got, err)
	}
}

func TestAFrontMatterThatCannotBeReadIsLeftAlone(t *testing.T) {
	for _, in := range []string{"---\n{{title}}: x\n---\n", "---\na: [b\n---\n", "---\na: 1\na: 2\n---\n", "---\n- list\n---\n", "---\na: \"x\n---\n", "---\n\tk: v\n---\n"} {
		if out, err := SetProperty([]byte(in), "k", "v"); !errors.Is(err, ErrFront) {
			t.Errorf("%q became %q (%v)", in, out, err)
		}
	}
}

func TestAnySettingReadsBackAndNothingElseDiffers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scalar := rapid.OneOf(
			rapid.Map(rapid.String(), func(s string) any { return strings.ToValidUTF8(s, "?") }),
			rapid.Map(rapid.IntRange(-1e6, 1e6), func(i int) any { return float64(i) }),
			rapid.Map(rapid.Bool(), func(b bool) any { return b }),
			rapid.SampledFrom([]any{"[[Note]]", "it's", "a: b", "# no", "- x", "yes", "2026-11-20", "007", "", " lead", "a, b", "null", "~", "\"", "\\", "|", "[x", "@a", "%b", "k:", "a #b"}),
		)
		value := rapid.OneOf(scalar, rapid.Map(rapid.SliceOfN(scalar, 0, 5), func(l []any) any { return l }))
		text := rapid.SampledFrom([]string{
			"---\nk: v\nother: 1 # c\n---\nb", "---\nother: x\nk:\n  - a # 1\n  - 'b'\n---\nb", "---\nk: [a, \"b\"]\nother: x\n---\nb",
			"b", "---\nk: |\n  text\nother: 'q'\n---\r\n", "---\nk:\nother:\n---\n", "---\r\nk: \"q\" # c\r\nother: 2\r\n---\r\nb\r\n",
		}).Draw(t, "note")
		v := value.Draw(t, "value")
		out, err := SetProperty([]byte(text), "k", v)
		if err != nil {
			t.Fatalf("%q = %#v: want no error, got %v", text, v, err)
		}
		before, _ := Parse([]byte(text)).Values()
		after, err := Parse(out).Values()
		if err != nil {
			t.Fatalf("%q: want no error, got %v", out, err)
		}
		if !sameValue(after["k"], v) || !sameValue(after["other"], before["other"]) {
			t.Fatalf("%q became %q", text, out)
		}
		again, err := SetProperty(out, "k", v)
		if err != nil || !bytes.Equal(again, out) {
			t.Fatalf("a second time changes %q to %q (%v)", out, again, err)
		}
		if b := Parse([]byte(text)).Body.Of([]byte(text)); !bytes.HasSuffix(out, b) {
			t.Fatalf("the body of %q is gone in %q", text, out)
		}
	})
}

// realNotes gives the notes of the real vaults, where they are there.
func realNotes(t testing.TB) map[string][]byte {
	t.Helper()
	if runtime.GOOS == "js" {
		t.Skip("the real vaults are read natively; the code is the same")
	}
	root := filepath.Join("..", "..", "..", "..", "shared", "vaults")
	if _, err := os.Stat(root); err != nil {
		t.Skip("the real vaults are not here:", root)
	}
	out := map[string][]byte{}
	err := filepath.WalkDir(root, func(p string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(p, ".md") {
			return err
		}
		b, err := os.ReadFile(p)
		rel, _ := filepath.Rel(root, p)
		out[filepath.ToSlash(rel)] = b
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestFrontMatterOfRealVaultsReadsAsYAMLDoes(t *testing.T) {
	n := 0
	for name, data := range realNotes(t) {
		d := Parse(data)
		if d.FrontBody.Empty() {
			continue
		}
		raw, err := safeyaml.Decode(d.FrontBody.Of(data))
		if errors.Is(err, safeyaml.ErrBounds) {
			t.Errorf("%s: want no bound reached, got %v", name, err)
		}
		want, ok := raw.(map[string]any)
		if err != nil || !ok {
			continue
		}
		got, err := d.Values()
		if err != nil {
			t.Errorf("%s: want no error, got %v", name, err)
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-yaml +note):\n%s", name, diff)
		}
		n++
	}
	t.Logf("%d front matters", n)
	if n < 300 {
		t.Errorf("only %d front matters", n)
	}
}

func TestEditsOfRealFrontMattersTouchNothingElse(t *testing.T) {
	notes := realNotes(t)
	var names []string
	for _, name := range slices.Sorted(maps.Keys(notes)) {
		d := ParseFront(notes[name])
		_, err := d.Values()
		if _, ok := d.Properties(); ok && err == nil && !d.FrontBody.Empty() {
			names = append(names, name)
		}
	}
	n := 0
	for i := 0; i < len(names); i += len(names)/400 + 1 { // some hundreds from all over are enough, and quick
		name := names[i]
		data := notes[name]
		d := ParseFront(data)
		props, _ := d.Properties()
		values, err := d.Values()
		if err != nil {
			t.Fatal(err)
		}
		n++
		out, err := SetProperty(data, "zz-new", "text: here")
		if err != nil {
			t.Errorf("%s: new: %v", name, err)
			continue
		}
		entry := "zz-new: \"text: here\"" + d.EOL()
		want := string(data[:d.FrontBody.End]) + entry + string(data[d.FrontBody.End:])
		if string(out) != want {
			t.Errorf("%s: a new property changes more than its line", name)
		}
		if back, err := RemoveProperty(out, "zz-new"); err != nil || !bytes.Equal(back, data) {
			t.Errorf("%s: adding and removing is not the same file: %v", name, err)
		}
		for _, p := range props {
			checkRealEdit(t, name, data, p, values[p.Key])
		}
	}
	t.Logf("%d front matters", n)
	if n < 300 {
		t.Errorf("only %d front matters", n)
	}
}

func checkRealEdit(t *testing.T, name string, data []byte, p Property, value any) {
	t.Helper()
	outside := func(out []byte) bool {
		return bytes.HasPrefix(out, data[:p.Start]) && bytes.HasSuffix(out, data[p.End:])
	}
	out, err := RenameProperty(data, p.Key, "zz-renamed")
	if want := string(data[:p.KeyAt.Start]) + "zz-renamed" + string(data[p.KeyAt.End:]); err != nil || string(out) != want && data[p.KeyAt.Start] != '"' {
		t.Errorf("%s: renaming %s: %v", name, p.Key, err)
	}
	out, err = SetProperty(data, p.Key, "changed")
	if err != nil || !outside(out) {
		t.Errorf("%s: setting %s: %v", name, p.Key, err)
	}
	if same, err := SetProperty(data, p.Key, value); err != nil || !bytes.Equal(same, data) {
		t.Errorf("%s: setting %s to what it is: %v", name, p.Key, err)
	}
	if list, ok := value.([]any); ok && len(list) > 0 {
		more, err := SetProperty(data, p.Key, append(append([]any{}, list...), "zz-more"))
		if err != nil || !outside(more) {
			t.Errorf("%s: adding to %s: %v", name, p.Key, err)
			return
		}
		if back, err := SetProperty(more, p.Key, list); err != nil || !bytes.Equal(back, data) {
			t.Errorf("%s: adding to %s and taking away is not the same file (%v):\n%s", name, p.Key, err, cmp.Diff(string(data), string(back)))
		}
	}
	out, err = RemoveProperty(data, p.Key)
	if err != nil || !bytes.HasSuffix(out, data[p.End:]) && !bytes.HasSuffix(data, out) {
		t.Errorf("%s: removing %s: %v", name, p.Key, err)
	}
}

// TestTagEditsOfRealFrontMattersTouchTheTagAlone renames, removes and adds tags
// in real front matters. What is expected is written here by the bytes of the
// file: in a line of the tags, the tag's own text.
func TestTagEditsOfRealFrontMattersTouchTheTagAlone(t *testing.T) {
	notes := realNotes(t)
	n := 0
	for _, name := range slices.Sorted(maps.Keys(notes)) {
		data := notes[name]
		d := ParseFront(data)
		values, err := d.Values()
		if _, ok := d.Properties(); !ok || err != nil || d.FrontBody.Empty() {
			continue
		}
		if n++; n > 600 { // more are no better, only slower
			break
		}
		tags := FrontTags(values)
		if len(tags) > 0 {
			checkTagEdits(t, name, data, d, tags[len(tags)/2])
		}
		added, err := AddTags(data, []string{"zz/new"})
		if err != nil {
			t.Errorf("%s: want no error, got %v", name, err)
			continue
		}
		lines, changed := diffLines(data, added)
		if changed > 0 || lines == 0 || lines > len(tags)+2 {
			if p := d.Property("tags"); p == nil || !bytes.HasPrefix(added, data[:p.Start]) || !bytes.HasSuffix(added, data[p.End:]) {
				t.Errorf("%s: adding a tag changes %d lines and adds %d", name, changed, lines)
			}
		}
		if back, _, err := MapTags(added, func(tag string) string { return strings.TrimPrefix(tag, "zz/new") }); err != nil || len(tags) > 1 && !bytes.Equal(back, data) {
			t.Errorf("%s: adding a tag and taking it away is not the same file (%v):\n%s", name, err, cmp.Diff(string(data), string(back)))
		}
	}
	t.Logf("%d front matters", n)
	if n < 300 {
		t.Errorf("only %d front matters", n)
	}
}

func checkTagEdits(t *testing.T, name string, data []byte, d *Doc, tag string) {
	t.Helper()
	bare := strings.TrimPrefix(tag, "#")
	if len(bare) < 3 || bytes.Count(data, []byte(bare)) != 1 {
		return // where it stands once, what is expected is certain
	}
	out, _, err := MapTags(data, func(s string) string { return RenameTag(s, bare, "zz/renamed") })
	if want := strings.Replace(string(data), bare, "zz/renamed", 1); err != nil || string(out) != want && string(out) != strings.Replace(string(data), tag, "zz/renamed", 1) {
		t.Errorf("%s: renaming %s: %v\n%s", name, tag, err, cmp.Diff(want, string(out)))
	}
	back, _, err := MapTags(out, func(s string) string { return RenameTag(s, "zz/renamed", bare) })
	// (A text that begins like a number gets quotes.)
	if err != nil || string(back) != string(data) && tag == bare && (bare[0] < '0' || bare[0] > '9') {
		t.Errorf("%s: renaming %s there and back is not the same file: %v", name, tag, err)
	}
	gone, _, err := MapTags(data, func(s string) string {
		if HasTag(s, bare) {
			return ""
		}
		return s
	})
	if err != nil || bytes.Contains(gone, []byte(bare)) {
		t.Errorf("%s: %s is still there: %v", name, tag, err)
	}
	if added, changed := diffLines(data, gone); added > 0 || changed > 1 {
		t.Errorf("%s: removing %s adds %d lines and changes %d", name, tag, added, changed)
	}
}

// diffLines counts the lines of b that a has not, and of those the ones that
// stand in place of a line that a has and b has not.
func diffLines(a, b []byte) (added, changed int) {
	count := map[string]int{}
	for _, l := range strings.Split(string(a), "\n") {
		count[l]++
	}
	for _, l := range strings.Split(string(b), "\n") {
		if count[l]--; count[l] < 0 {
			added++
		}
	}
	gone := 0
	for _, n := range count {
		gone += max(n, 0)
	}
	changed = min(added, gone)
	return added - changed, changed
}

func TestAnEmptyValueIsFilledBeforeItsComment(t *testing.T) {
	for given, want := range map[string]string{
		"---\na: # why\nb: 1\n---\n":   "---\na: x # why\nb: 1\n---\n",
		"---\na:   # why\nb: 1\n---\n": "---\na:   x # why\nb: 1\n---\n",
		"---\na:\nb: 1\n---\n":         "---\na: x\nb: 1\n---\n",
	} {
		if got, err := SetProperty([]byte(given), "a", "x"); err != nil || string(got) != want {
			t.Errorf("%q (%v)\n got %q\nwant %q", given, err, got, want)
		}
	}
}

func TestARenamedTagKeepsItsCommentItsQuotesAndItsNeighbours(t *testing.T) {
	for _, c := range []struct{ given, want string }{
		{"---\ntags:\n  - a/x # mine\n  - \"b\"\n---\n", "---\ntags:\n  - z/x # mine\n  - \"b\"\n---\n"},
		{"---\ntags:\n- 'a' # mine\n- b\n---\n", "---\ntags:\n- 'z' # mine\n- b\n---\n"},
		{"---\ntags: [ b,  \"a\" , c ] # mine\n---\n", "---\ntags: [ b,  \"z\" , c ] # mine\n---\n"},
		{"---\ntags: [\"#a\", b]\n---\n", "---\ntags: [\"z\", b]\n---\n"},
		{"---\ntags: b, a,  c # mine\n---\n", "---\ntags: b, z,  c # mine\n---\n"},
		{"---\nTag: 'b a'\n---\n", "---\nTag: 'b z'\n---\n"},
		{"---\ntags: a\n---\n", "---\ntags: z\n---\n"},
		{"---\r\ntags:\r\n  - a\r\n  - A/b\r\n---\r\n", "---\r\ntags:\r\n  - z\r\n  - z/b\r\n---\r\n"},
		{"---\ntags:\n  - a # first\n  - z\n---\n", "---\ntags:\n  - z\n---\n"}, // it merges with one that is there
	} {
		got, _, err := MapTags([]byte(c.given), func(s string) string { return RenameTag(s, "a", "z") })
		if err != nil || string(got) != c.want {
			t.Errorf("%q (%v)\n got %q\nwant %q", c.given, err, got, c.want)
		}
	}
}
