package archtest

import (
	"errors"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// noImports is an importer for types that are not needed.
type noImports struct{}

func (noImports) Import(string) (*types.Package, error) { return nil, errors.New("not needed") }

// borrowed lists what files of one package use of a tool's own file, as
// "file: name". It knows names by their scope, so a variable of the same name is
// none of them. own says which files are a tool's.
func borrowed(t *testing.T, fset *token.FileSet, files []*ast.File, own func(file string) bool) []string {
	t.Helper()
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	conf := types.Config{Importer: noImports{}, Error: func(error) {}} // of what is imported nothing is known
	pkg, _ := conf.Check("builtin", fset, files, info)
	var out []string
	for id, o := range info.Uses {
		if o.Parent() != pkg.Scope() {
			continue
		}
		from, in := fset.Position(o.Pos()).Filename, fset.Position(id.Pos()).Filename
		if from != in && own(from) && filepath.Base(in) != "builtin.go" {
			out = append(out, filepath.Base(from)+": "+o.Name())
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func TestWhatToolsShareIsNotInTheFileOfOne(t *testing.T) {
	const reason = "whoever changes that tool would change others: move it to the file of what it is about"
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range goFiles(t, filepath.Join(root, "wasm/internal/tool/builtin")) {
		if !strings.HasSuffix(name, "_js.go") {
			files = append(files, parseInto(t, fset, name, nil))
		}
	}
	isTool := func(file string) bool {
		_, err := os.Stat(strings.TrimSuffix(file, ".go") + ".schema.json")
		return err == nil
	}
	for _, b := range borrowed(t, fset, files, isTool) {
		t.Errorf("another file uses %s: %s", b, reason)
	}
}

func TestWhatToolsShareIsFound(t *testing.T) {
	fset := token.NewFileSet()
	var files []*ast.File
	for name, src := range map[string]string{
		"a.tool.go":  "package builtin\nfunc aTool() {}\nfunc helper() {}\nfunc alone() {}\nfunc same() {}",
		"b.tool.go":  "package builtin\nfunc bTool() { helper(); same := 1; _ = same }",
		"builtin.go": "package builtin\nfunc all() { aTool(); bTool() }",
	} {
		files = append(files, parseInto(t, fset, name, src))
	}
	got := borrowed(t, fset, files, func(f string) bool { return strings.HasSuffix(f, ".tool.go") })
	if want := []string{"a.tool.go: helper"}; !slices.Equal(got, want) {
		t.Errorf("found %v, want %v", got, want)
	}
}
