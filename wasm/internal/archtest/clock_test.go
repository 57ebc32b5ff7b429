package archtest

import (
	"go/ast"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// heldAgainstTheClock are the functions of tests that may compare how long something
// took outside of a bubble of synctest, each with why a busy machine does not fail it.
var heldAgainstTheClock = map[string]string{
	"sureMark":                               "it waits, and gives up where nothing comes",
	"TestWhatWaitsComesInDuringAComputation": "it gives up where nothing comes",
	"TestAMarkIsNotSureOfALinkOrOfWhatWasChangedAMomentAgo": "what took too long is tried again",
}

// How long something takes belongs into a benchmark, as a ratio: a machine that has
// other work takes longer for the same. The rule for TypeScript is in eslint.config.mjs.
func TestNoTestHoldsTheClockAgainstABusyMachine(t *testing.T) {
	found, allowed := 0, map[string]bool{}
	err := filepath.WalkDir(filepath.Join(root, "wasm"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		found++
		fset := token.NewFileSet()
		for _, f := range parseInto(t, fset, path, nil).Decls {
			fn, ok := f.(*ast.FuncDecl)
			if !ok {
				continue
			}
			for _, at := range clocked(fn) {
				if heldAgainstTheClock[fn.Name.Name] == "" {
					t.Errorf("%s: %s holds the clock against a machine that may be busy: count what is done, or use synctest", fset.Position(at), fn.Name.Name)
				}
				allowed[fn.Name.Name] = true
			}
		}
		return nil
	})
	if err != nil || found < 300 {
		t.Errorf("%d files were read: %v", found, err)
	}
	for name := range heldAgainstTheClock {
		if !allowed[name] {
			t.Errorf("%s compares no times any more: take it off the list", name)
		}
	}
}

func TestAComparisonWithTheClockIsSeen(t *testing.T) {
	const source = `package p
func TestOne(t *testing.T) {
	began := time.Now()
	if time.Since(began) > time.Second { t.Fatal("slow") }
	took := time.Since(began)
	if err == nil && took >= time.Second { t.Fatal("slow") }
}
func TestTwo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { if time.Since(began) > time.Second { t.Fatal("slow") } })
	whole = time.Since(began)
}`
	f := parseInto(t, token.NewFileSet(), "p_test.go", source)
	for i, want := range []int{2, 0} {
		fn := f.Decls[i].(*ast.FuncDecl)
		if n := len(clocked(fn)); n != want {
			t.Errorf("%s: want %d comparisons with the clock, got %d", fn.Name.Name, want, n)
		}
	}
}

// clocked gives the places in a function where a time that has passed is compared, but
// for those in functions that synctest runs.
func clocked(fn *ast.FuncDecl) (places []token.Pos) {
	if fn.Body == nil {
		return nil
	}
	passed := map[string]bool{} // names of times that have passed
	since := func(e ast.Expr) bool {
		call, ok := e.(*ast.CallExpr)
		if !ok {
			return false
		}
		sel, ok := call.Fun.(*ast.SelectorExpr)
		return ok && sel.Sel.Name == "Since"
	}
	isPassed := func(e ast.Expr) bool {
		id, ok := e.(*ast.Ident)
		return since(e) || ok && passed[id.Name]
	}
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if sel, ok := n.Fun.(*ast.SelectorExpr); ok {
				if x, ok := sel.X.(*ast.Ident); ok && x.Name == "synctest" {
					return false
				}
			}
		case *ast.AssignStmt:
			for i, right := range n.Rhs {
				if id, ok := n.Lhs[i].(*ast.Ident); ok && since(right) {
					passed[id.Name] = true
				}
			}
		case *ast.BinaryExpr:
			switch n.Op {
			case token.LSS, token.GTR, token.LEQ, token.GEQ:
				if isPassed(n.X) || isPassed(n.Y) {
					places = append(places, n.Pos())
				}
			}
		}
		return true
	})
	return places
}
