package archtest

import (
	"go/ast"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// roundabout are ways to begin a comment that say nothing yet, each with an
// example of how to begin instead.
var roundabout = []struct {
	pattern *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`^(An? |The )?\w+ (is|are|was|were) what\b`), `"Report is what became of a plan" is "Report says how a plan ended"`},
	{regexp.MustCompile(`(^|[^A-Za-z])[Oo]f which\b`), `"the files of which nobody knows" is "the files that nobody knows"; "lists, of which one is empty" is "lists. One of them is empty"`},
}

// counted matches a number of things that a part of them goes with: it is plain.
var counted = regexp.MustCompile(`\b(each|either|one|some|all|both|none|most|any|two|three)\s+of which\b`)

func TestACommentSaysAtOnceWhatItIsAbout(t *testing.T) {
	comments := 0
	err := filepath.WalkDir(filepath.Join(root, "wasm"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		fset := token.NewFileSet()
		for _, group := range parseInto(t, fset, path, nil).Comments {
			comments++
			text := strings.Join(strings.Fields(group.Text()), " ")
			for _, instead := range wordy(text) {
				t.Errorf("%s: %.80s…: nobody should have to read a sentence twice: %s", fset.Position(group.Pos()), text, instead)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if comments < 5000 {
		t.Errorf("only %d comments were found: the search is broken", comments)
	}
}

// script matches the comments of TypeScript and of components, and few other texts.
var script = regexp.MustCompile(`(?s)/\*.*?\*/|<!--.*?-->|//[^\n]*`)

func TestACommentOfTypeScriptSaysAtOnceWhatItIsAbout(t *testing.T) {
	comments := 0
	for _, dir := range []string{"bridge", "plugin", "i18n"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !slices.Contains([]string{".ts", ".svelte"}, filepath.Ext(path)) {
				return err
			}
			src, err := os.ReadFile(path)
			for _, comment := range script.FindAllString(string(src), -1) {
				comments++
				text := strings.Join(strings.FieldsFunc(comment, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("/*<!-", r) }), " ")
				for _, instead := range wordy(text) {
					t.Errorf("%s: %.80s…: nobody should have to read a sentence twice: %s", path, text, instead)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if comments < 1000 {
		t.Errorf("only %d comments were found: the search is broken", comments)
	}
}

// wordy gives what is said about the patterns that a comment has.
func wordy(text string) (found []string) {
	text = counted.ReplaceAllString(text, "$1 of them")
	for _, r := range roundabout {
		if r.pattern.MatchString(text) {
			found = append(found, r.instead)
		}
	}
	return found
}

func TestRoundaboutCommentsAreFound(t *testing.T) {
	for text, want := range map[string]int{
		"Report is what became of a plan.":                                1,
		"The words are what the model sees.":                              1,
		"Files gives lists, of which one is empty.":                       1,
		"Held says of which files the caller has bytes.":                  1,
		"Report says how a plan ended. That is what it is for.":           0,
		"MapScope makes a Scope of two maps, either of which may be nil.": 0,
	} {
		if got := wordy(text); len(got) != want {
			t.Errorf("%q: %v, want %d", text, got, want)
		}
	}
}

// explained are the packages that others build on: what they export says in a
// comment what it does.
var explained = []string{"runner", "proxy", "plan", "tool", "policy", "pipeline", "fault"}

func TestEveryExportedNameOfTheRoomsIsExplained(t *testing.T) {
	const reason = "who calls it from another package should not have to read it: say what it does, in which units, and how it fails"
	packages := slices.Clone(explained)
	for _, floor := range house {
		packages = append(packages, floor.rooms...)
	}
	eachGoFile(t, func(file string) {
		if !slices.Contains(packages, filepath.ToSlash(filepath.Dir(file))) {
			return
		}
		for _, name := range unexplained(parse(t, filepath.Join(root, "wasm/internal", file))) {
			t.Errorf("%s: %s has no comment: %s", file, name, reason)
		}
	})
}

// unexplained gives the exported names of a file that have no comment. Methods of
// types that are not exported are known by their interfaces, and Error and String
// by those of the language.
func unexplained(f *ast.File) (names []string) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			method := d.Recv != nil && (!ast.IsExported(receiver(d.Recv.List[0].Type)) || d.Name.Name == "Error" || d.Name.Name == "String")
			if d.Name.IsExported() && d.Doc == nil && !method {
				names = append(names, d.Name.Name)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					if s.Name.IsExported() && s.Doc == nil && d.Doc == nil {
						names = append(names, s.Name.Name)
					}
				case *ast.ValueSpec:
					if s.Names[0].IsExported() && s.Doc == nil && s.Comment == nil && d.Doc == nil {
						names = append(names, s.Names[0].Name)
					}
				}
			}
		}
	}
	return names
}
