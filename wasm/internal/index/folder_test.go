//go:build !js

package index

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"embedded-agent/wasm/internal/host/hostfs"
)

func TestEditsOfAFolderOnDiskAreSeenHoweverFastTheyCome(t *testing.T) {
	dir := t.TempDir()
	f, err := hostfs.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	v := Over(f.Host())
	v.store.worth = 0
	need := Literal("zanzibar")
	for i := range 30 {
		path := filepath.Join(dir, fmt.Sprintf("note %d.md", i%3))
		text := []string{"zanzibar", "zanzibus", "nothing "}[i/3%3] // all of one length
		if i%7 == 6 {
			err = os.Remove(path)
		} else {
			err = os.WriteFile(path, []byte(text), 0o600)
		}
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		if got, want := search(t, v, need, holds("zanzibar")), scan(t, f.Host(), holds("zanzibar")); !slices.Equal(got, want) {
			t.Fatalf("edit %d: %q, want %q", i, got, want)
		}
	}
}
