package archtest

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// skipped are folders whose texts are not ours, or are made.
var skipped = []string{
	".git", "node_modules", "dist", "build", "third_party", "testdata", "test/playground/vault", "test/playground/dist", "release",
}

// thisFile has citations that lead nowhere, to try the rules on.
const thisFile = "wasm/internal/archtest/citation_test.go"

// texts calls f for every source file and page of the repository, with its path
// from the root.
func texts(t *testing.T, f func(file, text string)) {
	t.Helper()
	kinds := []string{".go", ".ts", ".svelte", ".mjs", ".js", ".md", ".css", ".yaml", ".json"}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		file := filepath.ToSlash(relative)
		if d.IsDir() {
			if slices.Contains(skipped, file) || slices.Contains(skipped, d.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		if file != "Makefile" && !slices.Contains(kinds, path.Ext(file)) || file == "main.js" || file == "package-lock.json" {
			return nil
		}
		text, err := os.ReadFile(name)
		if err == nil {
			f(file, string(text))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// cited is a page named in a comment or a text, with its heading.
var cited = regexp.MustCompile(`\bdocs/[\w./-]+\.md(#[\w-]+)?|\bdocs/adr/\d{4}\b[\w-]*`)

// linked is a link of one of our pages to another, or to a heading of itself.
var linked = regexp.MustCompile(`\]\(([\w./-]+\.md)?(#[\w-]+)?\)`)

func TestEveryCitationLeadsToAHeadingThatIsThere(t *testing.T) {
	const reason = "whoever follows it finds nothing: cite a page of docs/ and a heading in it"
	pages := map[string][]string{}
	found := 0
	texts(t, func(file, text string) {
		if file == thisFile {
			return
		}
		var targets []string
		targets = append(targets, cited.FindAllString(text, -1)...)
		if isPage(file) {
			for _, m := range linked.FindAllStringSubmatch(text, -1) {
				if m[0] == "]()" {
					continue
				}
				to := file
				if m[1] != "" {
					to = path.Join(path.Dir(file), m[1])
				}
				targets = append(targets, to+m[2])
			}
		}
		for _, target := range targets {
			found++
			if !leads(t, pages, target) {
				t.Errorf("%s cites %s: %s", file, target, reason)
			}
		}
	})
	if found < 100 {
		t.Errorf("only %d citations were found: the search is broken", found)
	}
}

// named is a file or folder that a recipe names.
var named = regexp.MustCompile("`((?:wasm|i18n|plugin|bridge|docs|scripts|test|bench)/[\\w./-]+)`")

func TestEveryFolderThatARecipeNamesIsThere(t *testing.T) {
	const reason = "whoever follows the recipe looks for it: name the place where it is now"
	for _, page := range []string{"CONTRIBUTING.md", "docs/design/README.md"} {
		text, err := os.ReadFile(filepath.Join(root, page))
		if err != nil {
			t.Fatal(err)
		}
		found := named.FindAllStringSubmatch(string(text), -1)
		if len(found) == 0 {
			t.Errorf("%s names no folder: the search is broken", page)
		}
		for _, m := range found {
			if strings.Contains(m[1], "AREA") {
				continue // stands for any
			}
			file, _, _ := strings.Cut(m[1], "#")
			if _, err := os.Stat(filepath.Join(root, file)); err != nil {
				t.Errorf("%s names %s, which is not there: %s", page, m[1], reason)
			}
		}
	}
}

// isPage says whether a file is one of our pages: those of the tools have links
// of a vault as examples.
func isPage(file string) bool {
	return path.Ext(file) == ".md" && !strings.HasPrefix(file, "wasm/")
}

// leads says whether a page is there, and the heading in it.
func leads(t *testing.T, pages map[string][]string, target string) bool {
	t.Helper()
	file, heading, deep := strings.Cut(target, "#")
	if path.Ext(file) != ".md" { // docs/adr/0003: the number of a decision
		all, err := filepath.Glob(filepath.Join(root, file) + "*.md")
		return err == nil && len(all) == 1
	}
	headings, known := pages[file]
	if !known {
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			return false
		}
		headings = headingsOf(string(text))
		pages[file] = headings
	}
	return !deep || slices.Contains(headings, heading)
}

var (
	headline = regexp.MustCompile(`(?m)^#{1,6} (.+)$`)
	fenced   = regexp.MustCompile("(?ms)^```.*?^```$")
	noAnchor = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// headingsOf are the anchors of a page's headings, as GitHub makes them.
func headingsOf(text string) []string {
	out := []string{""}
	for _, m := range headline.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
		out = append(out, strings.ReplaceAll(noAnchor.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-"))
	}
	return out
}

// absent are ways to cite a document that is not in the repository.
var absent = regexp.MustCompile(`\bDESIGN( §| ?\d)|\b[Ss]pec(ification)? 0\d|` +
	`tool-call-envelope|agent-tools|responses-tool-proxy|tool-invocation-protocol|\binvocation protocol\b`)

// standard matches the documents that a section sign may belong to: those that anybody can
// look up.
var standard = regexp.MustCompile(`RFC \d+|CommonMark|ECMAScript|WebAssembly|Unicode|HTML Standard`)

func TestNoCommentCitesADocumentThatIsNotHere(t *testing.T) {
	const reason = "nobody who has only the repository can read it: say it in docs/design and cite that"
	texts(t, func(file, text string) {
		if file == thisFile {
			return
		}
		for i, line := range strings.Split(text, "\n") {
			section := strings.Contains(line, "§") && !standard.MatchString(line) && !strings.Contains(line, `"§"`)
			if name := absent.FindString(line); name != "" || section && !isPage(file) || section && strings.HasPrefix(file, "docs/") {
				t.Errorf("%s:%d cites what is not there: %s: %s", file, i+1, strings.TrimSpace(line), reason)
			}
		}
	})
}

func TestTheSearchForCitationsKnowsGoodFromBad(t *testing.T) {
	pages := map[string][]string{}
	for target, want := range map[string]bool{
		"docs/ARCHITECTURE.md": true, "docs/ARCHITECTURE.md#the-network": true, "docs/adr/0003": true,
		"docs/ARCHITECTURE.md#no-such-heading": false, "docs/nowhere.md": false, "docs/adr/9999": false,
	} {
		if got := leads(t, pages, target); got != want {
			t.Errorf("%s leads somewhere: %v, want %v", target, got, want)
		}
	}
	for line, want := range map[string]bool{
		"(DESIGN §4)": true, "see DESIGN 2": true, "spec 001": true, "agent-tools 3.1": true,
		"the design of this package": false, "RFC 8785 says": false,
	} {
		if got := absent.MatchString(line); got != want {
			t.Errorf("%q is taken for a citation of an absent document: %v, want %v", line, got, want)
		}
	}
}
