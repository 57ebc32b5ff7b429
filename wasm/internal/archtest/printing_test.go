package archtest

import (
	"go/ast"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheNativeCommandPrintsThroughOneWriterOnly(t *testing.T) {
	const reason = "what is printed holds text of notes, plans and file names, which a terminal would obey: print through terminal.Printer"
	for _, dir := range []string{"wasm/internal/cli", "wasm/internal/eval", "wasm/internal/proxy", "wasm/cmd/embedded-agent", "wasm/cmd/eval"} {
		entries, err := os.ReadDir(filepath.Join(root, dir))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if filepath.Ext(e.Name()) != ".go" || strings.HasSuffix(e.Name(), "_test.go") {
				continue
			}
			path := filepath.Join(root, dir, e.Name())
			for _, bad := range printing(parse(t, path)) {
				t.Errorf("%s/%s uses %s: %s", dir, e.Name(), bad, reason)
			}
		}
	}
}

// printing finds ways to an output beside the printer: fmt's and io's functions
// that write, the builtin print, package log, and the standard outputs, which
// may be handed to the printer alone.
func printing(f *ast.File) []string {
	var found []string
	allowed := map[ast.Node]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if x, sel := selector(n.Fun); x == "terminal" && sel == "To" && len(n.Args) == 1 {
				allowed[n.Args[0]] = true
			}
			if name, ok := n.Fun.(*ast.Ident); ok && (name.Name == "print" || name.Name == "println") {
				found = append(found, name.Name)
			}
		case *ast.SelectorExpr:
			x, sel := selector(n)
			switch {
			case x == "fmt" && (strings.HasPrefix(sel, "Print") || strings.HasPrefix(sel, "Fprint")),
				x == "io" && sel == "WriteString", x == "log", x == "slog",
				x == "os" && (sel == "Stdout" || sel == "Stderr") && !allowed[n]:
				found = append(found, x+"."+sel)
			}
		}
		return true
	})
	return found
}

func selector(e ast.Expr) (x, sel string) {
	if s, ok := e.(*ast.SelectorExpr); ok {
		if id, ok := s.X.(*ast.Ident); ok {
			return id.Name, s.Sel.Name
		}
	}
	return "", ""
}
