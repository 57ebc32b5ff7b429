//go:build !js

package hostfs

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"embedded-agent/wasm/internal/fault"
)

// places counts the files of the processes that work on a folder.
func places(t *testing.T, root string) int {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(root, StoreFolder, ownersFolder))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return len(entries)
}

func TestAFolderThatWasClosedHasNoPlaceOfThisProcess(t *testing.T) {
	root := t.TempDir()
	f, err := Open(root)
	if err != nil {
		t.Fatal(err)
	}
	owners := f.Host().Owners
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := owners.Self(stopped); !fault.Is(err, fault.Cancelled) || places(t, root) != 0 {
		t.Errorf("for nobody who waits: %v, %d places", err, places(t, root))
	}
	if _, err := owners.Self(t.Context()); err != nil || places(t, root) != 1 {
		t.Fatalf("%v, %d places", err, places(t, root))
	}
	if err := f.Close(); err != nil || places(t, root) != 0 {
		t.Fatalf("%v, %d places after it was closed", err, places(t, root))
	}
	if _, err := owners.Self(t.Context()); !fault.Is(err, fault.Cancelled) || places(t, root) != 0 {
		t.Errorf("afterwards: %v, %d places", err, places(t, root))
	}
}
