package archtest

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const (
	architecture = "docs/ARCHITECTURE.md"
	maxMapWords  = 4000
)

// proof is a test that a page names: of Go by its function, of TypeScript by its
// file.
var proof = regexp.MustCompile("`(Test[A-Z]\\w+|[\\w./-]+\\.test\\.ts)`")

func TestEveryTestThatAPageNamesIsThere(t *testing.T) {
	const reason = "a guarantee without its test is a promise: name the test that shows it"
	declared := testFunctions(t)
	found := 0
	texts(t, func(file, text string) {
		if !strings.HasPrefix(file, "docs/") {
			return
		}
		for _, m := range proof.FindAllStringSubmatch(text, -1) {
			found++
			there := declared[m[1]]
			if strings.HasSuffix(m[1], ".ts") {
				_, err := os.Stat(filepath.Join(root, m[1]))
				there = err == nil
			}
			if !there {
				t.Errorf("%s names %s, which is not there: %s", file, m[1], reason)
			}
		}
	})
	if found < 50 {
		t.Errorf("only %d tests are named: the search is broken", found)
	}
}

// testFunctions are the names of all tests of the core.
func testFunctions(t *testing.T) map[string]bool {
	t.Helper()
	function := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	names := map[string]bool{}
	err := filepath.WalkDir(filepath.Join(root, "wasm"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		src, err := os.ReadFile(path)
		for _, m := range function.FindAllStringSubmatch(string(src), -1) {
			names[m[1]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestTheMapOfTheProgramIsShortAndComplete(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, architecture))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(strings.Fields(string(text))); n >= maxMapWords {
		t.Errorf("%s has %d words, of under %d: what is a format or a protocol belongs in docs/design", architecture, n, maxMapWords)
	}
	_, layout, _ := strings.Cut(string(text), "\n## The layout\n")
	layout, _, _ = strings.Cut(layout, "\n## ")
	for _, p := range core(t) {
		name, _, _ := strings.Cut(strings.TrimPrefix(p.ImportPath, internal), "/")
		if within(p.ImportPath, name) && !regexp.MustCompile(`\b`+name+`\b`).MatchString(layout) {
			t.Errorf("%s does not say where package %s stands: whoever takes the program over looks for it there", architecture, name)
		}
	}
}
