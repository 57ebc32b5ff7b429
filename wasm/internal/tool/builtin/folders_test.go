package builtin_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"embedded-agent/wasm/internal/host/hosttest"
)

// TestTheFoldersThatABaseNamesFollowARename renames a folder, and the one around it,
// under a base that lies elsewhere and under one that moves along.
func TestTheFoldersThatABaseNamesFollowARename(t *testing.T) {
	read := func(name string) string {
		data, err := os.ReadFile(filepath.Join("testdata", "bases", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	before := read("folders.base")
	given := files{"Views/Reading.base": before, "Library/To read/Own.base": before, "Library/Fiction/Emma.md": "x", "Library/To read/Ulysses.md": "x", "Empty/": ""}
	for i := range 40 { // many files: all carriers of links are read
		given["Library/Fiction/More/"+string(rune('a'+i%26))+string(rune('a'+i/26))+".md"] = "x"
	}
	m := hosttest.New(hosttest.Options{Files: given})
	rename := func(from, to string) {
		t.Helper()
		mustCall(t, envOf(m.Host()), "vault.rename", args{"path": from, "newPath": to})
	}
	check := func(path, golden string) {
		t.Helper()
		got, _ := m.File(path)
		if d := cmp.Diff(read(golden), string(got)); d != "" {
			t.Errorf("%s (-want +got):\n%s", path, d)
		}
	}
	rename("Library/To read", "Library/Shelf")
	check("Views/Reading.base", "folders.one.base")
	check("Library/Shelf/Own.base", "folders.one.base")
	rename("Library", "Books")
	check("Views/Reading.base", "folders.both.base")
	check("Books/Shelf/Own.base", "folders.both.base")
	rename("Books/Shelf/Ulysses.md", "Ulysses.md") // a file that moves takes no folder along
	rename("Empty", "Emptied")
	check("Views/Reading.base", "folders.both.base")
	rename("Books", `Joyce's`) // a name with a quote cannot be told how to write
	check("Views/Reading.base", "folders.both.base")
}
