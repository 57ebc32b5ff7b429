//go:build !js

package archtest

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aymanbagabas/go-udiff"
)

var update = flag.Bool("update", false, "write third_party/jsonschema/changes.diff anew")

// The library that third_party/jsonschema is a copy of, and its hash in Go's
// checksum database.
const (
	upstream    = "github.com/santhosh-tekuri/jsonschema/v5@v5.3.1"
	upstreamSum = "h1:lZUw3E0/J3roVtGQ+SCrUrg3ON6NgVqpn3+iol9aGu4="
)

func TestTheCopyOfJSONSchemaDiffersFromTheLibraryAsItsChangesSay(t *testing.T) {
	original := fetched(t)
	folder := filepath.Join(root, "third_party", "jsonschema")
	var diff strings.Builder
	for _, name := range sourcesOf(t, original, folder) {
		diff.WriteString(udiff.Unified("upstream/"+name, "third_party/"+name,
			read(t, filepath.Join(original, name)), read(t, filepath.Join(folder, name))))
	}
	golden := filepath.Join(folder, "changes.diff")
	if *update {
		if err := os.WriteFile(golden, []byte(diff.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got := diff.String(); got != read(t, golden) {
		t.Errorf("whoever takes the library over finds the changes in third_party/jsonschema/changes.diff, and they are others:\n%s", got)
	}
}

// sourcesOf gives every file that either folder has, but for what the copy
// leaves out (tests, the loader for HTTP, what is about the repository) and what it
// says of itself.
func sourcesOf(t *testing.T, folders ...string) []string {
	t.Helper()
	var names []string
	seen := map[string]bool{"README.md": true, "changes.diff": true}
	for _, folder := range folders {
		entries, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range entries {
			name := entry.Name()
			leftOut := strings.HasPrefix(name, ".") || strings.HasSuffix(name, "_test.go") ||
				name == "httploader" || name == "testdata"
			if !leftOut && !seen[name] {
				seen[name] = true
				names = append(names, name)
			}
		}
	}
	return names
}

// read gives a file's text; that of one that is not there is empty.
func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(text)
}

// fetched gives the folder of the library as it is published, from Go's cache of
// modules or from the proxy.
func fetched(t *testing.T) string {
	t.Helper()
	cmd := exec.Command("go", "mod", "download", "-json", upstream)
	cmd.Dir = t.TempDir() // away from this module, which puts the copy in its place
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	said, err := cmd.Output()
	var module struct{ Dir, Sum, Error string }
	if wrong := json.Unmarshal(said, &module); wrong != nil || err != nil {
		t.Skipf("%s is not in the cache and cannot be fetched: %v %s", upstream, err, module.Error)
	}
	if module.Sum != upstreamSum {
		t.Fatalf("%s has the hash %s, not %s", upstream, module.Sum, upstreamSum)
	}
	return module.Dir
}
