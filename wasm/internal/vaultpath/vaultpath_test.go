package vaultpath_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/vaultpath"
)

func TestCleanGivesTheOneSpellingOfAPath(t *testing.T) {
	for in, want := range map[string]string{
		"a.md":                    "a.md",
		"Projects/XYZ/a b.md":     "Projects/XYZ/a b.md",
		"/Projects/a.md":          "Projects/a.md",
		"Projects//a.md":          "Projects/a.md",
		"./Projects/./a.md":       "Projects/a.md",
		"Projects/":               "Projects",
		`Projects\2026\a.md`:      "Projects/2026/a.md",
		"a\u00a0b.md":             "a b.md",
		"Cafe\u0301.md":           "Café.md",
		"…and then.md":            "…and then.md",
		"Wait..what.md":           "Wait..what.md",
		"100%.md":                 "100%.md",
		"50%25 off.md":            "50%25 off.md",
		"1／2.md":                  "1／2.md",
		"Meeting: plan #1 [x].md": "Meeting: plan #1 [x].md", // legal to read, not to make
		"Etc./note.md":            "Etc./note.md",
		"مرحبا.md":                "مرحبا.md",
		"👩‍👩‍👧 family.md":         "👩‍👩‍👧 family.md",
		"concert.md":              "concert.md",
		"home/x.md":               "home/x.md",
		"Conventions/COMMON.md":   "Conventions/COMMON.md",
	} {
		got, err := vaultpath.Clean(in)
		if err != nil || got != want {
			t.Errorf("Clean(%q) = %q, %v; want %q", in, got, err, want)
		}
	}
}

func TestCleanRefusesWhatLeadsOutOfTheVaultAndSaysWhatToDo(t *testing.T) {
	outside := func(p string) string {
		return "“" + p + "” leads outside the vault. Use a path inside it, without “..”."
	}
	absolute := func(p string) string {
		return "“" + p + "” is an absolute path or an address. Use a path inside the vault, such as “Folder/Note.md”."
	}
	hidden := func(p string) string {
		return "“" + p + "” is hidden, because a name in it starts with a dot. Hidden files are never read or changed."
	}
	reserved := func(p, name string) string {
		return "“" + p + "” contains “" + name + "”, a name that Windows reserves. Choose another name."
	}
	illegal := func(p, char string) string {
		return "“" + p + "” contains “" + char + "”, which some systems forbid in names or which breaks links. Choose another name."
	}
	for in, want := range map[string]string{
		"":                       "The path is empty. Enter the path of a note inside the vault.",
		"/":                      "The path is empty. Enter the path of a note inside the vault.",
		"..":                     outside(".."),
		"../../etc/passwd":       outside("../../etc/passwd"),
		"a/../../b":              outside("a/../../b"),
		`..\..\b`:                outside(`..\..\b`),
		"a/..":                   outside("a/.."),
		".. /b":                  outside(".. /b"),
		"... /b":                 outside("... /b"),
		"%2e%2e/b":               outside("%2e%2e/b"),
		"a/%2E%2E%2Fb":           outside("a/%2E%2E%2Fb"),
		"%252e%252e/b":           outside("%252e%252e/b"),
		"a%5c..%5cb":             outside("a%5c..%5cb"),
		"．．/b":                   outside("．．/b"),
		"‥/b":                    outside("‥/b"),
		"…/b":                    outside("…/b"),
		"a／．．／b":                 outside("a／．．／b"),
		".\u200b./b":             outside(".\u200b./b"),
		"\u200b../b":             outside("\u200b../b"),
		"\u2060/b":               outside("\u2060/b"),
		"/etc/passwd":            absolute("/etc/passwd"),
		"/Users/me/x.md":         absolute("/Users/me/x.md"),
		"//server/share":         absolute("//server/share"),
		`\\server\share`:         absolute(`\\server\share`),
		`\\?\C:\x`:               absolute(`\\?\C:\x`),
		`C:\x.md`:                absolute(`C:\x.md`),
		"c:x.md":                 absolute("c:x.md"),
		"/C:/x.md":               absolute("/C:/x.md"),
		"./C:/x.md":              absolute("./C:/x.md"),
		"./~":                    absolute("./~"),
		"//./C:/x":               absolute("//./C:/x"),
		"~/x.md":                 absolute("~/x.md"),
		"https://example.com/a":  absolute("https://example.com/a"),
		"file:///etc/passwd":     absolute("file:///etc/passwd"),
		"obsidian://open?x=1":    absolute("obsidian://open?x=1"),
		".obsidian/app.json":     hidden(".obsidian/app.json"),
		"a/.git/config":          hidden("a/.git/config"),
		"%2eobsidian/x":          hidden("%2eobsidian/x"),
		"．obsidian/x":            hidden("．obsidian/x"),
		"\u200b.obsidian/x":      hidden("\u200b.obsidian/x"),
		"a／.git":                 hidden("a／.git"),
		"CON":                    reserved("CON", "CON"),
		"a/nul.md":               reserved("a/nul.md", "NUL"),
		"COM1.txt":               reserved("COM1.txt", "COM1"),
		"com¹.md":                reserved("com¹.md", "COM¹"),
		"LPT9/x.md":              reserved("LPT9/x.md", "LPT9"),
		"aux .md":                reserved("aux .md", "AUX"),
		"Prn.backup.md":          reserved("Prn.backup.md", "PRN"),
		"a\x00.md":               illegal("a\uFFFD.md", "U+0000"),
		"a%00.md":                illegal("a%00.md", "U+0000"),
		"a\nb.md":                illegal("a\uFFFDb.md", "U+000A"),
		"a\u0085b.md":            illegal("a\u0085b.md", "U+0085"),
		"a\u2028b.md":            illegal("a\u2028b.md", "U+2028"),
		"a\xffb.md":              illegal("a\uFFFDb.md", "bytes that are not UTF-8"),
		strings.Repeat("a", 5e6): "“" + strings.Repeat("a", 120) + "…”: the name is too long (more than 4096 bytes). Shorten it.",
	} {
		got, err := vaultpath.Clean(in)
		if err == nil {
			t.Errorf("Clean(%.60q) = %q; want %q", in, got, want)
			continue
		}
		if err.Error() != want {
			t.Errorf("Clean(%.60q)\n got %s\nwant %s", in, err, want)
		}
		if !fault.Is(err, fault.Validation) {
			t.Errorf("Clean(%.60q): %v is not VALIDATION_ERROR", in, err)
		}
	}
}

func TestAFolderMayBeTheRoot(t *testing.T) {
	for _, in := range []string{"", "/", ".", "./"} {
		if got, err := vaultpath.CleanFolder(in); got != "" || err != nil {
			t.Errorf("CleanFolder(%q) = %q, %v", in, got, err)
		}
	}
	if _, err := vaultpath.CleanFolder(".."); err == nil {
		t.Error("CleanFolder(..) is accepted")
	}
}

func TestANewNameMustBeLegalOnEverySystem(t *testing.T) {
	for in, key := range map[string]string{
		"ab:c.md": "error.path.illegal", "a*b.md": "error.path.illegal", `a"b.md`: "error.path.illegal",
		"a<b.md": "error.path.illegal", "a>b.md": "error.path.illegal", "a|b.md": "error.path.illegal",
		"a?b.md": "error.path.illegal", "a#b.md": "error.path.illegal", "a^b.md": "error.path.illegal",
		"a[b.md": "error.path.illegal", "a]b.md": "error.path.illegal", "x#y/b.md": "error.path.illegal",
		"a\u202eb.md": "error.path.illegal", "A\u200b.md": "error.path.invisible", "A\u2060/b.md": "error.path.invisible",
		"so\u00adft.md": "error.path.invisible", "A\U000e0041.md": "error.path.invisible", "A\u3164.md": "error.path.invisible", "a.": "error.path.trailing", "a /b.md": "error.path.trailing",
		"a./b.md": "error.path.trailing", "b.md ": "error.path.trailing",
		strings.Repeat("ä", 126) + ".md":     "",
		strings.Repeat("ä", 127) + ".md":     "error.path.long",
		strings.Repeat("0123456789/", 80):    "error.path.long",
		"Projects/XYZ/A note (2).md":         "",
		"日本語/ノート.md":                         "",
		"it's, a; b & c = 100% (ok) @x+y.md": "",
	} {
		err := vaultpath.CheckNew(in)
		var e *fault.Error
		got := ""
		if errors.As(err, &e) {
			got = e.Key
		}
		if got != key {
			t.Errorf("CheckNew(%.40q) = %v; want %q", in, err, key)
		}
	}
	if err := vaultpath.CheckNew("Plan: a.md"); err == nil ||
		err.Error() != "“Plan: a.md” contains “:”, which some systems forbid in names or which breaks links. Choose another name." {
		t.Error(err)
	}
}

func TestEveryFileOfTheRealVaultsCanBeAskedFor(t *testing.T) {
	root := filepath.FromSlash("../../../../shared/vaults")
	if _, err := os.Stat(root); err != nil {
		t.Skip("the real vaults are not here")
	}
	n := 0
	vaults, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range vaults {
		if !v.IsDir() {
			continue
		}
		base := filepath.Join(root, v.Name())
		err := filepath.WalkDir(base, func(p string, d fs.DirEntry, err error) error {
			if err != nil || p == base {
				return err
			}
			if strings.HasPrefix(d.Name(), ".") {
				if d.IsDir() {
					return fs.SkipDir
				}
				return nil
			}
			rel, err := filepath.Rel(base, p)
			if err != nil {
				return err
			}
			rel = filepath.ToSlash(rel)
			n++
			if err := vaultpath.Check(rel); err != nil {
				t.Errorf("%s: want no error, got %v", rel, err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if n == 0 {
		t.Fatal("no file was looked at")
	}
}

func TestANameThatNTFSMayHaveMadeUpIsKnown(t *testing.T) {
	for p, refused := range map[string]bool{
		"OBSIDI~1": true, "GIT~1/config": true, "PRIVAT~1/a.md": true, "a/EMBED~12/x": true, "note~1.md": true, "x~1.htm": true, "git~1. ": true,
		"~1": false, "note~": false, "notes about~1.md": false, "a~b.md": false, "note~1.markdown": false, "a~1 b.md": false, "Plain.md": false,
	} {
		if err := vaultpath.CheckShort(p); (err != nil) != refused {
			t.Errorf("%s: want it refused: %v, got %v", p, refused, err)
		}
	}
}

func TestARecordedPathIsOneThatCouldHaveBeenGiven(t *testing.T) {
	for p, good := range map[string]bool{
		"a.md": true, "Sub/a.md": true, "Größe/cafe\u0301.md": true, "a b/c.md": true,
		"": false, "/a.md": false, "a//b.md": false, "a/./b.md": false, "a/../b.md": false, "a\\b.md": false, "a/": false, ".git/x": false, " .git/x": false,
	} {
		if err := vaultpath.CheckStored(p); (err == nil) != good {
			t.Errorf("%q: want it accepted: %v, got %v", p, good, err)
		}
	}
}
