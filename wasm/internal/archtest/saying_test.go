package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func TestAFailingTestSaysWhatItExpected(t *testing.T) {
	const reason = "values alone do not say what was expected: put words before them, such as want 2 Files, got"
	found := 0
	err := filepath.WalkDir(filepath.Join(root, "wasm"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		found++
		fset := token.NewFileSet()
		for _, at := range silent(parseInto(t, fset, path, nil)) {
			t.Errorf("%s fails without words: %s", fset.Position(at), reason)
		}
		return nil
	})
	if err != nil || found < 300 {
		t.Errorf("%d files were read: %v", found, err)
	}
}

func TestASilentFailureIsSeen(t *testing.T) {
	const source = `package p
func f(t *testing.T) {
	t.Fatal(got)
	t.Errorf("%s: %v", name, got)
	t.Error(len(list), d)
	t.Fatal(err)
	t.Fatal("want one", got)
	t.Errorf("want %d", got)
	t.Error(reason + name)
}`
	f, err := parser.ParseFile(token.NewFileSet(), "p.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(silent(f)); n != 3 {
		t.Errorf("want 3 silent failures, got %d", n)
	}
}

var (
	formatVerb = regexp.MustCompile(`%[-+# 0-9.*\[\]]*[a-zA-Z%]`)
	aWord      = regexp.MustCompile(`[A-Za-z]{3,}`)
)

// silent gives the places where a test ends with values and no words. An error
// alone is enough: it is a sentence.
func silent(f *ast.File) (at []token.Pos) {
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		switch x, sel := selector(call.Fun); {
		case x != "t" && x != "tb" && x != "b" && x != "rt":
		case (sel == "Fatal" || sel == "Error") && !someWords(call.Args):
			at = append(at, call.Pos())
		case sel == "Fatalf" || sel == "Errorf":
			if s, ok := literal(call.Args[0]); ok && !aWord.MatchString(formatVerb.ReplaceAllString(s, "")) {
				at = append(at, call.Pos())
			}
		}
		return true
	})
	return at
}

// someWords reports whether one of a failure's values is a sentence, or may be one.
func someWords(args []ast.Expr) bool {
	for _, a := range args {
		if s, ok := literal(a); ok && aWord.MatchString(s) {
			return true
		}
		if sum, ok := a.(*ast.BinaryExpr); ok && sum.Op == token.ADD {
			return true
		}
	}
	id, ok := args[0].(*ast.Ident)
	return ok && len(args) == 1 && strings.Contains(strings.ToLower(id.Name), "err")
}

func literal(e ast.Expr) (string, bool) {
	l, ok := e.(*ast.BasicLit)
	if !ok || l.Kind != token.STRING {
		return "", false
	}
	s, err := strconv.Unquote(l.Value)
	return s, err == nil
}
