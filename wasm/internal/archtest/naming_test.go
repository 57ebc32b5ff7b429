package archtest

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"testing"
)

// kebab is how a file of TypeScript or JavaScript is named. Before the extension
// may stand what kind of file it is.
var kebab = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*(\.config)?(\.svelte|\.gen|\.d|(\.browser)?\.test)?\.(ts|mts|mjs)$`)

// component is how a component of Svelte is named: as in the markup that uses it.
var component = regexp.MustCompile(`^[A-Z][A-Za-z0-9]*\.svelte$`)

func TestFilesOfTypeScriptAreNamedInOneWay(t *testing.T) {
	const reason = "nobody should have to guess how a file is written: two-words.ts, TwoWords.svelte"
	found := 0
	for _, dir := range []string{"bridge", "i18n", "plugin", "test", "bench", "scripts"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			name := d.Name()
			if d.IsDir() {
				if name == "node_modules" || name == "dist" {
					return filepath.SkipDir
				}
				return nil
			}
			switch filepath.Ext(name) {
			case ".ts", ".mts", ".mjs":
				found++
				if !kebab.MatchString(name) {
					t.Errorf("%s is named in another way: %s", path, reason)
				}
			case ".svelte":
				found++
				if !component.MatchString(name) {
					t.Errorf("%s is named in another way: %s", path, reason)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if found < 100 {
		t.Errorf("only %d files were found: the search is broken", found)
	}
}
