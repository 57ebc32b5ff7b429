package vaultpath_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"embedded-agent/wasm/internal/tool"
	"embedded-agent/wasm/internal/vaultpath"
)

func TestSafeNameMakesAReadableNameOfAnyTitle(t *testing.T) {
	for in, want := range map[string]string{
		"Plain title":               "Plain title",
		"../../etc/passwd":          "etc-passwd",
		"CON":                       "CON_",
		"nul.md":                    "nul_.md",
		"COM¹":                      "COM¹_",
		"a/b:c?":                    "a-b-c",
		`C:\temp\x`:                 "C--temp-x",
		"Re: the plan":              "Re - the plan",
		"🎉":                         "🎉",
		"👩‍👩‍👧 family":              "👩‍👩‍👧 family",
		"":                          "Untitled",
		"   ":                       "Untitled",
		"...":                       "Untitled",
		"..":                        "Untitled",
		"%2e%2e":                    "2e2e",
		"．．":                        "Untitled",
		"‥":                         "Untitled",
		"…":                         "Untitled",
		"///":                       "Untitled",
		"?*<>":                      "Untitled",
		".hidden":                   "hidden",
		"The end...":                "The end",
		"…and then":                 "…and then",
		"line one\nline two\t\x00x": "line one line two x",
		"[[Link]] #tag ^id":         "((Link)) tag id",
		`He said "hi" | bye`:        "He said 'hi' - bye",
		"مرحبا بالعالم":             "مرحبا بالعالم",
		"\u202etxt.exe":             "txt.exe",
		"Cafe\u0301":                "Café",
		"a\xffb":                    "a\uFFFDb",
		"100% sure":                 "100% sure",
		strings.Repeat("x", 300):    strings.Repeat("x", 247),
		strings.Repeat("ab ", 100):  strings.TrimSpace(strings.Repeat("ab ", 83)[:247]),
		strings.Repeat("é", 300):    strings.Repeat("é", 123),
		strings.Repeat("👩‍👩‍👧", 40): strings.Repeat("👩‍👩‍👧", 13),
		strings.Repeat("🇩🇪", 100):   strings.Repeat("🇩🇪", 30),
		strings.Repeat("👍🏽", 100):   strings.Repeat("👍🏽", 30),
		"q\u0301\u0302":             "q\u0301\u0302",
	} {
		if got := vaultpath.SafeName(in); got != want {
			t.Errorf("SafeName(%.40q) = %q, want %q", in, got, want)
		}
	}
}

func TestAndroidRefusesMoreAndOnlyThere(t *testing.T) {
	if got := vaultpath.SafeNameOn(vaultpath.Android, `It's "C++"`); got != "It’s ’C＋＋’" {
		t.Errorf("on Android: %q", got)
	}
	for _, platform := range []string{"", "linux", "mac", "win", "ios", "folder"} {
		if got := vaultpath.SafeNameOn(platform, "It's C++"); got != "It's C++" {
			t.Errorf("on %s: want \"It's C++\", got %q", platform, got)
		}
		if _, err := vaultpath.CleanNewOn(platform, "It's C++.md"); err != nil {
			t.Errorf("on %s: want no error, got %v", platform, err)
		}
	}
	for _, name := range []string{"It's.md", "C++.md"} {
		if _, err := vaultpath.CleanNewOn(vaultpath.Android, name); err == nil {
			t.Errorf("%s is accepted on Android", name)
		}
	}
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}

// titles draws text that is rich in what breaks names.
func titles() *rapid.Generator[string] {
	piece := rapid.OneOf(
		rapid.String(),
		rapid.SampledFrom([]string{
			"..", ".", "/", `\`, "%2e", "%2E%2F", "．", "‥", "…", "CON", "nul", "COM¹", "LPT1", ".md", " ", "\u00a0",
			"\u200b", "\u200d", "\u202e", "\u0301", "\u0345", "ß", "İ", "K", "👩‍👩‍👧", "🇩🇪", "👍🏽", "\x00", "\n", "\xff",
			"C:", "://", "~", "#", "^", "[", "]", "(2)", " (2)", "％", "ﬁ", "각", "\u1112\u1161",
			strings.Repeat("a", 250), strings.Repeat("\u0301", 130),
		}),
	)
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(piece, 0, 8).Draw(t, "pieces"), "")
	})
}

func checkSafeName(t interface{ Fatalf(string, ...any) }, title string) {
	name := vaultpath.SafeName(title)
	if err := vaultpath.CheckNew(name + " (99).md"); err != nil {
		t.Fatalf("SafeName(%q) = %q: %v", title, name, err)
	}
	if err := vaultpath.CheckNew(name + ".md"); err != nil {
		t.Fatalf("SafeName(%q) = %q: %v", title, name, err)
	}
	onAndroid := vaultpath.SafeNameOn(vaultpath.Android, title)
	if _, err := vaultpath.CleanNewOn(vaultpath.Android, onAndroid+" (99).md"); err != nil {
		t.Fatalf("SafeNameOn(android, %q) = %q: %v", title, onAndroid, err)
	}
	if strings.Contains(name, "/") || !utf8.ValidString(name) {
		t.Fatalf("SafeName(%q) = %q", title, name)
	}
	if again := vaultpath.SafeName(name); again != name {
		t.Fatalf("SafeName(%q) = %q, and of that %q", title, name, again)
	}
}

func checkClean(t interface{ Fatalf(string, ...any) }, path string) {
	clean, err := vaultpath.Clean(path)
	if err != nil {
		return
	}
	if clean == "" || strings.HasPrefix(clean, "/") || strings.ContainsAny(clean, "\\\x00\n") || strings.Contains(clean, "//") {
		t.Fatalf("Clean(%q) = %q", path, clean)
	}
	for part := range strings.SplitSeq(clean, "/") {
		if part == "" || part[0] == '.' || vaultpath.Device(part) != "" {
			t.Fatalf("Clean(%q) = %q: the part %q", path, clean, part)
		}
	}
	if again, err := vaultpath.Clean(clean); err != nil || again != clean {
		t.Fatalf("Clean(%q) = %q, and of that %q, %v", path, clean, again, err)
	}
}

func TestPropertyWhateverTheTitleTheNameCanBeMade(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkSafeName(t, titles().Draw(t, "title")) })
}

func TestPropertyWhateverThePathTheCleanOneIsInside(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkClean(t, titles().Draw(t, "path")) })
}

func TestPropertyFoldIsTheSameForAllSpellingsOfAName(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := strings.ToValidUTF8(titles().Draw(t, "name"), "")
		key := vaultpath.Fold(s)
		if again := vaultpath.Fold(key); again != key {
			t.Fatalf("Fold(%q) = %q, and of that %q", s, key, again)
		}
		if other := vaultpath.Fold(norm.NFD.String(s)); other != vaultpath.Fold(norm.NFC.String(s)) {
			t.Fatalf("%q: decomposed %q, composed %q", s, other, vaultpath.Fold(norm.NFC.String(s)))
		}
		if other := vaultpath.Fold(strings.ToUpper(key)); isASCII(key) && other != key {
			t.Fatalf("%q in capitals is %q", key, other)
		}
	})
	for _, pair := range [][2]string{
		{"Time Entry.md", "time entry.md"},
		{"CAFÉ.md", "cafe\u0301.md"},
		{"Straẞe", "straße"},
		{"ΣΑΣ", "σας"},
		{"\u212A", "k"},
		{"Ångström", "\u212bNGSTRÖM"},
	} {
		if a, b := vaultpath.Fold(pair[0]), vaultpath.Fold(pair[1]); a != b {
			t.Errorf("want equal to b, got %q is %q, %q is %q", pair[0], a, pair[1], b)
		}
	}
	if vaultpath.Fold("a") == vaultpath.Fold("b") || vaultpath.Fold("a") == vaultpath.Fold("á") {
		t.Error("different names fold to one")
	}
}

func FuzzSafeName(f *testing.F) {
	for _, s := range []string{
		"../../etc/passwd", "CON", "NUL.md", "COM¹", "a/b:c?", "🎉", strings.Repeat("x", 300), "", "...", "%2e%2e",
		"%252e", "．．／x", "a\x00b", `..\..\x`, "Cafe\u0301", "\u202etxt", "ﬁle", "İstanbul",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { checkSafeName(t, s) })
}

func FuzzClean(f *testing.F) {
	for _, s := range []string{
		"a/b.md", "../x", "%2e%2e/x", `..\x`, "．．/x", "C:/x", "//x", "https://x", "a\x00", ".obsidian", "nul.md",
		"a/ .. /b", "\u200b..", "/etc/x", "/Projects/x.md", "a/\u2060/b", "CAFÉ/Cafe\u0301",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { checkClean(t, s) })
}

func TestUniqueCountsOn(t *testing.T) {
	taken := map[string]bool{"F/T.md": true, "F/T (2).md": true, "F/U (2).md": true, "Folder": true}
	is := func(p string) bool { return taken[p] }
	for in, want := range map[string]string{
		"F/New.md":   "F/New.md",
		"F/T.md":     "F/T (3).md",
		"F/T (2).md": "F/T (3).md",
		"F/U (2).md": "F/U (3).md",
		"Folder":     "Folder (2)",
	} {
		if got := vaultpath.Unique(in, is); got != want {
			t.Errorf("Unique(%q) = %q, want %q", in, got, want)
		}
	}
	long := strings.Repeat("é", 126) + ".md"
	taken[long] = true
	if got := vaultpath.Unique(long, is); vaultpath.CheckNew(got) != nil || !strings.HasSuffix(got, " (2).md") {
		t.Errorf("the long name became %q", got)
	}
}

func TestTenThousandEqualTitlesCostFewQuestionsEach(t *testing.T) {
	taken, asked := map[string]bool{}, 0
	for i := range 10_000 {
		name := vaultpath.Unique("T.md", func(p string) bool { asked++; return taken[p] })
		want := "T.md"
		if i > 0 {
			want = fmt.Sprintf("T (%d).md", i+1)
		}
		if name != want {
			t.Fatalf("number %d is %q", i, name)
		}
		taken[name] = true
	}
	if asked > 10_000*50 {
		t.Errorf("%d questions", asked)
	}
}

func TestFamilyIsTheNameUniqueStartedFrom(t *testing.T) {
	for in, want := range map[string]string{
		"F/T (2).md": "F/T.md", "F/T.md": "F/T.md", "T (1).md": "T (1).md", "T (x).md": "T (x).md", "T (30)": "T",
		" (2).md": " (2).md",
	} {
		if got := vaultpath.Family(in); got != want {
			t.Errorf("Family(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestPathsComeApartAndTogether(t *testing.T) {
	for _, c := range []struct{ path, parent, base, stem, ext string }{
		{"a/b/c.md", "a/b", "c.md", "c", ".md"},
		{"c.md", "", "c.md", "c", ".md"},
		{"a/Meeting 3.5", "a", "Meeting 3.5", "Meeting 3.5", ""},
		{"song.mp3", "", "song.mp3", "song", ".mp3"},
		{"x.tar.gz", "", "x.tar.gz", "x.tar", ".gz"},
		{"Dr. Who", "", "Dr. Who", "Dr. Who", ""},
		{"a.verylongextension", "", "a.verylongextension", "a.verylongextension", ""},
		{"", "", "", "", ""},
	} {
		if vaultpath.Parent(c.path) != c.parent || vaultpath.Base(c.path) != c.base ||
			vaultpath.Stem(c.path) != c.stem || vaultpath.Ext(c.path) != c.ext {
			t.Errorf("%q: want as in the case, as in the case, as in the case and as in the case, got %q %q %q %q", c.path, vaultpath.Parent(c.path), vaultpath.Base(c.path), vaultpath.Stem(c.path), vaultpath.Ext(c.path))
		}
		if got := vaultpath.Join(c.parent, c.base); got != c.path {
			t.Errorf("%q joined again is %q", c.path, got)
		}
	}
	if !vaultpath.Under("a/b", "a") || !vaultpath.Under("a", "a") || vaultpath.Under("ab", "a") || !vaultpath.Under("x", "/") {
		t.Error("Under")
	}
}

func TestTheSandboxAllowsItsRootsAndRefusesItsPatterns(t *testing.T) {
	box := func(roots, deny []string) tool.Sandbox {
		return tool.Sandbox{Enabled: true, AllowedRoots: roots, DenyPatterns: deny}
	}
	all := []string{"/"}
	for _, c := range []struct {
		path string
		box  tool.Sandbox
		want bool
	}{
		{"a/b.md", box(all, nil), true},
		{"", box(all, nil), true},
		{"a/b.md", box([]string{"a"}, nil), true},
		{"a/b.md", box([]string{"/a/"}, nil), true},
		{"ab/b.md", box([]string{"a"}, nil), false},
		{"", box([]string{"a"}, nil), false},
		{"a/b.md", box(nil, nil), false},
		{"a/b.md", tool.Sandbox{}, true},
		{"../b.md", tool.Sandbox{}, false},
		{"a/b.md", box([]string{".."}, nil), false},
		{"a/b..c.md", box(all, []string{".."}), false},
		{"Private/x.md", box(all, []string{"private/"}), false},
		{"PRIVATE/x.md", box(all, []string{"Private"}), false},
		{"Cafe\u0301.md", box(all, []string{"café"}), false},
		{"Private/a/b.md", box(all, []string{"Private/*"}), false},
		{"Private", box(all, []string{"Private/*"}), true},
		{"x/secret.md", box(all, []string{"secret*"}), false},
		{"secrets/x.md", box(all, []string{"secret*"}), false},
		{"x/my secret.md", box(all, []string{"secret*"}), true},
		{"a/b/c/keys.md", box(all, []string{"a/**/keys.md"}), false},
		{"a/keys.md", box(all, []string{"a/**/keys.md"}), false},
		{"a/mykeys.md", box(all, []string{"a/**/keys.md"}), true},
		{"a/b/x.md", box(all, []string{"a/?/x.md"}), false},
		{"a/bb/x.md", box(all, []string{"a/?/x.md"}), true},
		{"a/b", box(all, []string{""}), true},
		{"a/b", box(all, []string{"**"}), false},
	} {
		if got := vaultpath.Allowed(c.path, c.box); got != c.want {
			t.Errorf("Allowed(%q, %v) = %v", c.path, c.box, got)
		}
	}
	hard := strings.Repeat("*a", 60) + "/" + strings.Repeat("**/", 40) + "b"
	if !vaultpath.Allowed(strings.Repeat("a", 2000), box(all, []string{hard})) {
		t.Error("a hard pattern")
	}
}
