package archtest

import (
	"os"
	"path/filepath"
	"testing"
)

// mostFiles is how many files a folder of the panel may have, tests too.
const mostFiles = 25

func TestNoFolderOfThePanelIsAHall(t *testing.T) {
	const reason = "in a longer list nobody finds a file by its folder: make a folder for what belongs together"
	err := filepath.WalkDir(filepath.Join(root, "plugin"), func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		entries, err := os.ReadDir(path)
		if err != nil {
			return err
		}
		files := 0
		for _, e := range entries {
			if !e.IsDir() {
				files++
			}
		}
		if files > mostFiles {
			t.Errorf("%s has %d files, more than %d: %s", path, files, mostFiles, reason)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
