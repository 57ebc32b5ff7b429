package archtest

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"testing"
)

// What a program makes of itself before main, every start of the core waits for.
func TestNoRegularExpressionIsCompiledBeforeMain(t *testing.T) {
	for _, p := range core(t) {
		for _, name := range p.GoFiles {
			file := filepath.Join(p.Dir, name)
			for _, v := range compiledAtStart(parse(t, file)) {
				t.Errorf("%s: %s is compiled at each start; regex.Lazy compiles it at its first use", file, v)
			}
		}
	}
}

func TestAnExpressionThatIsCompiledBeforeMainIsFound(t *testing.T) {
	const src = `package a
import "regexp"
var early = regexp.MustCompile("a")
var both, two = 1, regexp.MustCompile("b")
var late = func() any { return regexp.MustCompile("c") }
func f() { g := regexp.MustCompile("d"); _ = g }`
	if got := compiledAtStart(parseInto(t, token.NewFileSet(), "a.go", src)); len(got) != 2 {
		t.Errorf("found %v, want early and both", got)
	}
}

// compiledAtStart names the variables of a file that a regular expression is
// compiled for when the program starts.
func compiledAtStart(f *ast.File) (names []string) {
	for _, d := range f.Decls {
		vars, ok := d.(*ast.GenDecl)
		if !ok || vars.Tok != token.VAR {
			continue
		}
		for _, s := range vars.Specs {
			spec, ok := s.(*ast.ValueSpec)
			if !ok {
				continue
			}
			early := false
			for _, value := range spec.Values {
				ast.Inspect(value, func(n ast.Node) bool {
					if x, sel := selector(exprOf(n)); x == "regexp" && (sel == "MustCompile" || sel == "Compile") {
						early = true
					}
					_, inner := n.(*ast.FuncLit)
					return !inner
				})
			}
			if early {
				names = append(names, spec.Names[0].Name)
			}
		}
	}
	return names
}

func exprOf(n ast.Node) ast.Expr {
	e, _ := n.(ast.Expr)
	return e
}
