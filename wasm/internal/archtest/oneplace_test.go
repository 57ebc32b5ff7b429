package archtest

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

func TestAContextCarriesNoValues(t *testing.T) {
	const reason = "what a function needs is a parameter or a field, which the compiler sees: a value in a context is missing without a word"
	allowed := map[string]string{
		"proxy/cork.go":   "net/http hands the connection of a request to its handler through the context, and in no other way",
		"proxy/intake.go": "reads what cork.go put there",
	}
	onlyWhereListed(t, allowed, contextValues,
		func(file, bad string) { t.Errorf("%s uses %s: %s", file, bad, reason) },
		func(at string) { t.Errorf("%s puts nothing into a context any more: take it off the list", at) })
}

// contextValues finds context.WithValue, and Value asked of what is named as
// contexts are.
func contextValues(f *ast.File) []string {
	var found []string
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		s, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		x, sel := selector(s)
		if x == "context" && sel == "WithValue" {
			found = append(found, "context.WithValue")
		}
		if name := strings.ToLower(nameOf(s.X)); s.Sel.Name == "Value" && (strings.Contains(name, "ctx") || strings.Contains(name, "context")) {
			found = append(found, "Context.Value")
		}
		return true
	})
	return found
}

// nameOf gives the last name of an expression: ctx of s.l.ctx.
func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.CallExpr: // r.Context()
		return nameOf(e.Fun)
	}
	return ""
}

func TestTimesAreWrittenInOnePlace(t *testing.T) {
	const reason = "two places that write times write them in two ways: use package timestamp"
	allowed := map[string]string{
		"timestamp": "is the place",
		"moment":    "writes dates in the forms that people choose for their notes",
	}
	onlyWhereListed(t, allowed, writtenTimes,
		func(file, bad string) { t.Errorf("%s writes a time as %s: %s", file, bad, reason) },
		func(at string) { t.Errorf("%s writes no time any more: take it off the list", at) })
}

// onlyWhereListed calls wrong with each thing that find sees in a file of the core
// which the list does not allow, and gone with each entry of the list that allows
// nothing.
func onlyWhereListed(t *testing.T, allowed map[string]string, find func(*ast.File) []string, wrong func(file, found string), gone func(at string)) {
	t.Helper()
	used := map[string]bool{}
	eachGoFile(t, func(file string) {
		for _, found := range find(parse(t, filepath.Join(root, "wasm/internal", file))) {
			if at := listedAt(allowed, file); at != "" {
				used[at] = true
				continue
			}
			wrong(file, found)
		}
	})
	for at := range allowed {
		if !used[at] {
			gone(at)
		}
	}
}

// writtenTimes finds calls of Format and AppendFormat with a layout: a text, or a
// constant of package time.
func writtenTimes(f *ast.File) []string {
	var found []string
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		s, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || s.Sel.Name != "Format" && s.Sel.Name != "AppendFormat" {
			return true
		}
		switch layout := call.Args[len(call.Args)-1].(type) {
		case *ast.BasicLit:
			if layout.Kind == token.STRING {
				found = append(found, layout.Value)
			}
		case *ast.SelectorExpr:
			if x, sel := selector(layout); x == "time" {
				found = append(found, "time."+sel)
			}
		}
		return true
	})
	return found
}
